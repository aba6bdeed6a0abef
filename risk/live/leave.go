package live

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/unseen"
)

// Leave is a person's "yes, and the rest of this task to this recipient": it answers
// further questions about the same tool and the same destinations, until it is used up,
// expires, is taken back, or the session turns worse. It lifts no denial.
type Leave struct {
	ID        string    `json:"id"`           // correlation id of the call that it was given with
	By        string    `json:"by,omitempty"` // who gave it, if that is known
	Server    string    `json:"server"`
	Tool      string    `json:"tool"`
	Recipient string    `json:"recipient"` // the destinations, to be shown
	To        string    `json:"to"`        // digest of the destinations
	Left      int       `json:"left"`      // calls
	Given     time.Time `json:"given"`
	Until     time.Time `json:"until"`
	Label     Label     `json:"label"` // of the session when it was given
}

// Bounds of a leave, so that a yes is about a task and not for ever.
const (
	LeaveCalls = 20
	LeaveTime  = 30 * time.Minute
	maxLeaves  = 64  // of one session; the oldest ends
	maxTo      = 200 // bytes of a recipient that are shown
)

// ErrNoLeave means that a leave is used up, over, or was taken back.
var ErrNoLeave = errors.New("there is no such leave")

// LeaveFor returns the leave that a person can give with a yes to a call; ok is false for
// a call without destinations, which there is no recipient to bind it to, and for one with
// a secret, which is asked about each time.
func LeaveFor(c *Call, session Label, now time.Time) (l Leave, ok bool) {
	to, shown := c.destinations()
	if to == "" || c.secret() {
		return Leave{}, false
	}
	if len(shown) > maxTo {
		shown = strings.ToValidUTF8(shown[:maxTo], "") + "..."
	}
	return Leave{
		ID: c.ID, Server: c.Server, Tool: c.Tool, Recipient: unseen.Spell(shown), To: to,
		Left: LeaveCalls, Given: now, Until: now.Add(LeaveTime), Label: session,
	}, true
}

// String says what the leave is for.
func (l Leave) String() string {
	return fmt.Sprintf("%d further calls of %s to %s within %d minutes, unless the session turns worse", l.Left, unseen.Spell(l.Tool), l.Recipient, int(l.Until.Sub(l.Given).Minutes()))
}

// Allow gives a leave.
func (s *Session) Allow(l Leave) {
	s.leaves = slices.DeleteFunc(slices.Clone(s.leaves), func(old Leave) bool { return old.ID == l.ID })
	if len(s.leaves) >= maxLeaves {
		s.leaves = slices.Delete(s.leaves, 0, 1)
	}
	s.leaves = append(s.leaves, l)
}

// Spend takes one call from a leave. The error is ErrNoLeave if it has none left.
func (s *Session) Spend(id string) error {
	i := slices.IndexFunc(s.leaves, func(l Leave) bool { return l.ID == id && l.Left > 0 })
	if i < 0 {
		return ErrNoLeave
	}
	s.leaves = slices.Clone(s.leaves)
	if s.leaves[i].Left--; s.leaves[i].Left == 0 {
		s.leaves = slices.Delete(s.leaves, i, i+1)
	}
	return nil
}

// Revoke ends a leave, or all of them for an empty id, and returns how many.
func (s *Session) Revoke(id string) int {
	before := len(s.leaves)
	s.leaves = slices.DeleteFunc(slices.Clone(s.leaves), func(l Leave) bool { return id == "" || l.ID == id })
	return before - len(s.leaves)
}

// destinations returns a digest of where a call goes, and the same to be shown; empty if
// it goes nowhere in particular.
func (c *Call) destinations() (digest, shown string) {
	var list, values []string
	for _, a := range c.Arguments {
		if c.Profile.role(a.Name) == Destination {
			list = append(list, a.Name+"\x00"+strings.ToLower(a.Value))
			values = append(values, a.Value)
		}
	}
	if len(list) == 0 {
		return "", ""
	}
	slices.Sort(list)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(list), "\x00")))
	return hex.EncodeToString(sum[:16]), strings.Join(values, ", ")
}

// leave returns the one that covers a call; nil for none.
func (s *Session) leave(c *Call, now time.Time) *Leave {
	if len(s.leaves) == 0 {
		return nil
	}
	to, _ := c.destinations()
	for i := range s.leaves {
		l := &s.leaves[i]
		if to != "" && l.To == to && l.Server == c.Server && l.Tool == c.Tool && l.Left > 0 && now.Before(l.Until) && l.Label.Covers(s.label) {
			return l
		}
	}
	return nil
}

// excuse turns a question that a leave answers into a yes.
func (s *Session) excuse(d *Decision, c *Call, now time.Time) {
	if d.Verdict != risk.Ask || c.secret() {
		return
	}
	l := s.leave(c, now)
	if l == nil {
		return
	}
	d.Verdict, d.Leave = risk.Allow, l.ID
	d.Fired = append(d.Fired, Fired{Rule: leaveRule, Verdict: risk.Allow, Does: risk.Allow.String(), Why: leaveWhy, Evidence: []*Evidence{{Source: Person, Call: l.ID}}})
}

// Person is the source of what a person allowed.
const Person = "person"
