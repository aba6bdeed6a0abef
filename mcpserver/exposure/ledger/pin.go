package ledger

import (
	"errors"
	"fmt"
	"time"

	"github.com/glovebox-run/glovebox/risk/fingerprint"
)

// State is what a pin says about the tool as its server sends it now.
type State string

const (
	New     State = "new"     // never accepted by anybody
	Active  State = "active"  // accepted
	Changed State = "changed" // not what was accepted
	Revoked State = "revoked"
	NoRoom  State = "no-room" // the server has MaxPins others, so this one is not pinned
)

// Pin is the entry of one tool of one server.
type Pin struct {
	fingerprint.Record
	// Reference is the reference's fingerprint of what was seen last.
	Reference fingerprint.Fingerprint `json:"reference"`
	// Cleared is the definition that a person accepted although the scanner says that it
	// reads like an attack; empty if none.
	Cleared string `json:"cleared,omitempty"`
	// History is what was decided, oldest first, the last maxHistory.
	History []Step `json:"history,omitempty"`
}

// Step is one thing that happened to a pin.
type Step struct {
	Time time.Time `json:"time"`
	By   string    `json:"by,omitempty"` // a person; empty for what happened by itself
	What What      `json:"what"`
	Hash string    `json:"hash"` // of the definition that it is about
}

// What is the kind of a [Step].
type What string

const (
	Sighted  What = "seen"     // for the first time
	Trusted  What = "trusted"  // at first sight, by policy
	Drifted  What = "changed"  // the server sent another definition
	Passed   What = "passed"   // a cosmetic change, by policy
	Approved What = "approved" // by a person
	Withdrew What = "revoked"  // by a person
)

// maxHistory bounds the steps kept of one pin. The record of the server keeps all.
const maxHistory = 4

// State returns what the pin says about the definition seen last.
func (p *Pin) State() State {
	switch {
	case p == nil:
		return New
	case p.Status == fingerprint.Revoked:
		return Revoked
	case p.Status == fingerprint.Active:
		return Active
	case p.Accepted == fingerprint.Fingerprint{}:
		return New
	}
	return Changed
}

// Covers reports whether the pin accepts exactly this definition. Nothing else makes a
// tool one that may be offered.
func (p *Pin) Covers(seen fingerprint.Fingerprint) bool {
	return p != nil && p.Exposed() && p.Seen == seen && seen.Hash != ""
}

// Sighting is one definition that a server sends.
type Sighting struct {
	Tool           string
	Raw            []byte
	Ours           fingerprint.Fingerprint
	Reference      fingerprint.Fingerprint
	ReadsLikeOrder bool // the scanner acts on it, so no policy trusts it
}

// Policy is what passes without a person.
type Policy struct {
	TrustFirst   bool
	PassCosmetic bool
}

// first is the pin of a tool that was never seen.
func first(server string, s Sighting, p Policy, now time.Time) *Pin {
	pin := &Pin{Reference: s.Reference, Record: fingerprint.Record{
		Server: server, Tool: s.Tool, Seen: s.Ours, Status: fingerprint.AwaitingRereview, FirstSeen: now,
	}}
	pin.step(now, "", Sighted)
	if p.TrustFirst && !s.ReadsLikeOrder {
		pin.Accepted, pin.Status = pin.Seen, fingerprint.Active
		pin.step(now, "", Trusted)
	}
	return pin
}

// see takes in what a server sends now. cosmetic reports whether it differs from what
// was accepted by its looks only.
func (p *Pin) see(s Sighting, policy Policy, cosmetic func(accepted string) bool, now time.Time) fingerprint.Outcome {
	was := p.Status
	after, outcome := p.Record.Check(p.Server, p.Tool, s.Ours, now)
	p.Record, p.Reference = after, s.Reference
	if outcome != fingerprint.Mismatch {
		return outcome
	}
	p.step(now, "", Drifted)
	// Compared is with what a person saw, not with the version before: many small
	// changes must not add up to a large one. And a tool that waits for a review waits
	// on: one that goes back to what it was is not the one that was reviewed.
	if was == fingerprint.Active && policy.PassCosmetic && !s.ReadsLikeOrder && cosmetic(p.Accepted.Hash) {
		p.Status = fingerprint.Active
		p.step(now, "", Passed)
	}
	return outcome
}

// Reasons why a decision is refused. Those of package fingerprint are the others.
var (
	ErrUnknown  = errors.New("the ledger has no such tool; glovebox pin list shows what it has")
	ErrNothing  = errors.New("it is accepted already as it is")
	ErrNotShown = errors.New("the definition has no fingerprint")
)

// approve accepts the definition that a person was shown, by its fingerprint.
func (p *Pin) approve(shown string, despite bool, by string, now time.Time) error {
	switch {
	case shown == "":
		return ErrNotShown
	case p.Status == fingerprint.Revoked:
		return fingerprint.ErrRevoked
	case p.Seen.Hash != shown:
		return fmt.Errorf("%w: shown was %.12s, now it is %.12s", fingerprint.ErrChangedAgain, shown, p.Seen.Hash)
	case p.Status == fingerprint.Active && p.Accepted == p.Seen && !(despite && p.Cleared != shown):
		return ErrNothing
	}
	p.Accepted, p.Status, p.CuratedAt = p.Seen, fingerprint.Active, now
	if despite {
		p.Cleared = shown
	}
	p.step(now, by, Approved)
	return nil
}

func (p *Pin) revoke(reason, by string, now time.Time) error {
	if p.Status == fingerprint.Revoked {
		return fingerprint.ErrRevoked
	}
	p.Status, p.Reason = fingerprint.Revoked, reason
	p.step(now, by, Withdrew)
	return nil
}

func (p *Pin) step(now time.Time, by string, what What) {
	p.History = append(p.History, Step{now, by, what, p.Seen.Hash})
	if len(p.History) > maxHistory {
		p.History = append([]Step(nil), p.History[len(p.History)-maxHistory:]...)
	}
}
