package mcpserver

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A session that nobody uses sleeps: its part in the SDK, with a goroutine of the SDK's
// and one of ours, is given up, and what it takes to make it anew is kept. The next
// request with its id wakes it. A session does not sleep while it has a stream, a call, or
// asked to be told of something, since the SDK is who tells.

// times are after how much idleness something happens to a session.
type times struct{ sleep, end time.Duration }

// sleepAfter is the default time before a session sleeps. Clients that work send a request
// every few seconds. It is long beside the 10 ms that the SDK waits before it announces a
// change.
const sleepAfter = 30 * time.Second

// rest lets the session sleep after a while, if nobody uses it. mu must be held.
func (s *seat) rest() {
	if s.uses == 0 && s.answers == 0 && !s.ended && s.live != nil {
		s.told = s.view.changed.now()
		stop(s.tired)
		s.tired = time.AfterFunc(s.times.sleep, s.sleep)
	}
}

// sleep gives up the session's part in the SDK.
func (s *seat) sleep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.live
	if l == nil || s.ended || s.uses > 0 || s.answers > 0 || !s.initialized.Load() || s.logs.Load() || s.watches.Load() {
		return
	}
	if s.told != s.view.changed.now() {
		s.rest() // the SDK may not have announced it yet
		return
	}
	s.state.InitializeParams = l.session.InitializeParams()
	s.live = nil
	s.tired = nil
	go l.session.Close() // nothing is under way in it
}

// wake gives the session a part in the SDK again. mu must be held.
func (s *seat) wake() error {
	v := s.view
	l := &live{transport: v.transport(s.id)}
	state := s.state
	state.InitializedParams = &mcp.InitializedParams{}
	var err error
	if l.session, err = v.sdk.Connect(context.Background(), l.transport, &mcp.ServerSessionOptions{State: &state}); err != nil {
		return err // does not happen: the transport is new, and the store of events takes all
	}
	s.live = l
	s.state.InitializeParams = nil
	s.watch(l)
	// What the client would have found on its stream, once each.
	now := v.changed.now()
	for i, method := range listMethods {
		if now[i] != s.told[i] {
			_ = v.kept.Append(context.Background(), s.id, "", []byte(`{"jsonrpc":"2.0","method":"`+method+`","params":{}}`)) // nil, always
		}
	}
	s.told = now
	return nil
}

// The lists of a view that change, and what clients are told then.
const (
	toolList = iota
	promptList
	resourceList
)

var listMethods = [...]string{toolList: "notifications/tools/list_changed", promptList: "notifications/prompts/list_changed", resourceList: "notifications/resources/list_changed"}

// changes count how often each list of a view has changed.
type changes [len(listMethods)]uint64

// changing counts changes.
type changing [len(listMethods)]atomic.Uint64

func (c *changing) now() (all changes) {
	for i := range c {
		all[i] = c[i].Load()
	}
	return all
}

// keptEvents keeps the events of sessions for longer than the SDK has the sessions.
type keptEvents struct{ mcp.EventStore }

// SessionClosed implements [mcp.EventStore]: seats say when their sessions end.
func (keptEvents) SessionClosed(context.Context, string) error { return nil }

// asleep reports whether the session has no part in the SDK.
func (s *seat) asleep() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live == nil
}
