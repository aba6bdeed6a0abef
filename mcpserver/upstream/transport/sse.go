package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

// SSE is a connection over HTTP+SSE of 2024-11-05: everything arrives on one stream of
// events, and what is sent goes to an address that the stream's first event names.
type SSE struct {
	*inbound
	endpoint // where messages are sent
	gone     chan struct{}
	closing  sync.Once
}

// maxAddress bounds the address in the first event, in bytes.
const maxAddress = 4 << 10

// NewSSE opens the stream at a URL and waits for its first event.
func NewSSE(ctx context.Context, at *url.URL, rt http.RoundTripper, header http.Header, handle Handle, dropped func(Drop)) (*SSE, error) {
	s := &SSE{inbound: newInbound(handle, dropped), endpoint: endpoint{url: at, rt: rt, header: header, draining: make(chan struct{}, maxDraining)}, gone: make(chan struct{})}
	stop := context.AfterFunc(ctx, func() { s.fail(ctx.Err()) })
	in, err := s.open()
	if err != nil || !stop() {
		s.fail(errClosed)
		if in != nil {
			in.resp.Body.Close()
			in.close()
		}
		if ctx.Err() != nil {
			err = &Error{Kind: Stalled, Unsent: true, Err: ctx.Err()}
		}
		return nil, err
	}
	go s.follow(in)
	return s, nil
}

// opened is the stream of a connection.
type opened struct {
	*events
	resp *http.Response
	late *atomic.Bool
}

func (s *SSE) open() (*opened, error) {
	header := s.base("text/event-stream")
	header.Set("Cache-Control", "no-store")
	resp, err := s.send(s.life, http.MethodGet, header, nil)
	if err != nil {
		return nil, err
	}
	kind, err := mediaType(resp)
	switch {
	case resp.StatusCode != http.StatusOK:
		err = statusError(resp)
	case err == nil && kind != "text/event-stream":
		err = malformed("%.100q is no stream of events", kind)
	}
	if err != nil {
		resp.Body.Close()
		return nil, err
	}
	var late atomic.Bool
	in := &opened{newEvents(resp.Body, func() { late.Store(true); resp.Body.Close() }), resp, &late}
	first, err := in.next()
	if err != nil {
		return in, malformed("no first event: %w", err)
	}
	if first.name != "endpoint" || len(first.data) > maxAddress {
		return in, malformed("the first event is %.100q with %d bytes, not the address for messages", first.name, len(first.data))
	}
	to, err := s.url.Parse(string(first.data))
	if err != nil || to.Scheme != s.url.Scheme || to.Host != s.url.Host || to.User != nil {
		return in, malformed("the address for messages is none of the server's origin")
	}
	s.url = to
	return in, nil
}

func (s *SSE) follow(in *opened) {
	defer close(s.gone)
	defer in.close()
	defer in.resp.Body.Close()
	for {
		now, err := in.next()
		if err == nil && now.name != "message" {
			err = s.pace(len(now.data))
		} else if err == nil && len(now.data) > 0 {
			err = s.arrived(now.data)
		}
		switch {
		case err == nil:
		case in.late.Load():
			s.fail(&Error{Kind: Stalled, Err: errSlow})
			return
		default:
			if errors.Is(err, errTooLarge) {
				s.dropped(TooLarge)
			}
			s.fail(fmt.Errorf("the stream of events ended: %w", err))
			return
		}
	}
}

func (s *SSE) post(ctx context.Context, m *Message) error {
	request, cancel := context.WithCancel(s.life)
	stop := context.AfterFunc(ctx, cancel)
	header := s.base("*/*")
	header.Set("Content-Type", "application/json")
	resp, err := s.send(request, http.MethodPost, header, m.Body)
	stop() // ending the request now would take its connection along
	if err != nil {
		cancel()
		return err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer cancel()
		defer resp.Body.Close()
		e := statusError(resp)
		if resp.StatusCode == http.StatusNotFound {
			e.Kind = SessionGone
		}
		return e
	}
	s.drain(resp.Body, cancel)
	return nil
}

// Do implements [Conn].
func (s *SSE) Do(ctx context.Context, m *Message) (*wire.Message, error) {
	answer := s.expect(m.ID)
	defer s.forget(m.ID)
	if err := s.post(ctx, m); err != nil {
		return nil, s.because(ctx, err)
	}
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.done:
		select {
		case a := <-answer:
			return a, nil
		default:
		}
		return nil, &Error{Kind: Closed, Err: s.Err()}
	}
}

// Send implements [Conn].
func (s *SSE) Send(ctx context.Context, m *Message) error { return s.post(ctx, m) }

// Listen does nothing: the stream is open.
func (s *SSE) Listen(string) {}

// Abandoning implements [Conn].
func (s *SSE) Abandoning(string) bool { return false }

// Close implements [Conn].
func (s *SSE) Close(ctx context.Context) {
	s.closing.Do(func() {
		s.fail(errClosed)
		<-s.gone
		s.emptied()
	})
}
