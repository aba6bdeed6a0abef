package replay

import (
	"context"
	"errors"
	"sync"
	"time"
)

// The bounds of named calls, running or over, in number; their answers have the bounds of a
// store, in bytes. One costs some 600 bytes beside its answer.
const (
	maxCalls = 1000   // of one owner
	maxNames = 10_000 // of all
)

// Why a name does not lead to an answer.
var (
	ErrOther   = errors.New("a call with another tool or other arguments has this name: give each call a name of its own")
	ErrDropped = errors.New("the call with this name has run, and its result is not kept any more: it was too large, or others came after it")
	ErrMany    = errors.New("too many named calls: a name is kept for a minute after its call, so wait, or call without a name")
)

// errAway ends a call that nobody came back for.
var errAway = errors.New("the client hung up and did not come back")

// Calls are calls to which their clients gave a name, in the protocol without sessions. A
// client whose connection broke repeats the call under the name, and waits for the one that
// runs or gets its answer. It is safe for concurrent use.
type Calls struct {
	store *Store
	keep  time.Duration

	mu     sync.Mutex
	byName map[Name]*call
	owners map[string]int // number of calls
}

// Name is what the client calls its call. The same name of another owner is another one.
type Name struct{ Owner, Text string }

type call struct {
	same   [32]byte
	cancel context.CancelCauseFunc
	done   chan struct{}

	// Guarded by the mu of Calls.
	waiting int
	text    []byte // for those who waited at the end
	err     error
	kept    *Stream   // nil until the end
	until   time.Time // when it is forgotten, unless somebody waits
	timer   *time.Timer
}

// NewCalls returns no calls. One is kept, or goes on, for keep without anybody who waits
// for it. Answers are kept in the store.
func NewCalls(store *Store, keep time.Duration) *Calls {
	return &Calls{store: store, keep: keep, byName: map[Name]*call{}, owners: map[string]int{}}
}

// Do returns the answer of the call with a name. The first to come makes it with run,
// which goes on when ctx ends; everybody else has to want the same.
func (c *Calls) Do(ctx context.Context, name Name, same [32]byte, run func(context.Context) ([]byte, error)) ([]byte, error) {
	of, err := c.enter(ctx, name, same, run)
	if err != nil {
		return nil, err
	}
	defer c.leave(name, of)
	select {
	case <-of.done:
		c.mu.Lock()
		defer c.mu.Unlock()
		if of.err != nil || of.text != nil {
			return of.text, of.err
		}
		return of.kept.only()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// enter finds a call or begins it, and waits for it.
func (c *Calls) enter(ctx context.Context, name Name, same [32]byte, run func(context.Context) ([]byte, error)) (*call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := c.byName[name]
	switch {
	case of != nil && of.same != same:
		return nil, ErrOther
	case of != nil:
		of.waiting++
		return of, nil
	case c.owners[name.Owner] >= maxCalls || len(c.byName) >= maxNames:
		return nil, ErrMany
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	of = &call{same: same, cancel: cancel, done: make(chan struct{}), waiting: 1}
	c.byName[name] = of
	c.owners[name.Owner]++
	go func() {
		defer cancel(nil)
		text, err := run(ctx)
		c.end(name, of, text, err)
	}()
	return of, nil
}

// end keeps the answer of a call.
func (c *Calls) end(name Name, of *call, text []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(of.done)
	of.err = err
	if c.byName[name] != of {
		return // nobody came back
	}
	// The id of a session has no space in it.
	of.kept = c.store.Begin("calls of " + name.Owner)
	if err == nil {
		of.kept.Append(text)
	}
	of.kept.End()
	if of.waiting > 0 {
		of.text = text
		return
	}
	c.rest(name, of)
}

// leave is the end of somebody's wait.
func (c *Calls) leave(name Name, of *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of.waiting--; of.waiting == 0 {
		of.text = nil
		c.rest(name, of)
	}
}

// rest has a call forgotten later. mu must be held.
func (c *Calls) rest(name Name, of *call) {
	of.until = time.Now().Add(c.keep)
	if of.timer != nil {
		of.timer.Reset(c.keep)
		return
	}
	of.timer = time.AfterFunc(c.keep, func() { c.forget(name, of) })
}

// forget ends a call that nobody came back for, or drops its answer.
func (c *Calls) forget(name Name, of *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of.waiting > 0 || time.Now().Before(of.until) || c.byName[name] != of {
		return // somebody came back
	}
	delete(c.byName, name)
	if c.owners[name.Owner]--; c.owners[name.Owner] == 0 {
		delete(c.owners, name.Owner)
	}
	of.cancel(errAway)
	if of.kept != nil {
		of.kept.forget()
	}
}

// only returns the one event of a stream.
func (t *Stream) only() ([]byte, error) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if !t.store.kept(t) || len(t.data) != 1 {
		return nil, ErrDropped
	}
	return t.data[0], nil
}

// forget drops what is left of a stream.
func (t *Stream) forget() {
	s := t.store
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.sessions[t.session]
	if of == nil {
		return
	}
	for e := of.oldest.Front(); e != nil; {
		next := e.Next()
		if i := e.Value.(*item); i.of == t {
			s.drop(i)
		}
		e = next
	}
}
