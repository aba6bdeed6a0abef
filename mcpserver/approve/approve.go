// Package approve keeps the questions that people are asked about calls, and
// makes sure that a yes counts once and for the very call it was given to.
//
//	Call      what a yes is bound to
//	Desk      the questions; Ask opens one, Answer takes a client's answer, Use spends a yes
//	Entry     a question as an operator sees it: Desk.List, Show and Resolve
//	Settings  how long everything lasts
//
// A question is answered by the client that made the call, by an operator, or by
// nobody. When a client answers, the state of the question travels through it,
// and it is not trusted: the state is sealed, and worth nothing without the open
// question at the desk. The package knows nothing of MCP, nor how a person is
// asked.
package approve

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"time"

	"github.com/glovebox-run/glovebox/risk"
)

// Call is what an approval is bound to. Approvals for calls that differ in any
// field are different approvals.
type Call struct {
	Principal string             // who calls, as authentication has it
	Tool      risk.ToolHash      // this version of the tool
	Arguments risk.ArgumentsHash // these bytes
	Policy    string             // the policy under which the question came up
}

// digest is a keyed hash of all fields: it is stored, and arguments can be
// guessed. The lengths keep neighbouring texts apart.
func (c Call) digest(key []byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, field := range [][]byte{[]byte(c.Principal), c.Tool[:], c.Arguments[:], []byte(c.Policy)} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(field))))
		h.Write(field)
	}
	return h.Sum(nil)
}

// Reasons for which no question is opened, or an answer does not count.
var (
	ErrTooMany   = errors.New("too many questions are open")
	ErrForged    = errors.New("the state of the question was not made here")
	ErrExpired   = errors.New("the question has expired")
	ErrOtherCall = errors.New("the question was about another call")
	ErrSpent     = errors.New("the question was answered before")
	ErrDenied    = errors.New("an operator said no")
	ErrNoSuch    = errors.New("there is no such question")
)

// Settings are how long everything lasts. The zero value means the defaults.
type Settings struct {
	// Answer is how long a person has whom the client asks; default 2 minutes,
	// which is longer than it takes to read a question and shorter than most
	// clients wait for a call.
	Answer time.Duration
	// Wait is how long a call of a client that cannot ask waits for an operator;
	// default 120 s.
	Wait time.Duration
	// Inbox is how long such a question can still be answered; default 15 minutes.
	Inbox time.Duration
	// Grant is how long an operator's yes can be used; default 15 minutes.
	Grant time.Duration
}

// WithDefaults returns the settings with every field set.
func (s Settings) WithDefaults() Settings {
	for _, d := range []struct {
		set   *time.Duration
		value time.Duration
	}{{&s.Answer, 2 * time.Minute}, {&s.Wait, 120 * time.Second}, {&s.Inbox, 15 * time.Minute}, {&s.Grant, 15 * time.Minute}} {
		if *d.set <= 0 {
			*d.set = d.value
		}
	}
	return s
}

const (
	// maxOpen bounds the open questions of one principal: nobody reads more than a
	// few before saying yes to all.
	maxOpen = 8
	// maxClosed bounds the others that are kept to look at.
	maxClosed = 16
	// maxText bounds a question in bytes; its parts have bounds of their own.
	maxText = 16_000
)

// Question is a call that needs a yes, as a person is to see it.
type Question struct {
	Call
	Source    string // of the tool
	Tool      string // its name
	Level     risk.Level
	Arguments []byte // JSON; cleaned of secrets by whoever asks
	Text      string // likewise
	// Valid is how long it can be answered.
	Valid time.Duration
}

