package approve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/risk"
)

// Scope says which further calls a yes is for, beside the one that was asked about.
// They are of the same principal, for the same version of the tool, and come up for
// the same reason.
type Scope struct {
	// For is how long, at most MaxRule.
	For time.Duration
	// Same limits it to the same argument bytes.
	Same bool
}

const (
	// MaxRule is the longest life of a rule: long enough for a project, and short
	// enough that somebody looks at it again.
	MaxRule = 7 * 24 * time.Hour
	// maxRules bounds the rules of one principal that count.
	maxRules = 32
)

// Why no rule is made or revoked.
var (
	ErrScope    = errors.New("such a yes cannot be given")
	ErrNoRule   = errors.New("there is no such rule")
	ErrRuleOver = errors.New("the rule no longer counts")
)

// Rule is a yes to calls that are still to come. It is made by the answer to a question,
// and each call that uses it has its id on record.
type Rule struct {
	ID        string     `json:"id"`
	Principal string     `json:"principal"`
	Source    string     `json:"source"`
	Tool      string     `json:"tool"`
	ToolHash  string     `json:"toolHash"`
	Level     risk.Level `json:"level"`
	Policy    string     `json:"policy"` // under which the question came up
	// Arguments are the only ones it is for, with secrets removed; without it is for any.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Question  string          `json:"question"` // whose answer it was
	By        string          `json:"by"`
	Note      string          `json:"note,omitempty"`
	Made      time.Time       `json:"made"`
	Expires   time.Time       `json:"expires"`
	Used      int             `json:"used"` // calls that ran by it
	LastUsed  time.Time       `json:"lastUsed,omitzero"`
	Revoked   time.Time       `json:"revoked,omitzero"`
	RevokedBy string          `json:"revokedBy,omitempty"`
}

// Counts reports whether calls may still use the rule.
func (r Rule) Counts(now time.Time) bool { return r.Revoked.IsZero() && now.Before(r.Expires) }

// rule is a rule as it is stored.
type rule struct {
	Rule
	// Digest is that of the call; empty if the arguments may be any.
	Digest []byte `json:"digest,omitempty"`
}

// covers reports whether a call may run by the rule.
func (r rule) covers(c Call, digest []byte, now time.Time) bool {
	if !r.Counts(now) || r.Principal != c.Principal || r.Policy != c.Policy || r.ToolHash != hex.EncodeToString(c.Tool[:]) {
		return false
	}
	return len(r.Digest) == 0 || bytes.Equal(r.Digest, digest)
}

// granting returns the rule in the shape of an answered question.
func (r rule) granting() Entry {
	return Entry{
		ID: r.ID, State: Approved, Asked: r.Made, Expires: r.Expires, Principal: r.Principal, Source: r.Source, Tool: r.Tool, ToolHash: r.ToolHash, Level: r.Level, Policy: r.Policy,
		Rule: r.ID, History: []Event{{Time: r.Made, State: Approved, By: r.By, Note: r.Note}},
	}
}

// check refuses what would take the meaning out of asking.
func (s Scope) check(q *question) error {
	switch {
	case s.For <= 0 || s.For > MaxRule:
		return fmt.Errorf("%w: it is for more than nothing and at most %v", ErrScope, MaxRule)
	case q.Need > 1:
		return fmt.Errorf("%w: %d people are asked about each call", ErrScope, q.Need)
	case q.Level >= risk.L5 && !s.Same:
		return fmt.Errorf("%w: what destroys is approved for arguments that somebody has seen", ErrScope)
	}
	return nil
}

// allow makes the rule that an answer asks for.
func (t *tray) allow(q *question, s Scope, by, note string, now time.Time) error {
	if err := s.check(q); err != nil {
		return err
	}
	counting := 0
	for _, r := range t.Rules {
		if r.Counts(now) {
			counting++
		}
	}
	if counting >= maxRules {
		return fmt.Errorf("%w: this caller has %d rules, and more would not be looked through; revoke some", ErrScope, maxRules)
	}
	made := rule{Rule: Rule{
		ID: "R" + rand.Text()[:idLength], Principal: q.Principal, Source: q.Source, Tool: q.Tool, ToolHash: q.ToolHash, Level: q.Level, Policy: q.Policy,
		Question: q.ID, By: by, Note: note, Made: now, Expires: now.Add(s.For),
	}}
	if s.Same {
		made.Digest, made.Arguments = q.Digest, q.Arguments
	}
	t.Rules = append(t.Rules, made)
	q.Rule = made.ID
	return nil
}

// covering returns the rule that a call may run by; nil if there is none. A no to this
// very call is stronger than a rule.
func (t *tray) covering(c Call, digest []byte, now time.Time) *rule {
	if q := t.about(digest); q != nil && q.refused(now) {
		return nil
	}
	for i := range t.Rules {
		if t.Rules[i].covers(c, digest, now) {
			return &t.Rules[i]
		}
	}
	return nil
}

// pruneRules forgets the oldest of the rules that no longer count.
func (t *tray) pruneRules(now time.Time) {
	over := 0
	for _, r := range t.Rules {
		if !r.Counts(now) {
			over++
		}
	}
	t.Rules = slices.DeleteFunc(t.Rules, func(r rule) bool {
		if r.Counts(now) || over <= maxClosed {
			return false
		}
		over--
		return true
	})
}

// Rules returns all rules, those that count first, then the newest first. Of those that
// are over only the last few of each principal are kept.
func (d *Desk) Rules(ctx context.Context) ([]Rule, error) {
	all := []Rule{}
	err := d.each(ctx, func(t *tray) {
		for _, r := range t.Rules {
			all = append(all, r.Rule)
		}
	})
	if err != nil {
		return nil, err
	}
	now := d.now()
	slices.SortFunc(all, func(a, b Rule) int {
		if x, y := a.Counts(now), b.Counts(now); x != y {
			if x {
				return -1
			}
			return 1
		}
		return cmp.Or(b.Made.Compare(a.Made), strings.Compare(a.ID, b.ID))
	})
	return all, nil
}

// RevokeRule ends a rule. Calls that run by it go on; further ones are asked about. The
// error is ErrNoRule or ErrRuleOver, possibly wrapped.
func (d *Desk) RevokeRule(ctx context.Context, id, by string) (Rule, error) {
	all, err := d.Rules(ctx)
	if err != nil {
		return Rule{}, err
	}
	at := slices.IndexFunc(all, func(r Rule) bool { return strings.EqualFold(r.ID, id) })
	if at < 0 {
		return Rule{}, fmt.Errorf("%w: %q", ErrNoRule, id)
	}
	revoked := all[at]
	err = d.change(ctx, revoked.Principal, func(t *tray, now time.Time) error {
		at := slices.IndexFunc(t.Rules, func(r rule) bool { return r.ID == revoked.ID })
		if at < 0 {
			return fmt.Errorf("%w: %q", ErrNoRule, id)
		}
		r := &t.Rules[at]
		if !r.Counts(now) {
			return ErrRuleOver
		}
		r.Revoked, r.RevokedBy = now, cmp.Or(by, operator)
		revoked = r.Rule
		return nil
	})
	return revoked, err
}
