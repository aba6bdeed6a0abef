package labels

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/risk/live"
)

// maxOpen is how many sessions are held in memory at once; with 2 MB each that is 128 MB
// at most. Others are read again from their keeper.
const maxOpen = 64

// Sessions are the sessions of all principals.
type Sessions struct {
	keeper Keeper
	now    func() time.Time

	mu   sync.Mutex
	held map[string]*open
}

// NewSessions returns the sessions that a keeper has.
func NewSessions(keeper Keeper, now func() time.Time) *Sessions {
	return &Sessions{keeper: keeper, now: now, held: map[string]*open{}}
}

// open is a session in memory.
type open struct {
	live.Session

	sessions *Sessions
	key      string
	mu       sync.Mutex // held while the session is in use
	kept     Head
	revision uint64
	read     bool // the session is what the keeper had at that revision
	used     time.Time
}

// with calls f with a principal's session as it is now, and nobody else's f meanwhile.
func (s *Sessions) with(ctx context.Context, principal string, f func(*open) error) error {
	o := s.hold(principal)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.sync(ctx, principal); err != nil {
		return err
	}
	return f(o)
}

// as calls f with a principal's session as it was when this process used it last, if that is
// recent: what f saves counts only if nobody else has changed it since. It saves a look at
// the keeper, and is for what follows from a call that was judged a moment ago.
func (s *Sessions) as(ctx context.Context, principal string, f func(*open) error) error {
	o := s.hold(principal)
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.read || o.rested(o.kept, o.revision) {
		if err := o.sync(ctx, principal); err != nil {
			return err
		}
	}
	return f(o)
}

// hold finds a session in memory, or makes room for it.
func (s *Sessions) hold(principal string) *open {
	key := keyOf(principal)
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.held[key]
	if o == nil {
		for len(s.held) >= maxOpen {
			oldest := ""
			for k, other := range s.held {
				if oldest == "" || other.used.Before(s.held[oldest].used) {
					oldest = k
				}
			}
			// Whoever still holds it works on a copy that the keeper's revision guards.
			delete(s.held, oldest)
		}
		o = &open{sessions: s, key: key}
		s.held[key] = o
	}
	o.used = s.now()
	return o
}

// sync reads the session again if somebody else changed it.
func (o *open) sync(ctx context.Context, principal string) error {
	if o.read && o.revision > 0 && !o.rested(o.kept, o.revision) && o.sessions.keeper.Unchanged(ctx, o.key, o.revision) {
		return nil
	}
	head, revision, err := o.sessions.keeper.Head(ctx, o.key)
	if err != nil {
		return err
	}
	rested := o.rested(head, revision)
	if o.read && revision == o.revision && !rested {
		return nil
	}
	if rested {
		head = Head{Round: head.Round + 1}
	}
	if head.Began.IsZero() {
		head.Began = o.sessions.now()
	}
	head.Principal = principal
	o.Session, o.kept, o.revision, o.read = live.Session{}, head, revision, false
	if !rested && revision > 0 {
		texts, err := o.texts(ctx, &head)
		if err != nil {
			return err
		}
		for _, t := range texts {
			o.Meet(t)
		}
		o.Taint(live.Label{}, len(texts) < head.Texts) // some ended with their time
	}
	o.Adopt(head.Head)
	o.read = true
	return nil
}

// rested reports whether a session ended because nobody used it.
func (o *open) rested(h Head, revision uint64) bool {
	return revision > 0 && o.sessions.now().Sub(h.Used) > IdleTime && len(h.Killed) == 0
}

// arriving is how long texts may take that a head already counts, and arrivals how often is
// looked for them: whoever saves them writes both at the same time.
const arriving, arrivals = 10 * time.Millisecond, 4

