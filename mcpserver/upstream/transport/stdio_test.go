package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

// pipes are the two ends of a server's standard streams.
type pipes struct {
	*Stdio
	read    *bufio.Reader  // what we wrote
	write   *io.PipeWriter // what the server writes
	stopped int
	heard   []string
	dropped map[Drop]int
	mu      sync.Mutex
}

func newPipes() *pipes {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	p := &pipes{read: bufio.NewReader(in), write: out, dropped: map[Drop]int{}}
	p.Stdio = NewStdio(toServer, fromServer, func() {
		p.stopped++
		in.Close()
		toServer.Close()
		out.Close()
		fromServer.Close()
	}, func(_ int64, m *wire.Message) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.heard = append(p.heard, m.Method)
	}, func(d Drop) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.dropped[d]++
	})
	return p
}

func request(id int64) *Message {
	return &Message{ID: id, Method: "a", Body: fmt.Appendf(nil, "{\"jsonrpc\":\"2.0\",\n\"id\":%d,\r\n\"method\":\"a\"}", id)}
}

// A message is one line, whatever space the client wrote between its members.
func TestOneMessageALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		go func() {
			line, _ := p.read.ReadString('\n')
			if strings.Count(line, "\n")+strings.Count(line, "\r") != 1 || !strings.Contains(line, `"id":7`) {
				t.Errorf("%q", line)
			}
			fmt.Fprintf(p.write, "{\"jsonrpc\":\"2.0\",\"method\":\"before\"}\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n")
		}()
		m, err := p.Do(t.Context(), request(7))
		if err != nil || string(m.Result) != "{}" || len(p.heard) != 1 {
			t.Errorf("%v, %v, heard %q", m, err, p.heard)
		}
		p.Close(t.Context())
		if p.stopped != 1 {
			t.Errorf("stopped %d times", p.stopped)
		}
		if _, err := p.Do(t.Context(), request(8)); !Unsent(err) {
			t.Error(err)
		}
	})
}

// A message that drips ends the connection in time.
func TestDrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		go func() {
			for {
				if _, err := io.WriteString(p.write, "x"); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}()
		began := time.Now()
		<-p.Done()
		if took := time.Since(began); took != MessageTime {
			t.Errorf("it took %v", took)
		}
		p.Close(t.Context())
		time.Sleep(time.Second) // the server notices
	})
}

// So does a server that does not read.
func TestUnreadInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		began := time.Now()
		_, err := p.Do(t.Context(), request(1)) // nobody reads it
		e := (*Error)(nil)
		if took := time.Since(began); took != writeTime || !errors.As(err, &e) || e.Kind != Closed || e.Unsent {
			t.Errorf("after %v: %v", took, err)
		}
		p.Close(t.Context())
	})
}

// Of a request that waits behind another that is not read, it is certain that it was not
// sent; the other one's place in the stream is not left half written.
func TestWithdrawnBeforeItWasWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		first, giveUp := context.WithCancel(t.Context())
		errs := make(chan error, 2)
		go func() { _, err := p.Do(first, request(1)); errs <- err }()
		synctest.Wait()
		second, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go func() { _, err := p.Do(second, request(2)); errs <- err }()
		if err := <-errs; !Unsent(err) || !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		giveUp()
		if err := <-errs; Unsent(err) || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		go func() { _, err := p.Do(t.Context(), request(3)); errs <- err }()
		for _, id := range []string{`"id":1,`, `"id":3,`} {
			line, err := p.read.ReadString('\n')
			if err != nil || !strings.Contains(line, id) {
				t.Errorf("%q, %v", line, err)
			}
		}
		fmt.Fprintln(p.write, `{"jsonrpc":"2.0","id":1,"result":{}}`) // late
		fmt.Fprintln(p.write, `{"jsonrpc":"2.0","id":3,"result":{}}`)
		if err := <-errs; err != nil || p.dropped[UnknownID] != 1 {
			t.Errorf("%v, dropped %v", err, p.dropped)
		}
		p.Close(t.Context())
	})
}

// A flood is read at its bounded rate and delays nothing beyond it.
func TestFloodIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		const n = messageBurst + 3*messagesPerSecond
		began := time.Now()
		go func() {
			for range n {
				fmt.Fprintln(p.write, `{"jsonrpc":"2.0","method":"noise"}`)
			}
			fmt.Fprintln(p.write, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		}()
		go func() { _, _ = io.Copy(io.Discard, p.read) }()
		if _, err := p.Do(t.Context(), request(1)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < 2900*time.Millisecond || took > 3100*time.Millisecond || len(p.heard) != n {
			t.Errorf("%d messages took %v", len(p.heard), took)
		}
		p.Close(t.Context())
	})
}

// Large messages cost more of the rate than small ones.
func TestBytesArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		big := append(bytes.Repeat([]byte("x"), 1<<20), '\n')
		began := time.Now()
		for range 32 {
			if _, err := p.write.Write(big); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintln(p.write)
		if took := time.Since(began); took < time.Second {
			t.Errorf("32 MiB of noise took %v", took)
		}
		p.Close(t.Context())
	})
}
