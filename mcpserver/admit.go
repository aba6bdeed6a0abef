package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"

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
	s.config.Logger.Warn("a client was told to come back later", "principal", who, "cause", err)
	if refusal := (*admission.Refusal)(nil); errors.As(err, &refusal) {
		w.Header().Set("Retry-After", strconv.Itoa(refusal.Seconds()))
		s.config.Telemetry.TurnedAway(string(refusal.Reason))
	}
	http.Error(w, err.Error(), http.StatusTooManyRequests)
}

// seats maps the ids of HTTP sessions to their admission slots.
type seats struct {
	mu   sync.Mutex
	byID map[string]*admission.Session
}

func (t *seats) set(id string, seat *admission.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = map[string]*admission.Session{}
	}
	t.byID[id] = seat
}

func (t *seats) get(id string) *admission.Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

func (t *seats) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byID, id)
}

type seatKey struct{}

// withPlaceForSession takes a slot for a request that may open a session, and marks
// the session of any other request as in use.
func (s *Server) withPlaceForSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := peerIn(r.Context()).principal
		if id := r.Header.Get("Mcp-Session-Id"); id != "" {
			if seat := s.seats.get(id); seat != nil && seat.Principal() == who {
				defer seat.Use()()
			}
		} else if r.Method == http.MethodPost {
			seat, done, err := s.gate.Open(who)
			if err != nil {
				s.comeBackLater(w, who, err)
				return
			}
			defer done()
			// The SDK passes the values of this context to the session.
			r = r.WithContext(context.WithValue(r.Context(), seatKey{}, seat))
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
func (s *Server) seated(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if err != nil || method != "initialize" {
			return result, err
		}
		seat, _ := ctx.Value(seatKey{}).(*admission.Session)
		session, _ := req.GetSession().(*mcp.ServerSession)
		if seat == nil || session == nil || s.seats.get(session.ID()) != nil {
			return result, err
		}
		if !seat.Keep(func() { session.Close() }) {
			go session.Close() // its client has disconnected meanwhile; Close waits for this request
			return result, err
		}
		s.seats.set(session.ID(), seat)
		go func() {
			session.Wait() // why it ended does not matter
			s.seats.remove(session.ID())
			seat.Close()
		}()
		return result, err
	}
}
