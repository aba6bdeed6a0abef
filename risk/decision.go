package risk

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"
)

// Verdict is the outcome of a decision. The zero value denies.
type Verdict uint8

const (
	Deny  Verdict = iota // not run
	Ask                  // run only after a person approved this very call
	Allow                // run
)

var verdictNames = [...]string{"deny", "ask", "allow"}

// String returns "deny", "ask" or "allow".
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return verdictNames[Deny]
}

// ToolHash identifies one version of one tool.
type ToolHash [sha256.Size]byte

// ArgumentsHash identifies the exact bytes of one call's arguments.
type ArgumentsHash [sha256.Size]byte

// HashArguments returns the hash that a clearance is bound to. It hashes the raw
// bytes: two spellings of the same JSON have two hashes.
func HashArguments(raw []byte) ArgumentsHash { return sha256.Sum256(raw) }

// Decision answers whether one call may run. The zero value denies.
type Decision struct {
	verdict Verdict
	reason  string
	tool    ToolHash
	args    ArgumentsHash
}

// Decide makes the decision for a call of tool with args. The reason is one
// sentence for the person who is asked or refused.
func Decide(v Verdict, reason string, tool ToolHash, args ArgumentsHash) Decision {
	return Decision{verdict: v, reason: reason, tool: tool, args: args}
}

// Verdict returns the outcome of the decision.
func (d Decision) Verdict() Verdict { return d.verdict }

// Reason explains the decision in one sentence.
func (d Decision) Reason() string { return d.reason }

// Clear turns an Allow into a clearance that is valid until the given time. For
// any other verdict it returns the zero clearance, which clears nothing.
func (d Decision) Clear(until time.Time) Clearance {
	if d.verdict != Allow {
		return Clearance{}
	}
	return Clearance{valid: true, tool: d.tool, args: d.args, until: until}
}

// Approve turns an Ask that a person approved into a clearance. For
// any other verdict it returns the zero clearance: a denied call cannot be
// approved and an allowed one needs no approval.
func (d Decision) Approve(until time.Time) Clearance {
	if d.verdict != Ask {
		return Clearance{}
	}
	return Clearance{valid: true, tool: d.tool, args: d.args, until: until}
}

// Clearance is the permission to run one version of one tool with one exact
// argument text until a point in time. The zero value clears nothing; only a
// [Decision] makes another.
type Clearance struct {
	valid bool
	tool  ToolHash
	args  ArgumentsHash
	until time.Time
}

// Reasons for which a clearance does not cover a call.
var (
	ErrNotCleared       = errors.New("the call was not cleared")
	ErrOtherTool        = errors.New("the clearance is for another version of the tool")
	ErrOtherArguments   = errors.New("the clearance is for other arguments")
	ErrClearanceExpired = errors.New("the clearance has expired")
)

// Check reports whether the clearance covers a call of tool with args at now.
// The error is one of ErrNotCleared, ErrOtherTool, ErrOtherArguments and
// ErrClearanceExpired.
func (c Clearance) Check(tool ToolHash, args ArgumentsHash, now time.Time) error {
	switch {
	case !c.valid:
		return ErrNotCleared
	case c.tool != tool:
		return ErrOtherTool
	case c.args != args:
		return ErrOtherArguments
	case !now.Before(c.until):
		return fmt.Errorf("%w at %s", ErrClearanceExpired, c.until.UTC().Format(time.RFC3339))
	}
	return nil
}