// texts returns the texts that a head counts, as far as they are still there.
func (o *open) texts(ctx context.Context, h *Head) (texts []live.Text, err error) {
	for n := range arrivals {
		texts, err = o.sessions.keeper.Texts(ctx, o.key, h.Round)
		if err != nil || len(texts) >= h.Texts || h.Forgot {
			break
		}
		select {
		case <-time.After(arriving << n):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return texts, err
}

// tries is how often a change is made again after somebody else was first.
const tries = 8

// leaves is what becomes of leaves with a change of a session. It is made again after
// somebody else was first, since theirs are the leaves that count.
type leaves struct {
	give  *live.Leave
	spend string // id
	end   func(*live.Session)
}

func (l leaves) on(s *live.Session) error {
	if l.give != nil {
		s.Allow(*l.give)
	}
	if l.end != nil {
		l.end(s)
	}
	if l.spend != "" {
		return s.Spend(l.spend)
	}
	return nil
}

// save keeps texts that the session is about to meet, and whatever else changed. Texts and
// head are on their way at the same time: a head that counts a text that is not there makes
// the session one that is not remembered as a whole. The error is [live.ErrNoLeave] if a
// leave that is to be spent is gone.
func (o *open) save(ctx context.Context, texts []live.Text, l leaves) error {
	if err := l.on(&o.Session); err != nil {
		return err
	}
	for i := range texts {
		texts[i].Read()
	}
	adding := make(chan error, 1)
	if len(texts) > 0 {
		round := o.kept.Round
		go func() { adding <- o.sessions.keeper.Add(ctx, o.key, round, texts) }()
	} else {
		adding <- nil
	}
	for _, t := range texts {
		o.Meet(t)
	}
	err := o.put(ctx, texts, l)
	added := <-adding
	if err != nil {
		return err
	}
	switch {
	case errors.Is(added, errFull):
		o.Taint(live.Label{}, true)
		return o.put(ctx, nil, leaves{})
	case added != nil:
		o.read = false
	}
	return added
}

// put keeps the head, which counts more texts.
func (o *open) put(ctx context.Context, texts []live.Text, l leaves) error {
	for range tries {
		head := o.kept
		head.Head, head.Used, head.Texts = o.Head(), o.sessions.now(), head.Texts+len(texts)
		revision, err := o.sessions.keeper.Put(ctx, o.key, head, o.revision)
		if err == nil {
			o.kept, o.revision = head, revision
			return nil
		}
		o.read = false // until the next sync
		if !errors.Is(err, errConflict) {
			return err
		}
		theirs, revision, err := o.sessions.keeper.Head(ctx, o.key)
		if err != nil {
			return err
		}
		reset := theirs.Round != o.kept.Round
		if reset { // only this result counts
			err := o.sessions.keeper.Add(ctx, o.key, theirs.Round, texts)
			if err != nil && !errors.Is(err, errFull) {
				return err
			}
			o.Session = live.Session{}
			o.Taint(live.Label{}, err != nil)
			for _, t := range texts {
				o.Meet(t)
			}
		}
		principal := o.kept.Principal
		o.Adopt(theirs.Head)
		o.kept, o.revision = theirs, revision
		o.kept.Principal = principal
		if reset {
			l.give = nil // what a person said was about the session that ended
		}
		if err := l.on(&o.Session); err != nil {
			return err
		}
	}
	return errConflict
}

// List returns the sessions, the one used last first.
func (s *Sessions) List(ctx context.Context) ([]Head, error) { return s.keeper.List(ctx) }

// Reset ends a principal's session: the next call begins a new one, and a kill is
// released. What was written to other places keeps its labels.
func (s *Sessions) Reset(ctx context.Context, principal string) (err error) {
	for range tries {
		err = s.with(ctx, principal, func(o *open) error { return o.reset(ctx, principal) })
		if !errors.Is(err, errConflict) {
			return err
		}
		// What somebody else wrote meanwhile is of the session that is to end.
	}
	return err
}

func (o *open) reset(ctx context.Context, principal string) error {
	now := o.sessions.now()
	head := Head{Principal: principal, Began: now, Used: now, Round: o.kept.Round + 1}
	o.read = false // until it is known whether it is kept
	revision, err := o.sessions.keeper.Put(ctx, o.key, head, o.revision)
	if err == nil {
		o.Session, o.kept, o.revision, o.read = live.Session{}, head, revision, true
	}
	return err
}

// Revoke takes back a leave of a principal's session, or all of them for an empty id, and
// returns how many there were.
func (s *Sessions) Revoke(ctx context.Context, principal, id string) (ended int, err error) {
	err = s.with(ctx, principal, func(o *open) error {
		return o.save(ctx, nil, leaves{end: func(now *live.Session) { ended = now.Revoke(id) }})
	})
	return ended, err
}

// Known reports whether anything is kept of a principal.
func (s *Sessions) Known(ctx context.Context, principal string) (bool, error) {
	_, revision, err := s.keeper.Head(ctx, keyOf(principal))
	return revision > 0, err
}

// Met adds what a host says that its principal saw without the gateway. It can only make
// a session worse.
func (s *Sessions) Met(ctx context.Context, principal string, t live.Text) error {
	return s.with(ctx, principal, func(o *open) error {
		list, whole := pieces(t)
		o.Taint(t.Label, !whole)
		return o.save(ctx, list, leaves{})
	})
}
