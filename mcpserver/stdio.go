package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// ServeStdio serves one client over a pair of streams, one message a line, until
// the client hangs up or ctx ends. Both protocol eras share the streams: each
// message says which it speaks. principal is the caller in the record and in
// approvals; no two clients may share one.
func (s *Server) ServeStdio(ctx context.Context, principal string, in io.ReadCloser, out io.WriteCloser) error {
	return s.ServeStdioOf(ctx, mainView, principal, in, out)
}

// ServeStdioOf is [Server.ServeStdio] for what is served at /mcp/NAME.
func (s *Server) ServeStdioOf(ctx context.Context, name, principal string, in io.ReadCloser, out io.WriteCloser) error {
	v := s.content.view(name)
	if v == nil {
		return fmt.Errorf("nothing is served under the name %q", name)
	}
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	p := &patient{in: in, lines: wire.NewLines(in, maxMessage), out: out, answered: make(chan struct{}, 1), known: make(chan struct{}), open: map[string]func(){}, server: s}
	p.lines.Room = func() (err error) {
		p.hold, err = s.gate.WaitHold(ctx, principal, before(2*maxMessage))
		return err
	}
	defer p.release()
	session, err := v.sdk.Connect(ctx, &mcp.IOTransport{Reader: p, Writer: patientWriter{p}, MaxLineLength: maxMessage}, nil)
	if err != nil {
		return err
	}
	s.peers.Store(session, peer{principal: principal})
	defer s.peers.Delete(session)
	close(p.known)
	defer context.AfterFunc(ctx, func() { session.Close() })()
	err = session.Wait()
	s.lot.leave(session, errHungUp)
	if ctx.Err() != nil || s.Draining() {
		return nil // ended as intended
	}
	for _, hungUp := range []error{io.EOF, io.ErrClosedPipe, syscall.EPIPE} {
		if errors.Is(err, hungUp) {
			return nil
		}
	}
	return err
}

// lastAnswers is how long answers may still be sent after a client has hung up. A
// script that pipes its requests in waits for all answers; a client that is gone
// should not keep the process alive.
const lastAnswers = 3 * time.Second

// patient delays the end of the input until every request has its answer. The SDK
// cancels requests in flight when the input ends, so requests from a file would be
// answered only by luck.
type patient struct {
	in       io.ReadCloser
	lines    *wire.Lines
	hold     *admission.Hold // of the line being read, if it is large
	line     []byte          // what the SDK has not read of it yet
	err      error           // of the input
	out      io.WriteCloser
	answered chan struct{} // holds a value when no request is pending
	known    chan struct{} // closed when the session has its principal; nothing is read before that
	server   *Server

	writing sync.Mutex // held for one message to out

	mu   sync.Mutex
	open map[string]func() // by request id; called when the request has its answer
}

func (p *patient) Read(b []byte) (int, error) {
	<-p.known
	if len(p.line) == 0 {
		if p.err != nil {
			p.wait()
			return 0, p.err
		}
		p.next()
	}
	n := copy(b, p.line)
	p.line = p.line[n:]
	if n == 0 && p.err != nil {
		return p.Read(b)
	}
	return n, nil
}

// next reads one line. A line that is no message is answered here and skipped: the
// SDK would wait for its end, or hang up.
func (p *patient) next() {
	p.line = nil
	for p.err == nil && p.line == nil {
		var line wire.Line
		line, p.err = p.lines.Next()
		switch {
		case !line.Whole() || len(line.Text) > maxMessage:
			if line.First && len(line.Text) > 0 {
				p.complain(null, errors.New("the message is larger than 4 MiB"))
			}
		case len(bytes.TrimSpace(line.Text)) > 0:
			p.line = p.message(line.Text)
		}
		if p.line == nil {
			p.done()
		}
	}
}

// done frees the memory of a line that yielded no message.
func (p *patient) done() {
	if p.hold != nil {
		p.hold.Free()
		p.hold = nil
	}
}

