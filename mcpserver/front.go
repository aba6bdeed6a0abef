package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/catalog/nesting"
	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// What a message is charged against the memory budget for messages, in bytes.
// TestCharge measures the actual use.
const (
	// perMessage is the part that does not depend on size: goroutines, a stream and a
	// session.
	perMessage = 64 << 10
	// perEnvelope is for each byte that the SDK decodes, which is everything but
	// arguments: it decodes each four to nine times.
	perEnvelope = 24
	// perValue is for each value in the envelope, however short: each time, [] becomes
	// three machine words of a slice, and a part of a map.
	perValue = 512
	// pieceOf is the initial buffer for a body without a length; it is charged again
	// each time it doubles.
	pieceOf = 64 << 10
	// large is the size from which messages are parsed one at a time, with clients
	// taking turns: 64 KiB take at most a millisecond, 4 MiB up to 40.
	large = 64 << 10
)

// charge is the cost of a body of body bytes of which the SDK decodes inner. The
// copies that a call makes of its arguments belong to the call's own bounds.
func charge(body int, inner []byte) int64 {
	return perMessage + int64(body) + perEnvelope*int64(len(inner)) + perValue*int64(nesting.Values(inner))
}

// before is the charge when only the size is known.
func before(body int64) int64 { return perMessage + body + perEnvelope*min(body, wire.MaxEnvelope) }

// errTooLarge means a body of more than maxMessage bytes.
var errTooLarge = errors.New("the request is larger than 4 MiB")

// received is a body that was read; it replaces the one the SDK would read.
type received struct {
	*bytes.Reader // what the SDK reads
	wire.Body

	server *Server
	hold   *admission.Hold
	names  []string // of held arguments
	free   func()
}

func (*received) Close() error { return nil }

// wholeBody reads a request to its end before it is processed, if there is memory
// for it, and then lifts the deadline: from here on the client only waits. The body
// is parsed here, once.
func (s *Server) wholeBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := peerIn(r.Context()).principal
		if r.ContentLength > maxMessage {
			http.Error(w, errTooLarge.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		body := &received{server: s}
		if r.ContentLength != 0 {
			size, err := r.ContentLength, error(nil)
			if size < 0 {
				size = pieceOf
			}
			if body.hold, err = s.gate.Hold(who, before(size)); err != nil {
				s.comeBackLater(w, who, err)
				return
			}
			body.free = sync.OnceFunc(body.hold.Free)
		}
		defer body.release()
		text, err := body.read(w, r)
		refusal := (*admission.Refusal)(nil)
		switch {
		case errors.As(err, &refusal):
			s.comeBackLater(w, who, err)
			return
		case errors.Is(err, errTooLarge):
			http.Error(w, errTooLarge.Error(), http.StatusRequestEntityTooLarge)
			return
		case err != nil:
			http.Error(w, "the request did not arrive as a whole", http.StatusBadRequest)
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		if len(text) >= large {
			leave, err := s.parsing.Enter(r.Context(), who)
			if err != nil {
				return // the client is gone
			}
			body.Body, err = wire.Parse(text)
			leave()
			s.received(w, r, body, text, err, next)
			return
		}
		body.Body, err = wire.Parse(text)
		s.received(w, r, body, text, err, next)
	})
}

// received processes a parsed body.
func (s *Server) received(w http.ResponseWriter, r *http.Request, body *received, text []byte, err error, next http.Handler) {
	if s.elsewhere(w, r, &body.Body, text) {
		return
	}
	who := peerIn(r.Context()).principal
	if err == nil {
		err = body.Bounded()
	}
	if refused := s.admit(who, body); refused != nil {
		s.comeBackLater(w, who, refused)
		return
	}
	if err != nil && (r.Method == http.MethodPost && len(text) > 0) {
		http.Error(w, "malformed payload: "+err.Error(), http.StatusBadRequest)
		return
	}
	inner := text
	if err == nil {
		inner = body.inner()
		if err := body.hold.Resize(charge(len(text), inner)); err != nil {
			s.comeBackLater(w, who, err)
			return
		}
	}
	body.Reader = bytes.NewReader(inner)
	r.Body, r.ContentLength = body, int64(len(inner))
	if body.calls() {
		defer s.answering()()
	}
	if body.Escapes() {
		w = outerWriter{w}
	}
	next.ServeHTTP(w, r)
}

