package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
)

// ServeStdio serves one client over a pair of streams, one message a line, until
// the client hangs up or ctx ends. Both protocol eras share the streams: each
// message says which it speaks. The principal is who calls, as the record and
// approvals have it; no two clients may share one.
func (s *Server) ServeStdio(ctx context.Context, principal string, in io.ReadCloser, out io.WriteCloser) error {
	p := &patient{in: in, lines: bufio.NewReaderSize(in, 64<<10), out: out, answered: make(chan struct{}, 1), known: make(chan struct{}), open: map[string]func(){}, answering: s.answering}
	defer p.release()
	session, err := s.sdk.Connect(ctx, &mcp.IOTransport{Reader: p, Writer: patientWriter{p}, MaxLineLength: maxMessage}, nil)
	if err != nil {
		return err
	}
	s.peers.Store(session, peer{principal: principal})
	defer s.peers.Delete(session)
	close(p.known)
	defer context.AfterFunc(ctx, func() { session.Close() })()
	err = session.Wait()
	if ctx.Err() != nil || s.Draining() {
		return nil // as was wanted
	}
	for _, hungUp := range []error{io.EOF, io.ErrClosedPipe, syscall.EPIPE} {
		if errors.Is(err, hungUp) {
			return nil
		}
	}
	return err
}

// lastAnswers is how long a client that has hung up may still be answered: a
// script that pipes its requests in waits for as long as it takes, a client that
// is gone should not keep a process alive.
const lastAnswers = 3 * time.Second

// patient holds the end of the input back until every request has its answer.
// The SDK cancels what is under way when the input ends, so requests from a file
// would be answered only by luck.
type patient struct {
	in       io.ReadCloser
	lines    *bufio.Reader
	line     []byte // what is left of the line that is being read
	err      error  // of the input, once there is one
	out      io.WriteCloser
	answered chan struct{} // holds one when no request is open
	known    chan struct{} // closed when the session has its principal; nothing is read before
	// answering is Server.answering: a drain waits for the answers of calls, which
	// the SDK drops when the session ends between the two.
	answering func() (sent func())

	writing sync.Mutex // held for one message to out

	mu   sync.Mutex
	open map[string]func() // by the ids of requests; to be called when one has its answer
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

// next reads one line. What is no message at all is answered here, and passed
// over: the SDK would wait for its end, or hang up.
func (p *patient) next() {
	p.line = nil
	for p.err == nil {
		var tooLong bool
		p.line, tooLong, p.err = p.readLine()
		switch {
		case tooLong:
			p.complain(jsonrpc.CodeInvalidRequest, "the message is larger than 4 MiB")
		case len(bytes.TrimSpace(p.line)) == 0:
		case !json.Valid(p.line): // which bounds the depth; gjson would follow it
			p.complain(jsonrpc.CodeParseError, "a line that is no JSON")
		case !isMessage(gjson.ParseBytes(p.line)):
			p.complain(jsonrpc.CodeInvalidRequest, "a line that is no JSON-RPC 2.0 message")
		default:
			p.note(p.line, p.asked)
			return
		}
		p.line = nil
	}
}

// isMessage reports whether a line is what the SDK would not hang up on: a message or,
// in old versions, an array of them.
func isMessage(line gjson.Result) bool {
	if line.IsArray() {
		all := line.Array()
		return len(all) > 0 && !slices.ContainsFunc(all, func(m gjson.Result) bool { return m.IsArray() || !isMessage(m) })
	}
	return line.IsObject() && line.Get("jsonrpc").Str == "2.0"
}

// readLine reads to the end of a line. Of one that is longer than a message may be
// only the beginning is kept.
func (p *patient) readLine() (line []byte, tooLong bool, err error) {
	for {
		piece, err := p.lines.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(piece) > maxMessage; !tooLong {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// complain answers what has no id to answer to.
func (p *patient) complain(code int64, message string) {
	p.writing.Lock()
	defer p.writing.Unlock()
	// An error is met again by the next answer.
	_, _ = fmt.Fprintf(p.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, message)
}

// asked notes a request that is owed an answer.
func (p *patient) asked(m gjson.Result) {
	id := m.Get("id")
	switch method := m.Get("method").Str; {
	case method == "notifications/cancelled":
		p.settle(idText(m.Get("params.requestId")))
	case method == "subscriptions/listen": // is never answered, only ended
	case method != "" && id.Type != gjson.Null: // else a notification
		p.settle(idText(id)) // one that is used twice
		sent := func() {}
		if method == "tools/call" {
			sent = p.answering()
		}
		p.open[idText(id)] = sent
	}
}

// idText is the same for all spellings of an id that are one to the SDK, which
// answers with its own.
func idText(id gjson.Result) string {
	if id.Type == gjson.String {
		return strconv.Quote(id.Str)
	}
	return strconv.FormatInt(int64(id.Num), 10)
}

// note shows each message of a line, which is one message or, in old versions, an
// array of them.
func (p *patient) note(line []byte, seen func(gjson.Result)) {
	if len(line) == 0 || !json.Valid(line) {
		return
	}
	messages := gjson.ParseBytes(line)
	p.mu.Lock()
	defer p.mu.Unlock()
	if messages.IsObject() {
		seen(messages)
	} else {
		for _, m := range messages.Array() {
			seen(m)
		}
	}
	if len(p.open) == 0 {
		select {
		case p.answered <- struct{}{}:
		default:
		}
	}
}

// settle forgets a request, with mu held.
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

// Write gets whole messages.
func (w patientWriter) Write(b []byte) (int, error) {
	w.p.writing.Lock()
	n, err := w.p.out.Write(b)
	w.p.writing.Unlock()
	w.p.note(b, func(m gjson.Result) {
		if !m.Get("method").Exists() {
			w.p.settle(idText(m.Get("id")))
		}
	})
	return n, err
}

func (w patientWriter) Close() error { return w.p.out.Close() }
