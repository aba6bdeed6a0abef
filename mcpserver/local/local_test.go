package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The test binary also runs as the owner that gets killed, and as another user's
// process.
func TestMain(m *testing.M) {
	switch os.Getenv("LOCAL_CHILD") {
	case "own":
		o, err := Claim(os.Getenv("LOCAL_STATE"))
		if err == nil {
			err = o.Start(Config{About: func() About { return About{} }, Lines: echo, Logger: slog.New(slog.DiscardHandler), Gateway: hang})
		}
		fmt.Println(err)
		select {}
	case "dial":
		conn, err := net.Dial("unix", os.Getenv("LOCAL_SOCKET"))
		if err != nil {
			fmt.Println("cannot dial:", err)
			os.Exit(1)
		}
		conn.SetDeadline(time.Now().Add(2 * time.Minute))
		fmt.Fprint(conn, "GET /status HTTP/1.1\r\nHost: x\r\n\r\n")
		answer, err := io.ReadAll(conn)
		fmt.Printf("%d bytes, %v\n", len(answer), err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// echo answers each message with itself, after the name of the client.
func echo(_ context.Context, principal string, in io.ReadCloser, out io.WriteCloser) error {
	lines := bufio.NewScanner(in)
	if _, err := fmt.Fprintln(out, principal); err != nil {
		return err
	}
	for lines.Scan() {
		if _, err := fmt.Fprintln(out, lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

func owned(t *testing.T, state string) *Owner {
	t.Helper()
	o, err := Claim(state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	config := Config{
		About: func() About { return About{Mode: "stdio", Flags: map[string]string{"preset": "starter"}} },
		Lines: echo, Logger: slog.New(slog.DiscardHandler),
	}
	if err := o.Start(config); err != nil {
		t.Fatal(err)
	}
	return o
}

func found(t *testing.T, state string) *Peer {
	t.Helper()
	p, err := Find(state)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// TestTaking: an owner that serves is not waited for; one that does not is, and is named.
func TestTaking(t *testing.T) {
	state := filepath.Join(t.TempDir(), "glovebox")
	verb, err := Take(t.Context(), state, "glovebox upstream list")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Holder(state), fmt.Sprintf("process %d (glovebox upstream list)", os.Getpid()); got != want {
		t.Errorf("it is held by %q, want %q", got, want)
	}
	short, cancel := context.WithTimeout(t.Context(), 3*takeEvery)
	defer cancel()
	if _, err := Take(short, state, "x"); !errors.Is(err, ErrOwned) || short.Err() == nil {
		t.Errorf("%v, and the time was %v", err, short.Err())
	}
	taken := make(chan error)
	go func() {
		o, err := Take(t.Context(), state, "glovebox serve")
		if err == nil {
			err = o.Close()
		}
		taken <- err
	}()
	if err := verb.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-taken; err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if got := Holder(state); got != "" {
		t.Errorf("nobody has it, and it says %q", got)
	}
	owned(t, state)
	if _, err := Take(t.Context(), state, "x"); !errors.Is(err, ErrOwned) {
		t.Errorf("one that serves: %v", err)
	}
}

func TestOneOwnsAndOthersFindIt(t *testing.T) {
	state := filepath.Join(t.TempDir(), "glovebox")
	if _, err := Find(state); !errors.Is(err, ErrNoOwner) {
		t.Errorf("before there is one: %v", err)
	}
	o := owned(t, state)
	if _, err := Claim(state); !errors.Is(err, ErrOwned) {
		t.Errorf("a second claim: %v", err)
	}
	p := found(t, state)
	if got := mode(t, p.Socket()); got.Type() != os.ModeSocket || got.Perm() != 0o600 {
		t.Errorf("the socket has mode %v", got)
	}
	if got := mode(t, filepath.Dir(p.Socket())); got.Perm() != 0o700 {
		t.Errorf("its folder has mode %v", got)
	}
	s, err := p.Status(t.Context())
	if err != nil || s.PID != os.Getpid() || s.State != state || s.Flags["preset"] != "starter" || s.Clients == nil {
		t.Errorf("%+v, %v", s, err)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(p.Socket()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left behind: %v", err)
	}
	if _, err := p.Status(t.Context()); !errors.Is(err, ErrNoOwner) {
		t.Errorf("afterwards: %v", err)
	}
	if _, err := Find(state); !errors.Is(err, ErrNoOwner) {
		t.Errorf("afterwards: %v", err)
	}
	owned(t, state) // again
}

// TestAKilledOwnerIsSucceeded kills a process that owns and serves.
func TestAKilledOwnerIsSucceeded(t *testing.T) {
	state := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "LOCAL_CHILD=own", "LOCAL_STATE="+state)
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if started, _ := bufio.NewReader(out).ReadString('\n'); started != "<nil>\n" {
		t.Fatal(started)
	}
	p := found(t, state)
	if s, err := p.Status(t.Context()); err != nil || s.PID != child.Process.Pid || p.PID() != s.PID {
		t.Fatalf("%+v, %v", s, err)
	}
	child.Process.Signal(syscall.SIGKILL)
	child.Wait()
	if got := mode(t, p.Socket()); got.Type() != os.ModeSocket {
		t.Fatalf("it left no socket, so nothing is tested: %v", got)
	}
	if _, err := p.Status(t.Context()); !errors.Is(err, ErrNoOwner) {
		t.Errorf("the socket of a dead process: %v", err)
	}
	o, session, err := Join(t.Context(), state)
	if err != nil || o == nil || session != nil {
		t.Fatal(o, session, err)
	}
	o.Close()
	owned(t, state)
	if s, err := found(t, state).Status(t.Context()); err != nil || s.PID != os.Getpid() {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestWhatOthersCouldTouchIsRefused(t *testing.T) {
	state := t.TempDir()
	owned(t, state)
	p := found(t, state)
	if err := os.Chmod(runDir(state), 0o755); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"claim":  second(Claim(state)),
		"find":   second(Find(state)),
		"status": second(p.Status(t.Context())),
	} {
		if err == nil || !strings.Contains(err.Error(), "chmod 700") {
			t.Errorf("%s: %v", what, err)
		}
	}

	linked := t.TempDir()
	if err := os.Symlink(t.TempDir(), runDir(linked)); err != nil {
		t.Fatal(err)
	}
	if _, err := Claim(linked); err == nil {
		t.Error("a folder that is a link was taken")
	}

	occupied := t.TempDir()
	if err := errors.Join(os.Mkdir(runDir(occupied), 0o700), os.WriteFile(filepath.Join(runDir(occupied), "socket"), []byte("precious"), 0o600)); err != nil {
		t.Fatal(err)
	}
	o, err := Claim(occupied)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if err := o.Start(Config{}); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Errorf("a file was taken for a stale socket: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(runDir(occupied), "socket")); string(text) != "precious" {
		t.Errorf("%q, %v", text, err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestLongPaths: a path too long to be the name of a socket.
func TestLongPaths(t *testing.T) {
	short, err := os.MkdirTemp("/tmp", "glovebox-run-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	state := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	for _, runtime := range []string{short, "", filepath.Join(t.TempDir(), strings.Repeat("long", 30))} {
		t.Setenv("XDG_RUNTIME_DIR", runtime)
		o := owned(t, state)
		p := found(t, state)
		want := fmt.Sprintf("/tmp/glovebox-%d", os.Getuid())
		if runtime == short {
			want = filepath.Join(short, "glovebox")
		}
		if dir := filepath.Dir(p.Socket()); dir != want || mode(t, dir).Perm() != 0o700 {
			t.Errorf("with XDG_RUNTIME_DIR=%s: %s", runtime, p.Socket())
		}
		// A process with another environment still finds it.
		t.Setenv("XDG_RUNTIME_DIR", "/nowhere")
		if s, err := found(t, state).Status(t.Context()); err != nil || s.State != state {
			t.Errorf("%+v, %v", s, err)
		}
		o.Close()
	}
}

func TestClientsHaveNames(t *testing.T) {
	state := t.TempDir()
	o := owned(t, state)
	p := found(t, state)
	s, err := p.Attach(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name, err := s.in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	itself := strings.TrimPrefix(Principal(), "stdio:")
	if got, want := strings.TrimSpace(name), "local:"+itself; got != want || !strings.Contains(got, fmt.Sprint("/", os.Getpid(), "/")) {
		t.Errorf("got %q, want %q", got, want)
	}
	status, err := p.Status(t.Context())
	if err != nil || len(status.Clients) != 1 || status.Clients[0].Principal != "local:"+itself {
		t.Errorf("%+v, %v", status, err)
	}
	// Its owner outlasts it and admits nobody afterwards.
	left := make(chan struct{})
	go func() {
		o.Outlast(t.Context())
		close(left)
	}()
	select {
	case <-left:
		t.Error("it did not wait")
	case <-time.After(20 * time.Millisecond):
	}
	s.Close()
	<-left
	if s, err := p.Attach(t.Context()); err == nil {
		s.Close()
		t.Error("a client was let in too late")
	}
	if plain("a b/../c\n\"é") != "a_b_.._c___" {
		t.Error(plain("a b/../c\n\"é"))
	}
}

func TestHostileRequests(t *testing.T) {
	state := t.TempDir()
	owned(t, state)
	p := found(t, state)
	for _, row := range []struct {
		method, path string
		header       http.Header
		body         string
		want         string
	}{
		{"GET", "/nowhere", nil, "", "404"},
		{"DELETE", "/status", nil, "", "405"},
		{"POST", "/mcp", nil, "", "426"},
		{"GET", "/status", http.Header{"X": {strings.Repeat("x", 40<<10)}}, "", "431"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), row.method, "http://x"+row.path, strings.NewReader(row.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = row.header
		response, err := p.http.Do(request)
		if err != nil {
			t.Errorf("%s %s: %v", row.method, row.path, err)
			continue
		}
		response.Body.Close()
		if !strings.HasPrefix(response.Status, row.want) {
			t.Errorf("%s %s: %s, want %s", row.method, row.path, response.Status, row.want)
		}
	}
}

func TestNoMoreClientsThanThat(t *testing.T) {
	state := t.TempDir()
	owned(t, state)
	p := found(t, state)
	for range maxClients {
		s, err := p.Attach(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
	}
	if _, err := p.Attach(t.Context()); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("one more: %v", err)
	}
}

// TestManyClaimAtOnce: exactly one wins, and the others reach it.
func TestManyClaimAtOnce(t *testing.T) {
	state := t.TempDir()
	var wg sync.WaitGroup
	owners := make(chan *Owner, 20)
	sessions := make(chan *Session, 20)
	for range 20 {
		wg.Go(func() {
			o, s, err := Join(t.Context(), state)
			if err != nil {
				t.Error(err)
			}
			if o != nil {
				owners <- o
				err := o.Start(Config{About: func() About { return About{} }, Lines: echo, Logger: slog.New(slog.DiscardHandler)})
				if err != nil {
					t.Error(err)
				}
				return
			}
			sessions <- s
		})
	}
	wg.Wait()
	if len(owners) != 1 || len(sessions) != 19 {
		t.Errorf("%d owners and %d sessions", len(owners), len(sessions))
	}
	(<-owners).Close()
}
