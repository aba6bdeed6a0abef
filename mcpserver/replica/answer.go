package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// opened takes requests of other members, for a handler.
func (m *Member) opened(by *atomic.Pointer[http.Handler]) func(string, []byte, func([]byte)) {
	return func(_ string, message []byte, reply func([]byte)) { reply(packed(m.take(message, by.Load()), nil)) }
}

// take begins to answer a request.
func (m *Member) take(message []byte, handler *http.Handler) taken {
	var o opening
	body, err := unpack(message, &o)
	switch {
	case err != nil || !strings.HasPrefix(o.Exchange, exchangePrefix) || len(body) > o.Length:
		return taken{Refused: "the server that has this session does not understand the one that passes the request on; are they of one version?"}
	case handler == nil:
		return taken{Refused: "the server that has this session is not ready"}
	}
	target, err := url.ParseRequestURI(o.URI)
	if err != nil {
		return taken{Refused: "the address of the request cannot be read"}
	}
	end, ok := m.begin()
	if !ok {
		return taken{Refused: "the server that has this session has too much to do"}
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(m.working, passedKey{}, true))
	a := &answer{member: m, subject: o.Exchange, cancel: cancel, header: http.Header{}}
	r := &http.Request{
		Method: o.Method, URL: target, RequestURI: o.URI, Host: o.Host, Header: o.Header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(o.Length),
		Body: io.NopCloser(io.MultiReader(bytes.NewReader(bytes.Clone(body)), &rest{a, len(body), o.Length})),
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	go func() {
		defer end()
		defer cancel(nil)
		a.serve(*handler, r.WithContext(ctx))
	}()
	return taken{}
}

type passedKey struct{}

// Passed reports whether another member passed a request on. It must not be passed on
// again: members that disagree would send it in circles.
func Passed(r *http.Request) bool { return r.Context().Value(passedKey{}) != nil }

// answer is the writer of the answer to another member's request.
type answer struct {
	member  *Member
	subject string
	cancel  context.CancelCauseFunc

	mu     sync.Mutex
	header http.Header
	head   *head // written, and not yet sent
	sent   bool  // the head is sent
	buffer []byte
	failed error // nothing more can be sent
	last   time.Time
}

var (
	errHungUp = errors.New("the client hung up")
	errCut    = errors.New("the server that the client is connected to is gone")
)

// serve runs a handler and sends what it writes.
func (a *answer) serve(handler http.Handler, r *http.Request) {
	ended := make(chan struct{})
	var signs sync.WaitGroup
	signs.Go(func() { a.signs(ended) })
	cut := a.handle(handler, r)
	close(ended)
	signs.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.head == nil && !a.sent {
		a.writeHead(http.StatusOK)
	}
	a.send(piece{End: true, Cut: cut})
}

// handle runs a handler and returns why its answer breaks off, if it does.
func (a *answer) handle(handler http.Handler, r *http.Request) (cut string) {
	defer func() {
		if v := recover(); v != nil {
			if v != http.ErrAbortHandler {
				a.member.log.Error("replica.panic", "cause", fmt.Sprintf("%v\n%s", v, debug.Stack()))
			}
			cut = "the answer broke off"
		}
	}()
	handler.ServeHTTP(a, r)
	return ""
}

// signs tells the other member now and then that the answer takes its time, and learns in
// this way that the client hung up.
func (a *answer) signs(ended chan struct{}) {
	every := time.NewTicker(Silence / 3)
	defer every.Stop()
	for {
		select {
		case <-ended:
			return
		case <-every.C:
		}
		a.mu.Lock()
		if time.Since(a.last) >= Silence/3 {
			a.send(piece{})
		}
		a.mu.Unlock()
	}
}

// Header implements [http.ResponseWriter].
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.writeHead(status)
}

func (a *answer) writeHead(status int) {
	if a.head == nil && !a.sent {
		a.head = &head{status, a.header.Clone()}
	}
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.writeHead(http.StatusOK)
	for n := 0; n < len(p); {
		part := p[n:min(len(p), n+pieceSize-len(a.buffer))]
		a.buffer = append(a.buffer, part...)
		n += len(part)
		if len(a.buffer) == pieceSize {
			a.send(piece{})
		}
		if a.failed != nil {
			return n, a.failed
		}
	}
	return len(p), a.failed
}

// FlushError is called by [http.ResponseController].
func (a *answer) FlushError() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.writeHead(http.StatusOK)
	a.send(piece{})
	return a.failed
}

// Flush implements [http.Flusher].
func (a *answer) Flush() { _ = a.FlushError() }

// send sends what is buffered. mu must be held.
func (a *answer) send(p piece) {
	if a.failed != nil {
		return
	}
	p.Head = a.head
	_, a.failed = a.ask(p, a.buffer)
	if p.Head != nil {
		a.head, a.sent = nil, true
	}
	a.buffer = a.buffer[:0]
	a.last = time.Now()
	if a.failed != nil {
		a.cancel(a.failed)
	}
}

// slowest is how long a client may take to read a piece before the request is given up:
// longer than the 30 s after which its connection ends.
const slowest = 40 * time.Second

// ask sends a message to the member where the client is, and returns the bytes that come
// back. A message is answered when the client has read what came with it.
func (a *answer) ask(p piece, data []byte) ([]byte, error) {
	reading, cancel := context.WithTimeout(context.Background(), slowest)
	defer cancel()
	text, err := a.member.insist(reading, a.subject, packed(p, data))
	if err != nil {
		return nil, errCut
	}
	var h heard
	back, err := unpack(text, &h)
	if err != nil {
		return nil, errCut
	}
	if h.Gone {
		return nil, errHungUp
	}
	return back, nil
}

// rest reads what did not fit into the opening message.
type rest struct {
	answer *answer
	at     int
	length int
}

func (r *rest) Read(p []byte) (int, error) {
	if r.at == r.length {
		return 0, io.EOF
	}
	data, err := r.answer.ask(piece{Body: &span{r.at, min(r.length, r.at+min(len(p), pieceSize))}}, nil)
	if err != nil || len(data) == 0 || len(data) > len(p) {
		return 0, errCut
	}
	r.at += len(data)
	return copy(p, data), nil
}
