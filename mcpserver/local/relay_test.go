package local

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// strand returns a session and the owner's end of it.
func strand(t *testing.T) (*Session, *net.UnixConn) {
	t.Helper()
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	here, err := net.Dial("unix", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	there, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { here.Close(); there.Close() })
	return &Session{conn: here.(*net.UnixConn), in: bufio.NewReader(here)}, there.(*net.UnixConn)
}

// testClient is the program at the other end of a relay.
type testClient struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *bufio.Reader
	relay *Relay
}

func newTestClient(t *testing.T) *testClient {
	in, write := io.Pipe()
	read, out := io.Pipe()
	t.Cleanup(func() { write.Close(); read.Close() })
	return &testClient{t, write, bufio.NewReader(read), NewRelay(in, out)}
}

func (c *testClient) run(ctx context.Context, s *Session) chan error {
	ended := make(chan error, 1)
	go func() { ended <- c.relay.Run(ctx, s) }()
	return ended
}

func (c *testClient) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Fatal(err)
	}
}

func (c *testClient) wants(text string) {
	c.t.Helper()
	wants(c.t, c.out, text)
}

func wants(t *testing.T, from *bufio.Reader, text string) {
	t.Helper()
	read := make(chan string, 1)
	go func() {
		got, _ := from.ReadString('\n')
		read <- got
	}()
	if got := within(t, read); got != text {
		t.Fatalf("got %.200q, want %.200q", got, text)
	}
}

// within returns what arrives on a channel, and fails if it takes too long.
func within[T any](t *testing.T, c chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(2 * time.Minute):
		t.Fatal("nothing happens")
		panic("unreachable")
	}
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
const pong = `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"

func TestARelayEndsWithItsClient(t *testing.T) {
	for name, end := range map[string]func(*testClient, context.CancelFunc, net.Conn){
		"hangs up":           func(c *testClient, _ context.CancelFunc, _ net.Conn) { c.in.Close() },
		"is told to":         func(_ *testClient, stop context.CancelFunc, _ net.Conn) { stop() },
		"while nobody reads": func(c *testClient, stop context.CancelFunc, owner net.Conn) { io.WriteString(owner, ping); stop() },
	} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		c := newTestClient(t)
		s, owner := strand(t)
		ended := c.run(ctx, s)
		c.send(strings.TrimSpace(strings.Replace(ping, "ping", "subscriptions/listen", 1)) + "\n")
		end(c, stop, owner)
		if name == "hangs up" {
			all, _ := io.ReadAll(owner) // the relay tells the owner, which then ends too
			if len(all) == 0 {
				t.Error("nothing came through")
			}
			owner.Close()
		}
		if err := within(t, ended); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhatAnOwnerSaidLastArrives: the last whole message arrives, half a message
// does not.
func TestWhatAnOwnerSaidLastArrives(t *testing.T) {
	c := newTestClient(t)
	s, owner := strand(t)
	ended := c.run(t.Context(), s)
	c.send(ping)
	wants(t, bufio.NewReader(owner), ping)
	io.WriteString(owner, pong+strings.Replace(ping, "1", "2", 1)[:20])
	owner.Close()
	c.wants(pong)
	if err := within(t, ended); err == nil {
		t.Error("a lost connection is no error")
	}

	// Messages that the client sends now, and those the last owner did not take, go
	// to the next owner.
	go io.WriteString(c.in, strings.Replace(ping, "1", "3", 1))
	s, owner = strand(t)
	c.run(t.Context(), s)
	wants(t, bufio.NewReader(owner), strings.Replace(ping, "1", "3", 1))
}

// TestACallThatNobodyTookIsNotLost: the owner was gone before the call was sent, so
// it cannot have run, and the next owner gets it.
func TestACallThatNobodyTookIsNotLost(t *testing.T) {
	c := newTestClient(t)
	call := strings.Replace(ping, "ping", "tools/call", 1)
	s, owner := strand(t)
	// The owner's last message is still in transit when the relay writes.
	if _, err := io.WriteString(owner, strings.Replace(pong, "1", "2", 1)); err != nil {
		t.Fatal(err)
	}
	owner.Close()
	blocked := make(chan struct{})
	c.relay.out = writerFunc(func(b []byte) (int, error) { <-blocked; return len(b), nil })
	ended := c.run(t.Context(), s)
	next := strings.Replace(ping, "1", "3", 1)
	c.send(call)
	c.send(next) // so the relay has read the call and cannot write it
	close(blocked)
	if err := within(t, ended); err == nil || errors.Is(err, errClient) {
		t.Fatal(err)
	}
	s, owner = strand(t)
	c.run(t.Context(), s)
	from := bufio.NewReader(owner)
	wants(t, from, call)
	wants(t, from, next)
	c.relay.mu.Lock()
	defer c.relay.mu.Unlock()
	if len(c.relay.session.open) != 2 {
		t.Errorf("%d requests are kept in mind", len(c.relay.session.open))
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestLongLinesGoThroughInPieces: no piece is inspected.
func TestLongLinesGoThroughInPieces(t *testing.T) {
	c := newTestClient(t)
	s, owner := strand(t)
	c.run(t.Context(), s)
	long := `{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("x", 2*maxFromClient) + `"}` + "\n"
	// The text after the first piece would be a valid request.
	hidden := strings.Repeat("x", maxFromClient) + strings.Replace(ping, "1", "9", 1)
	go io.WriteString(c.in, long+hidden+ping)
	from := bufio.NewReader(owner)
	wants(t, from, long)
	wants(t, from, hidden)
	wants(t, from, ping)
	c.relay.mu.Lock()
	defer c.relay.mu.Unlock()
	if len(c.relay.session.open) != 1 {
		t.Errorf("%d requests are kept", len(c.relay.session.open))
	}
}

func TestAnOwnerThatDoesNotServe(t *testing.T) {
	state := t.TempDir()
	o, err := Claim(state)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, _, err := Join(ctx, state); err == nil || !strings.Contains(err.Error(), "lets nobody in") {
		t.Error(err)
	}
}