// message records the pending answers of a line and returns the line for the SDK.
func (p *patient) message(text []byte) []byte {
	body, err := wire.Parse(text)
	if err != nil {
		p.complain(null, fmt.Errorf("a line that is %w", err))
		return nil
	}
	if err := body.Bounded(); err != nil {
		id := null
		if !body.Batch && body.Messages[0].Request() {
			id = body.Messages[0].ID.Raw()
		}
		p.complain(id, err)
		return nil
	}
	var names []string
	hold := p.hold
	inner := body.Inner(func(arguments []byte) string {
		name := p.server.held.keep(arguments, hold)
		names = append(names, name)
		return name
	})
	if hold != nil {
		p.hold = nil
		if err := hold.Resize(charge(cap(text), inner)); err != nil {
			// The charge made for reading has to do: the message is read already, and a
			// client over stdio cannot be told to retry.
			p.server.config.Logger.Debug("message.undercounted", "cause", err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	owed := 1
	over := func() {
		if owed--; owed > 0 {
			return
		}
		p.server.held.drop(names)
		if hold != nil {
			hold.Free()
		}
	}
	for i := range body.Messages {
		if p.asked(&body.Messages[i], over) {
			owed++
		}
	}
	over()
	p.told()
	return append(inner[:len(inner):len(inner)], '\n')
}

// null is the id of an answer to a message without an id.
var null = []byte("null")

// complain answers a line that is not passed to the SDK.
func (p *patient) complain(id []byte, err error) {
	code := int64(wire.InvalidRequest)
	if problem := (*wire.Problem)(nil); errors.As(err, &problem) {
		code = problem.Code
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	// The next answer meets the same error.
	_, _ = fmt.Fprintf(p.out, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", id, code, err.Error())
}

// asked records a message and reports whether it is owed an answer; over is called
// once the answer is sent. mu must be held.
func (p *patient) asked(m *wire.Message, over func()) bool {
	switch {
	case m.Method == "notifications/cancelled":
		p.settle(m.RequestID.Key())
	case m.Method == "subscriptions/listen": // never answered, only ended
	case m.Request():
		key := m.ID.Key()
		p.settle(key) // an id used twice
		sent := func() {}
		if m.Method == "tools/call" {
			sent = p.server.answering()
		}
		p.open[key] = func() { sent(); over() }
		return true
	}
	return false
}

// told signals that no request is pending. mu must be held.
func (p *patient) told() {
	if len(p.open) == 0 {
		select {
		case p.answered <- struct{}{}:
		default:
		}
	}
}

// settle forgets a request. mu must be held.
func (p *patient) settle(id string) {
	if sent, ok := p.open[id]; ok {
		delete(p.open, id)
		sent()
	}
}

// release forgets all requests when the session is over.
func (p *patient) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.open {
		p.settle(id)
	}
}

func (p *patient) wait() {
	enough := time.NewTimer(lastAnswers)
	defer enough.Stop()
	for {
		p.mu.Lock()
		open := len(p.open)
		p.mu.Unlock()
		if open == 0 {
			return
		}
		select {
		case <-p.answered:
		case <-enough.C:
			return
		}
	}
}

func (p *patient) Close() error { return p.in.Close() }

type patientWriter struct{ p *patient }

// Write is called with whole messages.
func (w patientWriter) Write(b []byte) (int, error) {
	out := wire.Outer(b)
	w.p.writing.Lock()
	_, err := w.p.out.Write(out)
	w.p.writing.Unlock()
	w.p.note(out)
	if err != nil {
		return 0, err
	}
	return len(b), nil
}

func (w patientWriter) Close() error { return w.p.out.Close() }

// note settles the requests that a line answers.
func (p *patient) note(line []byte) {
	body, err := wire.Parse(line)
	if err != nil {
		return // cannot happen: the SDK writes messages
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range body.Messages {
		if m := &body.Messages[i]; m.Answer {
			p.settle(m.ID.Key())
		}
	}
	p.told()
}