// Ask opens a question, or joins the one about the same call that is open: a
// person has to see it once, and a yes counts once. state is what a client has to
// bring back with the answer. The error is ErrTooMany, or ErrDenied when an
// operator has said no to the same question, which e then is, and it has not expired
// since.
func (d *Desk) Ask(ctx context.Context, q Question) (e Entry, state string, err error) {
	digest := q.Call.digest(d.keys.digest)
	err = d.change(ctx, q.Principal, func(t *tray, now time.Time) error {
		e = Entry{}
		expires := now.Add(q.Valid)
		if o := t.about(digest); o != nil {
			if o.refused(now) {
				e = o.Entry
				return ErrDenied
			}
			if o.State == Open {
				if expires.After(o.Expires) {
					o.Expires = expires
				}
				e = o.Entry
				return nil
			}
		}
		if t.open() >= maxOpen {
			return ErrTooMany
		}
		e = Entry{
			ID: rand.Text()[:idLength], State: Open, Asked: now, Expires: expires, Principal: q.Principal, Source: q.Source, Tool: q.Tool,
			ToolHash: hex.EncodeToString(q.Call.Tool[:]), Level: q.Level, Policy: q.Policy, Arguments: q.Arguments, Question: shortened(q.Text, maxText),
			History: []Event{{Time: now, State: Open}},
		}
		t.add(question{Entry: e, Digest: digest})
		// Before anybody can see the question. Without its place it is found as well, only
		// slower.
		_, _ = d.places.Create(ctx, e.ID, []byte(d.keys.tray(q.Principal)))
		return nil
	})
	if err != nil {
		return e, "", err
	}
	return e, d.keys.sealed(seal{id: e.ID, digest: digest, expires: e.Expires}), nil
}

// Answer takes the answer of a client to a question: Approved, or what else came
// of it. nil means that the answer was the first, or agrees with an operator's yes.
// A yes still has to be spent with Use; everything else closes the question.
// Otherwise the error is ErrForged, ErrExpired, ErrOtherCall, ErrDenied or
// ErrSpent, possibly wrapped.
func (d *Desk) Answer(ctx context.Context, state string, c Call, answer State) (Entry, error) {
	s, err := d.keys.unsealed(state)
	if err != nil {
		return Entry{}, err
	}
	// Compared before the question is closed: one who overheard a state must not be
	// able to close it.
	if !bytes.Equal(s.digest, c.digest(d.keys.digest)) {
		return Entry{}, ErrOtherCall
	}
	var e Entry
	err = d.change(ctx, c.Principal, func(t *tray, now time.Time) error {
		q := t.find(s.id)
		if q != nil { // the record names the question whatever came of it
			defer func() { e = q.Entry }()
		}
		switch {
		case !now.Before(s.expires):
			return ErrExpired
		case q == nil:
			return ErrSpent
		case q.State == Denied && q.Inbox:
			return ErrDenied
		case q.State == Approved && answer == Approved:
			return errUnchanged // somebody said yes before, and it was not spent yet
		case q.State != Open && q.State != Approved:
			return ErrSpent
		}
		// After a yes a no still counts: nothing has run.
		q.become(answer, now, byClient, "")
		return nil
	})
	return e, err
}

// Granted returns the question about the call that was answered with a yes which
// was not spent yet, if there is one.
func (d *Desk) Granted(ctx context.Context, c Call) (e Entry, granted bool, err error) {
	digest := c.digest(d.keys.digest)
	err = d.change(ctx, c.Principal, func(t *tray, _ time.Time) error {
		granted = false
		if q := t.about(digest); q != nil && q.State == Approved {
			e, granted = q.Entry, true
		}
		return errUnchanged
	})
	return e, granted, err
}

// Use spends the yes to a question about the call, if there is one that was not
// spent yet.
func (d *Desk) Use(ctx context.Context, c Call) (e Entry, granted bool, err error) {
	digest := c.digest(d.keys.digest)
	err = d.change(ctx, c.Principal, func(t *tray, now time.Time) error {
		granted = false
		q := t.about(digest)
		if q == nil || q.State != Approved {
			return errUnchanged
		}
		q.become(Used, now, "", "")
		e, granted = q.Entry, true
		return nil
	})
	return e, granted, err
}
