package transport

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/internal/paramheader"
	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

const (
	// leaveTime bounds telling a server that the session is over.
	leaveTime = 5 * time.Second
	// maxRedirects is how often one request may be sent elsewhere on the same origin: a
	// missing slash and one more.
	maxRedirects = 3
	// maxSessionID bounds the id of a session in bytes; it is sent with every request.
	maxSessionID = 1 << 10
	// maxRetryAfter is the longest wait that a server may ask for.
	maxRetryAfter = time.Hour
	// drainTime and maxDraining bound the wait for the end of a body whose message has
	// been read: only a body that was read to its end leaves a connection for the next
	// request.
	drainTime   = time.Second
	maxDraining = 32
)

// HTTP is a connection over streamable HTTP. It serves both eras: the version of a
// message says which headers it has.
type HTTP struct {
	*inbound
	endpoint
	session   atomic.Pointer[string]
	version   atomic.Pointer[string] // that was agreed on
	streams   sync.WaitGroup         // those that nobody waits for
	listening sync.Once
	closing   sync.Once
}

// NewHTTP speaks to a URL through rt, with header in every request. It makes no
// connection.
func NewHTTP(to *url.URL, rt http.RoundTripper, header http.Header, handle Handle, dropped func(Drop)) *HTTP {
	return &HTTP{inbound: newInbound(handle, dropped), endpoint: endpoint{url: to, rt: rt, header: header, draining: make(chan struct{}, maxDraining)}}
}

// headers of a request with a message.
func (h *HTTP) headers(m *Message, accept string) http.Header {
	header := h.base(accept)
	if m.Version != "" {
		header.Set("Mcp-Protocol-Version", m.Version)
	}
	if id := h.session.Load(); id != nil {
		header.Set("Mcp-Session-Id", *id)
	}
	if m.Version >= Modern && m.Method != "" {
		header.Set("Mcp-Method", m.Method)
		if m.Name != "" {
			header.Set("Mcp-Name", paramheader.Value(m.Name))
		}
		maps.Copy(header, m.Header)
	}
	return header
}

func (h *HTTP) post(ctx context.Context, m *Message) (*http.Response, error) {
	header := h.headers(m, "application/json, text/event-stream")
	header.Set("Content-Type", "application/json")
	return h.send(ctx, http.MethodPost, header, m.Body)
}

// Do implements [Conn].
func (h *HTTP) Do(ctx context.Context, m *Message) (*wire.Message, error) {
	request, cancel := context.WithCancel(h.life)
	stop := context.AfterFunc(ctx, cancel)
	answer, rest, err := h.do(request, m)
	stop() // ending the request now would take its connection along
	if rest != nil {
		h.drain(rest, cancel)
	} else {
		cancel()
	}
	if err != nil {
		return nil, h.because(ctx, err)
	}
	return answer, nil
}

// do returns the answer, and the body if there may be more of it.
func (h *HTTP) do(ctx context.Context, m *Message) (answer *wire.Message, rest io.ReadCloser, err error) {
	resp, err := h.post(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		answer, err = h.refused(resp, m.ID)
		return answer, nil, err
	}
	err = h.opened(resp, m)
	var kind string
	if err == nil {
		kind, err = mediaType(resp)
	}
	if err == nil && kind == "text/event-stream" {
		return h.stream(ctx, resp, m)
	}
	defer resp.Body.Close()
	if err != nil {
		return nil, nil, err
	}
	answer, err = h.document(resp, kind, m.ID)
	return answer, nil, err
}

// opened keeps the session that an answer to initialize begins.
func (h *HTTP) opened(resp *http.Response, m *Message) error {
	id := resp.Header.Get("Mcp-Session-Id")
	if m.Method != "initialize" || id == "" {
		return nil
	}
	if len(id) > maxSessionID || strings.ContainsFunc(id, func(r rune) bool { return r < '!' || r > '~' }) {
		return malformed("the id of the session is no visible ASCII of at most %d bytes", maxSessionID)
	}
	h.session.Store(&id)
	return nil
}

// document reads an answer that is one JSON document.
func (h *HTTP) document(resp *http.Response, kind string, id int64) (*wire.Message, error) {
	if kind != "application/json" {
		return nil, malformed("the answer is %.100q, neither JSON nor a stream of events: %s", kind, explanation(resp))
	}
	text, err := readAll(resp)
	if err != nil {
		return nil, err
	}
	answer, err := h.read(text)
	switch {
	case err != nil:
		return nil, err
	case answer == nil:
		return nil, malformed("the answer is no JSON-RPC message")
	}
	if got, ok := idOf(answer); !answer.Answer || !ok || got != id {
		h.dropped(UnknownID)
		return nil, malformed("the answer is to another request")
	}
	return answer, nil
}

// refused turns a status into an error, or into the JSON-RPC error that came with it.
func (h *HTTP) refused(resp *http.Response, id int64) (*wire.Message, error) {
	e := statusError(resp)
	resp.Body.Close()
	switch has := h.session.Load() != nil; {
	case e.Kind == Unauthorized:
	// Servers written after the examples of the reference implementation answer a session
	// they do not know with 400 and words about it.
	case has && (resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusBadRequest && strings.Contains(strings.ToLower(e.Text), "session")):
		e.Kind = SessionGone
	default:
		if body, err := wire.Parse([]byte(e.Text)); err == nil && !body.Batch && body.Messages[0].Error != nil {
			if got, ok := idOf(&body.Messages[0]); ok && got == id {
				return &body.Messages[0], nil
			}
		}
	}
	return nil, e
}

// Send implements [Conn].
func (h *HTTP) Send(ctx context.Context, m *Message) error {
	request, cancel := context.WithCancel(h.life)
	stop := context.AfterFunc(ctx, cancel)
	resp, err := h.post(request, m)
	stop()
	switch {
	case err != nil:
		cancel()
		return h.because(ctx, err)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		defer cancel()
		_, err := h.refused(resp, 0)
		return err
	}
	h.drain(resp.Body, cancel)
	return nil
}

// Abandoning implements [Conn].
func (h *HTTP) Abandoning(version string) bool { return version >= Modern }

// Close implements [Conn]. It tells the server that the session is over.
func (h *HTTP) Close(ctx context.Context) {
	h.closing.Do(func() {
		h.fail(errClosed)
		// net/http may give the connection of a request that is being cancelled to the next
		// one, which then fails with the cause of the first.
		h.streams.Wait()
		h.leave(ctx)
		h.emptied()
	})
}

func (h *HTTP) leave(ctx context.Context) {
	version := h.version.Load()
	if version == nil || h.session.Load() == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	if resp, err := h.send(ctx, http.MethodDelete, h.headers(&Message{Version: *version}, "application/json"), nil); err == nil {
		resp.Body.Close()
	}
}
