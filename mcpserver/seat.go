package mcpserver

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// seats are the sessions over HTTP, by id.
type seats struct {
	mu   sync.Mutex
	byID map[string]*seat
}

// seat is one session over HTTP: its slot, and the calls that are answered without the
// SDK.
type seat struct {
	*admission.Session
	session     *mcp.ServerSession
	initialized atomic.Bool
	logs        atomic.Bool     // the client asked for log messages
	ctx         context.Context // ends with the session
	idleFor     time.Duration   // after which the session ends

	mu      sync.Mutex
	posts   int                                // requests in progress
	idle    *time.Timer                        // nil before the first rest
	running map[string]context.CancelCauseFunc // by the key of the request's id
}

// take keeps the slot of a session until the session ends. The session is in use by the
// request that opened it, until that calls rest.
func (t *seats) take(slot *opening, session *mcp.ServerSession) {
	ctx, end := context.WithCancelCause(context.Background())
	s := &seat{Session: slot.Session, session: session, ctx: ctx, idleFor: slot.idleFor, posts: 1, running: map[string]context.CancelCauseFunc{}}
	t.mu.Lock()
	if t.byID == nil {
		t.byID = map[string]*seat{}
	}
	t.byID[session.ID()] = s
	t.mu.Unlock()
	slot.opened.Store(s)
	go func() {
		session.Wait() // why it ended does not matter
		t.mu.Lock()
		delete(t.byID, session.ID())
		t.mu.Unlock()
		end(errSessionEnded)
		s.mu.Lock()
		s.stop()
		s.mu.Unlock()
		slot.Close()
	}()
}

// get returns the seat of a session, or nil.
func (t *seats) get(id string) *seat {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// Why a call ends before its answer.
var (
	errSessionEnded = errors.New("the session has ended")
	errCancelled    = errors.New("the client cancelled the request")
)

// active keeps the session from ending for idleness until done is called.
func (s *seat) active() (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posts++
	s.stop()
	return s.rest
}

// rest ends one use of the session.
func (s *seat) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.posts--; s.posts == 0 && s.ctx.Err() == nil {
		s.idle = time.AfterFunc(s.idleFor, func() { s.session.Close() })
	}
}

// stop stops the timer. mu must be held.
func (s *seat) stop() {
	if s.idle != nil {
		s.idle.Stop()
	}
}

// call returns the context of a call, which ends with its session and when the client
// cancels the request with this key. end must be called.
func (s *seat) call(ctx context.Context, key string) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	unlink := context.AfterFunc(s.ctx, func() { cancel(errSessionEnded) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[key] = cancel
	return ctx, func() {
		unlink()
		cancel(nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, key)
	}
}

// cancel cancels the call that a notification names, if it is one of these.
func (s *seat) cancel(m *wire.Message) bool {
	if m.Method != "notifications/cancelled" || m.Request() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	cancel := s.running[m.RequestID.Key()]
	if cancel != nil {
		cancel(errCancelled)
	}
	return cancel != nil
}
