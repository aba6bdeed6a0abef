package mcpserver

import (
	"context"
	"errors"
	"maps"
	"slices"
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

// seat is one session over HTTP: its slot, the calls that are answered without the SDK,
// and what is left of it while it sleeps; see sleep.go.
type seat struct {
	*admission.Session
	id          string
	view        *view
	initialized atomic.Bool
	logs        atomic.Bool     // the client asked for log messages
	watches     atomic.Bool     // the client subscribed to a resource
	ctx         context.Context // ends with the session
	end         context.CancelCauseFunc
	times       times

	mu      sync.Mutex
	live    *live // nil while the session sleeps
	state   mcp.ServerSessionState
	told    changes                            // which changes of lists were announced while it was awake
	ended   bool                               // no request may use it any more
	uses    int                                // requests over HTTP in progress, streams included
	posts   int                                // those of them that are POSTs
	answers int                                // requests that the SDK answers, which outlive a client that hangs up
	idle    *time.Timer                        // ends the session; nil before the first rest
	tired   *time.Timer                        // lets the session sleep
	running map[string]context.CancelCauseFunc // by the key of the request's id
}

// live is what a session is made of in the SDK: the larger part of its memory, and its
// goroutines.
type live struct {
	session   *mcp.ServerSession
	transport *mcp.StreamableServerTransport
}

// take keeps the slot of a session until the session ends. The session is in use by the
// request that opened it, until that calls leave. result is that of its initialization.
func (v *view) take(slot *opening, session *mcp.ServerSession, result mcp.Result) *seat {
	ctx, end := context.WithCancelCause(context.Background())
	s := &seat{
		Session: slot.Session, id: session.ID(), view: v, ctx: ctx, end: end, times: slot.times, uses: 1, posts: 1,
		live: &live{session, slot.transport}, running: map[string]context.CancelCauseFunc{},
	}
	if initialized, ok := result.(*mcp.InitializeResult); ok {
		s.state.NegotiatedProtocolVersion = initialized.ProtocolVersion
	}
	t := &v.seats
	t.mu.Lock()
	if t.byID == nil {
		t.byID = map[string]*seat{}
	}
	t.byID[s.id] = s
	t.mu.Unlock()
	slot.opened.Store(s)
	s.watch(s.live)
	return s
}

// watch ends the session if the SDK ends it, as it does when an answer cannot be written.
func (s *seat) watch(l *live) {
	go func() {
		l.session.Wait() // why it ended does not matter
		s.mu.Lock()
		awake := s.live == l
		s.mu.Unlock()
		if awake {
			s.close()
		}
	}()
}

// get returns the seat of a session, or nil.
func (t *seats) get(id string) *seat {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// all returns the seats.
func (t *seats) all() []*seat {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.byID))
}

// Why a call ends before its answer.
var (
	errSessionEnded = errors.New("the session has ended")
	errCancelled    = errors.New("the client cancelled the request")
)

// close ends the session, after what the SDK still answers.
func (s *seat) close() {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		<-s.ctx.Done()
		return
	}
	s.ended = true
	stop(s.idle)
	stop(s.tired)
	l := s.live
	s.mu.Unlock()
	if l != nil {
		l.session.Close() // why it cannot end more properly does not matter
	}
	t := &s.view.seats
	t.mu.Lock()
	delete(t.byID, s.id)
	t.mu.Unlock()
	_ = s.view.kept.SessionClosed(s.ctx, s.id) // nil, always
	s.Close()
	s.end(errSessionEnded)
}

func stop(t *time.Timer) {
	if t != nil {
		t.Stop()
	}
}

// enter keeps the session awake, and with a POST from ending for idleness, until leave is
// called. It returns nil if the session has ended.
func (s *seat) enter(post bool) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.live == nil && s.wake() != nil {
		return nil
	}
	s.uses++
	if post {
		s.posts++
		stop(s.idle)
	}
	return s.live
}

// leave ends one use of the session.
func (s *seat) leave(post bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses--
	if post {
		if s.posts--; s.posts == 0 && !s.ended {
			s.idle = time.AfterFunc(s.times.end, s.close)
		}
	}
	s.rest()
}

// answering counts a request that the SDK hands on, until answered is called.
func (s *seat) answering() (answered func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.answers--
		s.rest()
	}
}

// session returns the SDK's session. The caller must have entered.
func (s *seat) session() *mcp.ServerSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live.session
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
