package live

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/risk"
)

// Leave is a person's "yes, and the rest of this task to this recipient": it answers
// further questions about the same tool and the same destinations, until it is used up,
// expires, or the session turns worse. It lifts no denial.
type Leave struct {
	Server string    `json:"server"`
	Tool   string    `json:"tool"`
	To     string    `json:"to"` // digest of the destinations
	Left   int       `json:"left"`
	Until  time.Time `json:"until"`
	Label  Label     `json:"label"` // of the session when it was given
}

// Bounds of a leave, so that a yes is about a task and not for ever.
const (
	LeaveCalls = 20
	LeaveTime  = 30 * time.Minute
	maxLeaves  = 64 // of one session; the oldest ends
)

// LeaveFor returns the leave that a person gives with a yes to a call; ok is false for a
// call without destinations, which there is no recipient to bind it to.
func (s *Session) LeaveFor(c *Call, now time.Time) (l Leave, ok bool) {
	to := c.destinations()
	return Leave{Server: c.Server, Tool: c.Tool, To: to, Left: LeaveCalls, Until: now.Add(LeaveTime), Label: s.label}, to != ""
}

// Allow gives a leave.
func (s *Session) Allow(l Leave) {
	if len(s.leaves) >= maxLeaves {
		s.leaves = slices.Delete(s.leaves, 0, 1)
	}
	s.leaves = append(s.leaves, l)
}

// destinations is a digest of where a call goes; empty if it goes nowhere in particular.
func (c *Call) destinations() string {
	var list []string
	for _, a := range c.Arguments {
		if c.Profile.role(a.Name) == Destination {
			list = append(list, a.Name+"\x00"+strings.ToLower(a.Value))
		}
	}
	if len(list) == 0 {
		return ""
	}
	slices.Sort(list)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(list), "\x00")))
	return hex.EncodeToString(sum[:16])
}

// leave returns the one that covers a call; nil for none.
func (s *Session) leave(c *Call, now time.Time) *Leave {
	to := c.destinations()
	for i := range s.leaves {
		l := &s.leaves[i]
		if to != "" && l.To == to && l.Server == c.Server && l.Tool == c.Tool && l.Left > 0 && now.Before(l.Until) && l.Label.Covers(s.label) {
			return l
		}
	}
	return nil
}

// use spends one call of the leave that covered it.
func (s *Session) use(c *Call, now time.Time) {
	if l := s.leave(c, now); l != nil {
		l.Left--
	}
}

// excuse turns a question that a leave answers into a yes.
func (s *Session) excuse(d *Decision, c *Call, now time.Time) {
	if d.Verdict != risk.Ask || s.leave(c, now) == nil {
		return
	}
	d.Verdict = risk.Allow
	d.Fired = append(d.Fired, Fired{Rule: leaveRule, Verdict: risk.Allow, Does: risk.Allow.String(), Why: leaveWhy})
}
