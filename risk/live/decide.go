package live

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/risk"
)

// Fired is a rule that applies to a call.
type Fired struct {
	Rule     string       `json:"rule"`
	Verdict  risk.Verdict `json:"-"`
	Does     string       `json:"does"` // deny, ask, allow, kill
	Why      string       `json:"why"`
	Evidence []*Evidence  `json:"evidence,omitempty"`
}

// Decision is the answer to one call. The zero Decision denies.
type Decision struct {
	Verdict risk.Verdict
	// Fired are the rules that apply, in the order of the table; the first with the
	// strictest verdict gives the reason. An allowed call may have none.
	Fired []Fired
	// Label is that of the session when the call was decided.
	Label Label
	// Kill is a signal to latch; empty for none.
	Kill Signal
	// Leave is the id of the leave that answers the question, to be spent; empty for none.
	Leave string
}

// Deciding returns the rule that gave the verdict; nil for a call that nothing speaks
// against.
func (d *Decision) Deciding() *Fired {
	for i := range d.Fired {
		if d.Fired[i].Verdict == d.Verdict {
			return &d.Fired[i]
		}
	}
	return nil
}

// Standing is what an approval of the call is bound to: once the session turned worse or
// another rule speaks against the call, it does not count any more.
func (d *Decision) Standing() string {
	h := sha256.New()
	io.WriteString(h, d.Label.String())
	for _, f := range d.Fired {
		io.WriteString(h, " "+f.Rule)
	}
	return "live " + hex.EncodeToString(h.Sum(nil)[:8])
}

// Decide judges a call. It changes nothing: see [Session.Latch], [Session.Spend] and
// [Session.Ran]. Any
// failure of the evaluator denies.
func (s *Session) Decide(c *Call, now time.Time) (d Decision) {
	defer func() {
		if v := recover(); v != nil {
			d = Failed(fmt.Errorf("panic: %v", v))
		}
	}()
	if c.Profile == nil {
		c.Profile = worst(c.Tool)
	}
	d = s.examine(c).decide()
	s.excuse(&d, c, now)
	return d
}

// Failed is the decision when there is none.
func Failed(error) Decision {
	return Decision{Fired: []Fired{{Rule: failedRule, Does: risk.Deny.String(), Why: failedWhy}}}
}

func (f *facts) decide() Decision {
	d := Decision{Verdict: risk.Allow, Label: f.label}
	for i := range rules {
		r := &rules[i]
		if !r.when(f) {
			continue
		}
		d.Fired = append(d.Fired, Fired{Rule: r.id, Verdict: r.verdict, Does: r.does(), Why: r.why, Evidence: r.shown(f)})
		d.Verdict = min(d.Verdict, r.verdict)
		if d.Kill == "" {
			d.Kill = r.kill
		}
	}
	return d
}

// Latch kills the session if a decision says so, and reports whether it does.
func (s *Session) Latch(d *Decision, c *Call) bool {
	if d.Kill != "" {
		s.Kill(d.Kill, c.ID)
	}
	return d.Kill != ""
}

// Ran remembers that a call was made.
func (s *Session) Ran(c *Call, approved bool) {
	if t, ok := s.Ours(c, approved); ok {
		s.Meet(t)
	}
}

// Ours is Ran for a caller that keeps texts: it returns what is to be met. Values that the
// caller used before anything untrusted was met, or that a person approved, are no
// stranger's.
func (s *Session) Ours(c *Call, approved bool) (t Text, ok bool) {
	if s.label.Untrusted && !approved || len(c.Arguments) == 0 {
		return Text{}, false
	}
	values := make([]string, len(c.Arguments))
	for i, a := range c.Arguments {
		values[i] = a.Value
	}
	return Text{Source: Caller, Call: c.ID, Caller: true, Words: strings.Join(values, "\n")}, true
}

// Answerable reports whether a person may be asked instead of a denial: the rules below
// F20 are about what nobody at the client can vouch for.
func (f *Fired) Answerable() bool { return f.Does == risk.Deny.String() && f.Rule >= "F20" }

// Caller is the source of a text that the caller wrote.
const Caller = "caller"
