package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/runtime/admission"
)

// Over HTTP a client that exceeds its limits gets status 429 before its request is
// processed. Stdio has no status, so there the call gets an error answer.

// admit counts the messages of a request, and refuses a call when the queue is
// already full.
func (s *Server) admit(who string, body *received) error {
	if err := s.gate.Take(who, max(1, len(body.Messages))); err != nil {
		return err
	}
	if body.calls() {
		return s.gate.Crowded(who)
	}
	return nil
}

func (s *Server) comeBackLater(w http.ResponseWriter, who string, err error) {
	s.config.Logger.Warn("request.deferred", "principal", who, "cause", err)
	if refusal := (*admission.Refusal)(nil); errors.As(err, &refusal) {
		w.Header().Set("Retry-After", strconv.Itoa(refusal.Seconds()))
		s.config.Telemetry.TurnedAway(string(refusal.Reason))
	}
	http.Error(w, err.Error(), http.StatusTooManyRequests)
}

// seatKey is of an *opening, and liveKey of the *live of the session that a request is for.
type seatKey struct{}
type liveKey struct{}

// opening is the slot for a session that a request may open.
type opening struct {
	*admission.Session
	times     times
	transport *mcp.StreamableServerTransport
	opened    atomic.Pointer[seat]
}

// withPlaceForSession takes a slot for a request that may open a session, and marks
// the session of any other request as in use.
func (v *view) withPlaceForSession(after times, next http.Handler) http.Handler {
	s := v.Server
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := peerIn(r.Context()).principal
		if id := r.Header.Get("Mcp-Session-Id"); id != "" {
			if seat := v.seats.get(id); seat != nil && seat.Principal() == who && r.Method != http.MethodDelete {
				defer seat.Use()()
				if l := seat.enter(r.Method == http.MethodPost); l != nil {
					defer seat.leave(r.Method == http.MethodPost)
					r = r.WithContext(context.WithValue(r.Context(), liveKey{}, l))
				}
			}
		} else if r.Method == http.MethodPost {
			seat, done, err := s.gate.Open(who)
			if err != nil {
				s.comeBackLater(w, who, err)
				return
			}
			defer done()
			o := &opening{Session: seat, times: after}
			r = r.WithContext(context.WithValue(r.Context(), seatKey{}, o))
			w = whole{w} // the client must not know the session's id before the session has its seat
			defer func() {
				if s := o.opened.Load(); s != nil {
					s.leave(true)
				}
			}()
		}
		next.ServeHTTP(w, r)
	})
}

// withPlaceForStream takes a slot for a request of the newer protocol that opens a
// stream.
func (s *Server) withPlaceForStream(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isStream(r) {
			who := peerIn(r.Context()).principal
			_, done, err := s.gate.Open(who)
			if err != nil {
				s.comeBackLater(w, who, err)
				return
			}
			defer done()
		}
		next.ServeHTTP(w, r)
	})
}

// seated keeps a session's slot from its initialization to its end.
func (v *view) seated(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		session, _ := req.GetSession().(*mcp.ServerSession)
		if session != nil {
			if seat := v.seats.get(session.ID()); seat != nil {
				defer seat.answering()()
			}
		}
		result, err := next(ctx, method, req)
		if err != nil || session == nil {
			return result, err
		}
		if seat := v.seats.get(session.ID()); seat != nil {
			switch method {
			case "notifications/initialized":
				seat.initialized.Store(true)
			case "logging/setLevel":
				seat.logs.Store(true)
			case "resources/subscribe":
				seat.watches.Store(true)
			}
		}
		if method != "initialize" {
			return result, err
		}
		slot, _ := ctx.Value(seatKey{}).(*opening)
		if slot == nil || v.seats.get(session.ID()) != nil {
			return result, err
		}
		seat := v.take(slot, session, result)
		if !slot.Keep(seat.close) {
			go seat.close() // its client has disconnected meanwhile; close waits for this request
		}
		return result, err
	}
}

// whole sends an answer when it is complete.
type whole struct{ http.ResponseWriter }

// Flush implements [http.Flusher].
func (whole) Flush() {}

// FlushError is called by [http.ResponseController].
func (whole) FlushError() error { return nil }

func (w whole) Unwrap() http.ResponseWriter { return w.ResponseWriter }
