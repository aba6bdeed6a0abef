package fingerprint

import (
	"errors"
	"fmt"
	"time"
)

// Status is the state of a tool in the ledger. The zero value is unknown; such a
// tool is not offered.
type Status uint8

const (
	Unknown Status = iota
	Active
	AwaitingRereview // its definition changed and has not been reviewed yet
	Revoked          // permanently withdrawn
)

var statusNames = [...]string{"UNKNOWN", "ACTIVE", "AWAITING_REREVIEW", "REVOKED"}

// String returns the status in upper case, such as "AWAITING_REREVIEW".
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return statusNames[Unknown]
}

// MarshalText writes the status as String does.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what String writes. An unknown word is an error, so that a
// damaged record is not mistaken for a new one.
func (s *Status) UnmarshalText(text []byte) error {
	for i, name := range statusNames {
		if string(text) == name {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("status %q: want ACTIVE, AWAITING_REREVIEW or REVOKED", text)
}

// Outcome is the result of a check.
type Outcome string

const (
	New             Outcome = "NEW"             // never seen before
	Unchanged       Outcome = "UNCHANGED"       // same as the stored fingerprint
	Mismatch        Outcome = "MISMATCH"        // differs from the stored fingerprint
	Recanonicalized Outcome = "RECANONICALIZED" // stored under another profile, so not comparable
)

// Record is the ledger entry for one tool of one server. The zero value is for a
// tool that has never been seen.
type Record struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Seen is the last fingerprint that a server sent, reviewed or not.
	Seen Fingerprint `json:"seen"`
	// Accepted is the last trusted one: trusted on first use or approved by a person.
	Accepted    Fingerprint `json:"accepted"`
	Status      Status      `json:"status"`
	FirstSeen   time.Time   `json:"first_seen,omitzero"`
	CuratedAt   time.Time   `json:"curated_at,omitzero"`
	PublishedAt time.Time   `json:"published_at,omitzero"`
	Reason      string      `json:"reason,omitempty"` // why it was revoked
}

// Exposed reports whether the tool may be offered.
func (r Record) Exposed() bool { return r.Status == Active }

// Check compares the record with what a server sends now. The first definition seen
// is trusted. A change is stored at once, and the tool is withheld until
// [Record.Approve]; seeing the same change again is UNCHANGED, and the tool stays
// withheld. Going back to the accepted definition is a change as well: a tool that
// alternates is not the one that was reviewed. A record of another profile is
// re-based on the new fingerprint and keeps its status.
func (r Record) Check(server, tool string, seen Fingerprint, now time.Time) (Record, Outcome) {
	switch {
	case r.Status == Unknown && r.Seen == (Fingerprint{}):
		return Record{Server: server, Tool: tool, Seen: seen, Accepted: seen, Status: Active, FirstSeen: now}, New
	case r.Seen.Profile != seen.Profile:
		if r.Accepted == r.Seen {
			r.Accepted = seen
		}
		r.Seen = seen
		return r, Recanonicalized
	case r.Seen.Hash == seen.Hash:
		return r, Unchanged
	}
	r.Seen = seen
	if r.Status != Revoked {
		r.Status = AwaitingRereview
	}
	return r, Mismatch
}

// Reasons why a transition is refused.
var (
	ErrNotAwaiting    = errors.New("the tool does not wait for a review")
	ErrRevoked        = errors.New("the tool was revoked")
	ErrChangedAgain   = errors.New("the tool changed after what was reviewed")
	ErrUnknownToolRow = errors.New("the ledger has no such tool")
)

// Approve accepts the definition that a person reviewed. The fingerprint must match
// the stored one: if the server changed the tool during the review, the approval is
// for a different definition.
func (r Record) Approve(reviewed Fingerprint, now time.Time) (Record, error) {
	switch {
	case r.Status == Unknown:
		return r, ErrUnknownToolRow
	case r.Status == Revoked:
		return r, ErrRevoked
	case r.Status != AwaitingRereview:
		return r, ErrNotAwaiting
	case r.Seen != reviewed:
		return r, ErrChangedAgain
	}
	r.Accepted, r.Status, r.CuratedAt = r.Seen, Active, now
	return r, nil
}

// Revoke withdraws the tool. This can only be undone by deleting the record, after
// which the tool is new again.
func (r Record) Revoke(reason string) (Record, error) {
	if r.Status == Unknown {
		return r, ErrUnknownToolRow
	}
	r.Status, r.Reason = Revoked, reason
	return r, nil
}

// Publish records when the tool was offered. Only an exposed tool can be published.
func (r Record) Publish(now time.Time) (Record, error) {
	switch r.Status {
	case Active:
		r.PublishedAt = now
		return r, nil
	case Revoked:
		return r, ErrRevoked
	case AwaitingRereview:
		return r, fmt.Errorf("%q of server %q waits for a review", r.Tool, r.Server)
	}
	return r, ErrUnknownToolRow
}