// read reads the body. Without a declared length it is charged as it grows.
func (b *received) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength >= 0 {
		text := make([]byte, r.ContentLength)
		_, err := io.ReadFull(r.Body, text)
		return text, err
	}
	in := http.MaxBytesReader(w, r.Body, maxMessage)
	text := make([]byte, 0, pieceOf)
	for {
		n, err := in.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		tooLarge := (*http.MaxBytesError)(nil)
		switch {
		case err == io.EOF:
			return text, nil
		case errors.As(err, &tooLarge):
			return nil, errTooLarge
		case err != nil:
			return nil, err
		case len(text) < cap(text):
			continue
		}
		grown := min(2*int64(cap(text)), maxMessage+1) // one more than allowed, to detect the end
		if err := b.hold.Resize(before(grown) + int64(cap(text))); err != nil {
			return nil, err
		}
		text = append(make([]byte, 0, grown), text...)
	}
}

// inner is the body that the SDK reads.
func (b *received) inner() []byte {
	return b.Inner(func(arguments []byte) string {
		name := b.server.held.keep(arguments, b.hold)
		b.names = append(b.names, name)
		return name
	})
}

// calls reports whether the body holds a call, whose answer a drain waits for. A
// request for a stream is no call.
func (b *received) calls() bool {
	for i := range b.Messages {
		if b.Messages[i].Method == "tools/call" {
			return true
		}
	}
	return false
}

// release frees what the body holds, except what a running call still uses.
func (b *received) release() {
	if b.free == nil {
		return
	}
	b.server.held.drop(b.names)
	b.free()
}

// keep lets the body outlive its request until release is called.
func (b *received) keep() (release func()) {
	later := &received{server: b.server, names: b.names, free: b.free}
	b.free, b.names = nil, nil
	return later.release
}

// held stores the arguments that are kept from the SDK, under unguessable names.
type held struct {
	mu     sync.Mutex
	byName map[string]heldArguments
}

type heldArguments struct {
	text []byte
	hold *admission.Hold // nil for a small message
}

func (h *held) keep(text []byte, hold *admission.Hold) (name string) {
	name = rand.Text()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.byName == nil {
		h.byName = map[string]heldArguments{}
	}
	h.byName[name] = heldArguments{text, hold}
	return name
}

// take returns the arguments of a call; the caller must call free.
func (h *held) take(name string) (text []byte, free func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a, ok := h.byName[name]
	if !ok {
		return nil, nil, false
	}
	delete(h.byName, name)
	if a.hold == nil {
		return a.text, func() {}, true
	}
	return a.text, a.hold.Share(), true
}

func (h *held) drop(names []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range names {
		delete(h.byName, name)
	}
}

// outerWriter restores the ids of the requests in their answers.
type outerWriter struct{ http.ResponseWriter }

func (w outerWriter) Write(p []byte) (int, error) {
	if n, err := w.ResponseWriter.Write(wire.Outer(p)); err != nil {
		return min(n, len(p)), err
	}
	return len(p), nil
}

func (w outerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// withArguments gives calls the arguments that were kept from the SDK. It finds them
// by the name in the message, not by the context: in the protocol with sessions that
// is the session's.
func (s *Server) withArguments(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if params, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && params != nil {
			if name, ok := wire.Held(params.Arguments); ok {
				arguments, free, ok := s.held.take(name)
				if !ok { // the client has hung up, or made up the name
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the arguments of this call are not there"}
				}
				defer free()
				params.Arguments = arguments
			}
		}
		return next(ctx, method, req)
	}
}
