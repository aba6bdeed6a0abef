// Package approve keeps the questions that people are asked about calls, and
// ensures that a yes counts once and only for the call it was given to.
//
//	Call      what a yes is bound to
//	Desk      the questions; Ask opens one, Answer takes a client's answer, Use spends a yes
//	Entry     a question as an operator sees it: Desk.List, Show and Resolve
//	Rule      a yes to calls that are still to come, until a time: Desk.Rules, RevokeRule
//	Settings  all time limits
//
// A question is answered by the client that made the call, by an operator, or by
// nobody. A client that answers carries the state of the question but is not
// trusted: the state is sealed, and worthless without the open question at the
// desk. The package does not depend on MCP or on how a person is asked.
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
	Principal string             // the authenticated caller
	Tool      risk.ToolHash      // this version of the tool
	Arguments risk.ArgumentsHash // these bytes
	Policy    string             // the policy under which the question came up
}

// digest returns a hash of all fields. It is keyed because it is stored and
// arguments can be guessed. The lengths keep neighbouring texts apart.
func (c Call) digest(key []byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, field := range [][]byte{[]byte(c.Principal), c.Tool[:], c.Arguments[:], []byte(c.Policy)} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(field))))
		h.Write(field)
	}
	return h.Sum(nil)
}

// Reasons why no question is opened or an answer does not count.
var (
	ErrTooMany    = errors.New("too many questions are open")
	ErrForged     = errors.New("the state of the question was not made here")
	ErrExpired    = errors.New("the question has expired")
	ErrOtherCall  = errors.New("the question was about another call")
	ErrSpent      = errors.New("the question was answered before")
	ErrDenied     = errors.New("an operator said no")
	ErrNoSuch     = errors.New("there is no such question")
	ErrNoRest     = errors.New("the question is about one call alone")
	ErrSamePerson = errors.New("the yes of another person is needed")
)

// Settings holds the time limits. The zero value means the defaults.
type Settings struct {
	// Answer is how long a person asked by the client has to answer; default 2
	// minutes, which is longer than it takes to read a question and shorter than
	// most clients wait for a call.
	Answer time.Duration
	// Wait is how long a call of a client that cannot ask waits for an operator;
	// default 120 s.
	Wait time.Duration
	// Inbox is how long an operator can answer such a question; default 15 minutes.
	Inbox time.Duration
	// Grant is how long an operator's yes can be used; default 15 minutes.
	Grant time.Duration
	// People is how many operators have to say yes to a call of a tool of level L5; with at
	// most 1 one is enough, and the client may answer.
	People int
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
	// maxOpen bounds the open questions of one principal: after the first few people
	// say yes without reading.
	maxOpen = 8
	// maxClosed bounds the closed questions kept for display.
	maxClosed = 16
	// maxText bounds a question in bytes; its parts have their own bounds.
	maxText = 16_000
)

// Question is a call that needs a yes, as shown to a person.
type Question struct {
	Call
	Client    string // what the caller's program calls itself
	Source    string // of the tool
	Tool      string // its name
	Level     risk.Level
	Arguments []byte // JSON; the caller has removed secrets
	Text      string // likewise
	// Rest says what a yes may be for beside the call; empty for nothing.
	Rest string
	// People is how many operators have to say yes; at most 1 means one, and that the
	// client may answer too.
	People int
	// Valid is how long it can be answered.
	Valid time.Duration
}

// Ask opens a question, or joins the open one about the same call: a person sees it
// once, and a yes counts once. The client must return state with the answer. The
// error is ErrTooMany, or ErrDenied while an operator's no to the same question has
// not expired; e is then that question. If the last question about the call has a yes that
// nobody has used, which came since the caller looked for one, e is that question, Approved:
// a new one would hide it, and the person would be asked twice.
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
			if o.State == Approved {
				e = o.Entry
				return errUnchanged
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
			ID: rand.Text()[:idLength], State: Open, Asked: now, Expires: expires, Principal: q.Principal, Client: q.Client, Source: q.Source, Tool: q.Tool,
			ToolHash: hex.EncodeToString(q.Call.Tool[:]), Level: q.Level, Policy: q.Policy, Arguments: q.Arguments, Question: shortened(q.Text, maxText), Rest: shortened(q.Rest, maxText), Need: q.People,
			History: []Event{{Time: now, State: Open}},
		}
		t.add(question{Entry: e, Digest: digest})
		// Stored before the question is visible. Without its place the question is still
		// found, only more slowly.
		_, _ = d.places.Create(ctx, e.ID, placeOf(d.keys.tray(q.Principal)))
		return nil
	})
	if err != nil {
		return e, "", err
	}
	return e, d.keys.sealed(seal{id: e.ID, digest: digest, expires: e.Expires}), nil
}

// Answer takes a client's answer to a question: Approved or another closing state.
// rest makes a yes one for what the question offers beside the call; it is ignored if
// that is nothing. A nil error means that the answer was the first, replaces a yes that was not
// spent, or agrees with it. A yes still has to be spent with Use; any other answer
// closes the question. The error is ErrForged, ErrExpired, ErrOtherCall, ErrDenied
// or ErrSpent, possibly wrapped.
func (d *Desk) Answer(ctx context.Context, state string, c Call, answer State, rest bool) (Entry, error) {
	s, err := d.keys.unsealed(state)
	if err != nil {
		return Entry{}, err
	}
	// Compared before the question is closed: a client that overheard a state must not
	// be able to close the question.
	if !bytes.Equal(s.digest, c.digest(d.keys.digest)) {
		return Entry{}, ErrOtherCall
	}
	var e Entry
	err = d.change(ctx, c.Principal, func(t *tray, now time.Time) error {
		q := t.find(s.id)
		if q != nil { // the record names the question whatever the outcome
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
			return errUnchanged // already approved, and not spent yet
		case q.State != Open && q.State != Approved:
			return ErrSpent
		case q.Need > 1 && answer == Approved:
			return ErrSamePerson // the client is nobody in particular
		}
		// After a yes a no still counts: nothing has run.
		q.ForRest = answer == Approved && rest && q.Rest != ""
		q.become(answer, now, byClient, "")
		return nil
	})
	return e, err
}

// Granted returns the question about the call that has an unspent yes, or the rule that
// covers it, if there is one. That may be over by now, which Use finds out; that there is
// none is certain.
func (d *Desk) Granted(ctx context.Context, c Call) (e Entry, granted bool, err error) {
	digest := c.digest(d.keys.digest)
	err = d.change(ctx, c.Principal, func(t *tray, now time.Time) error {
		granted = false
		if q := t.about(digest); q != nil && q.State == Approved {
			e, granted = q.Entry, true
		} else if r := t.covering(c, digest, now); r != nil {
			e, granted = r.granting(), true
		}
		if granted {
			return errEnough
		}
		return errUnchanged
	})
	return e, granted, err
}

// Use spends the yes to a question about the call, if there is an unspent one, or else
// uses the rule that covers it.
func (d *Desk) Use(ctx context.Context, c Call) (e Entry, granted bool, err error) {
	digest := c.digest(d.keys.digest)
	err = d.change(ctx, c.Principal, func(t *tray, now time.Time) error {
		granted = false
		q := t.about(digest)
		if q == nil || q.State != Approved {
			r := t.covering(c, digest, now)
			if r == nil {
				return errUnchanged
			}
			r.Used++
			r.LastUsed = now
			e, granted = r.granting(), true
			return nil
		}
		q.become(Used, now, "", "")
		e, granted = q.Entry, true
		return nil
	})
	return e, granted, err
}
