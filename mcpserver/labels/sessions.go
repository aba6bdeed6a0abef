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
	head, revision, err := o.sessions.keeper.Head(ctx, o.key)
	if err != nil {
		return err
	}
	now := o.sessions.now()
	rested := revision > 0 && now.Sub(head.Used) > IdleTime && len(head.Killed) == 0
	if o.read && revision == o.revision && !rested {
		return nil
	}
	if rested {
		head = Head{Round: head.Round + 1}
	}
	if head.Began.IsZero() {
		head.Began = now
	}
	head.Principal = principal
	o.Session, o.kept, o.revision, o.read = live.Session{}, head, revision, false
	if !rested && revision > 0 {
		texts, err := o.sessions.keeper.Texts(ctx, o.key, head.Round)
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

// save keeps texts that the session is about to meet, and whatever else changed. The
// texts come first: a head that says that there is something never lies. The error is
// [live.ErrNoLeave] if a leave that is to be spent is gone.
func (o *open) save(ctx context.Context, texts []live.Text, l leaves) error {
	if err := l.on(&o.Session); err != nil {
		return err
	}
	for i := range texts {
		texts[i].Read()
	}
	switch err := o.sessions.keeper.Add(ctx, o.key, o.kept.Round, texts); {
	case errors.Is(err, errFull):
		o.Taint(live.Label{}, true)
	case err != nil:
		o.read = false
		return err
	}
	for _, t := range texts {
		o.Meet(t)
	}
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
func (s *Sessions) Reset(ctx context.Context, principal string) error {
	return s.with(ctx, principal, func(o *open) error {
		o.Session = live.Session{}
		o.kept = Head{Principal: principal, Began: s.now(), Round: o.kept.Round + 1}
		return o.save(ctx, nil, leaves{})
	})
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
