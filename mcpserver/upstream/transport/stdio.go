package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

const (
	// writeTime bounds the writing of one message. A server that does not read its input
	// for so long will not answer either.
	writeTime = 30 * time.Second
	// endTime is how long the end of a server that took no message may stay unexplained:
	// its output ends with it, and then package upstream gives it 5 s to say how.
	endTime = 10 * time.Second
	// maxUnwritten is how many messages may wait to be written. More requests than an
	// upstream may have at once never wait, so what waits beyond is answers and
	// cancellations.
	maxUnwritten = 256
)

// Stdio is a connection over two streams, one message a line.
type Stdio struct {
	*inbound
	in   io.WriteCloser
	stop func()
	out  chan *outgoing

	stopped, gone chan struct{} // the process has ended; and both goroutines too
}

// NewStdio speaks over the standard streams of a process, seen from outside: in is what
// it reads, out what it writes. stop ends the process, closes both streams and returns
// when nothing of it is left; it is called once, when the connection ends for whatever reason.
func NewStdio(in io.WriteCloser, out io.Reader, stop func(), handle Handle, dropped func(Drop)) *Stdio {
	s := &Stdio{inbound: newInbound(handle, dropped), in: in, stop: stop, out: make(chan *outgoing, maxUnwritten), stopped: make(chan struct{}), gone: make(chan struct{})}
	written := make(chan struct{})
	go s.write(written)
	go func() {
		s.read(out)
		<-written
		<-s.stopped
		close(s.gone)
	}()
	return s
}

// ErrRefused is the error of a stream that takes nothing of a message, ever again.
var ErrRefused = errors.New("the server must not be written to any more")

// outgoing is a message that waits to be written.
type outgoing struct {
	body  []byte
	state atomic.Uint32
}

const (
	queued    uint32 = iota
	taken            // it is written, or was
	withdrawn        // it will not be
)

// Do implements [Conn].
func (s *Stdio) Do(ctx context.Context, m *Message) (*wire.Message, error) {
	answer := s.expect(m.ID)
	o, err := s.queue(ctx, m)
	if err != nil {
		s.forget(m.ID)
		return nil, err
	}
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		s.forget(m.ID)
		if o.state.CompareAndSwap(queued, withdrawn) {
			return nil, &Error{Kind: Stalled, Unsent: true, Err: ctx.Err()}
		}
		return nil, ctx.Err()
	case <-s.done:
		s.forget(m.ID)
		select {
		case a := <-answer: // it came with the last bytes
			return a, nil
		default:
		}
		return nil, &Error{Kind: Closed, Unsent: o.state.CompareAndSwap(queued, withdrawn), Err: s.Err()}
	}
}

// Send implements [Conn].
func (s *Stdio) Send(ctx context.Context, m *Message) error {
	_, err := s.queue(ctx, m)
	return err
}

func (s *Stdio) queue(ctx context.Context, m *Message) (*outgoing, error) {
	o := &outgoing{body: line(m.Body)}
	select {
	case s.out <- o:
		return o, nil
	case <-s.done:
		return nil, &Error{Kind: Closed, Unsent: true, Err: s.Err()}
	case <-ctx.Done():
		return nil, &Error{Kind: Stalled, Unsent: true, Err: ctx.Err()}
	}
}

// line ends a message with its only line end. Line ends in JSON are space: none can
// stand in a string.
func line(body []byte) []byte {
	if bytes.ContainsAny(body, "\r\n") {
		body = bytes.Map(func(r rune) rune {
			if r == '\r' || r == '\n' {
				return ' '
			}
			return r
		}, body)
	}
	return append(body, '\n')
}

// write writes one message after the other, so that a caller who gives up leaves no
// half of one behind.
func (s *Stdio) write(written chan<- struct{}) {
	defer close(written)
	watch := time.AfterFunc(writeTime, func() {
		s.fail(&Error{Kind: Stalled, Err: fmt.Errorf("the server did not read its input for %v", writeTime)})
	})
	watch.Stop()
	for {
		select {
		case <-s.done:
			return
		case o := <-s.out:
			if !o.state.CompareAndSwap(queued, taken) {
				continue
			}
			watch.Reset(writeTime)
			_, err := s.in.Write(o.body)
			watch.Stop()
			if errors.Is(err, ErrRefused) {
				o.state.Store(queued) // no byte of it was written, and whoever waits is told so
				s.fail(err)
				return
			}
			if err != nil {
				select { // a server that has ended does not read either; how it ended says more
				case <-s.done:
				case <-time.After(endTime):
				}
				s.fail(fmt.Errorf("writing: %w", err))
				return
			}
		}
	}
}

func (s *Stdio) read(out io.Reader) {
	paced := newPaced(out, func() {
		s.fail(&Error{Kind: Stalled, Err: fmt.Errorf("a message did not end within %v", MessageTime)})
	})
	defer paced.stop()
	lines := wire.NewLines(paced, MaxMessage)
	for {
		l, err := lines.Next()
		switch text := bytes.TrimSpace(l.Text); {
		case !l.First: // the rest of what was counted
		case !l.Last:
			s.dropped(TooLarge)
		case len(text) == 0:
		default:
			if failed := s.arrived(text); failed != nil {
				return // the connection has ended
			}
		}
		if !l.Whole() && err == nil {
			err = s.pace(len(l.Text))
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the server closed its output")
			}
			s.fail(err)
			return
		}
	}
}

// fail ends the connection and the process.
func (s *Stdio) fail(err error) {
	s.ending.Do(func() {
		s.end(err)
		close(s.done)
		go func() {
			s.stop()
			close(s.stopped)
		}()
	})
}

// Listen does nothing: a process writes when it wants to.
func (s *Stdio) Listen(string) {}

// Abandoning implements [Conn].
func (s *Stdio) Abandoning(string) bool { return false }

// Close implements [Conn].
func (s *Stdio) Close(ctx context.Context) {
	s.fail(errClosed)
	select {
	case <-s.gone:
	case <-ctx.Done():
	}
}

var errClosed = errors.New("closed by us")
