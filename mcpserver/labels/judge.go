package labels

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/risk/poison"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Settings configure a judge.
type Settings struct {
	Mode live.Mode
	// Modes are those of single endpoints, by name, instead of Mode.
	Modes map[string]live.Mode
	File  *live.File // the operator's labels; nil for none
	Now   func() time.Time
	// Drift says whether a tool of another server is still the one that was reviewed; nil
	// where nobody reviews them.
	Drift func(exposure.Origins) live.Drift
}

// Judge judges by the operator's policy for levels and by what the principal has met; the
// stricter verdict holds. It is safe for concurrent use.
type Judge struct {
	policy   governed.Judge
	settings Settings
	profiles profiles
	sessions *Sessions
}

// New returns a judge. Judges that replace each other share their sessions.
func New(policy governed.Judge, sessions *Sessions, s Settings) *Judge {
	return &Judge{policy: policy, settings: s, sessions: sessions, profiles: profiles{file: s.File, known: map[risk.ToolRef]*live.Profile{}}}
}

var _ governed.Witness = (*Judge)(nil)

// mode returns what a decision about a call does.
func (s *Settings) mode(c *governed.Case) live.Mode {
	if m, ok := s.Modes[c.Endpoint]; ok {
		return m
	}
	return s.Mode
}

// keepTime bounds what is read and written for one call: a store that takes longer is
// down.
const keepTime = 5 * time.Second

// Judge implements [governed.Judge].
func (j *Judge) Judge(c governed.Case) governed.Judgement {
	by := j.policy.Judge(c)
	call := j.call(&c)
	mode := j.settings.mode(&c)
	d, err := j.decide(c.Caller, call, mode)
	if err != nil {
		d = live.Failed(err)
	}
	by.Record = newFlow(mode, &d).json()
	verdict := effect(mode, &d)
	if d.Verdict == risk.Ask && verdict == risk.Ask && by.Verdict == risk.Allow {
		// The policy for levels has no leaves: what it asks about, it asks about each time.
		if l, ok := live.LeaveFor(call, d.Label, j.settings.Now()); ok {
			by.Rest = l.String()
		}
	}
	if verdict == risk.Ask || by.Verdict == risk.Ask {
		by.Standing += "; " + d.Standing()
	}
	if verdict > by.Verdict || verdict == risk.Allow {
		return by
	}
	if verdict < by.Verdict {
		by.Advice = ""
	}
	by.Verdict = verdict
	by.Reason, by.Details = split(d.Question(call), by.Reason)
	if errors.Is(err, store.Unreachable) || errors.Is(err, context.DeadlineExceeded) {
		by.Reason, by.Details = "what this client has met cannot be read, because the cluster that keeps it does not answer", nil
		by.Advice = "That passes. The same call can be made again in a few seconds."
	}
	by.Words = verdict.String() + ": " + by.Reason
	by.Cause = err
	return by
}

// split cuts a question into its first sentence and the lines behind it.
func split(question, otherwise string) (string, []string) {
	lines := strings.Split(question, "\n")
	if lines[0] == "" {
		return otherwise, nil
	}
	return strings.TrimSuffix(lines[0], "."), lines[1:]
}

// effect is what a decision comes to in a mode.
func effect(m live.Mode, d *live.Decision) risk.Verdict {
	switch {
	case m == live.Enforce, m == live.Ask && d.Verdict != risk.Deny:
		return d.Verdict
	case m == live.Ask:
		if f := d.Deciding(); f == nil || !f.Answerable() {
			return risk.Deny
		}
		return risk.Ask
	}
	return risk.Allow
}

// call is a governed call as the engine sees it.
func (j *Judge) call(c *governed.Case) *live.Call {
	server, name, profile := j.profiles.of(c.Called, c.Tool)
	arguments, unread := live.Flatten(c.Values)
	call := &live.Call{ID: c.ID, Server: server, Tool: name, Profile: profile, Arguments: arguments, Unread: unread, Secrets: c.Secrets, PrivateNetwork: privateNetwork(arguments, true)}
	if wrapped, ok := c.Called.(*exposure.Tool); ok && j.settings.Drift != nil {
		call.Drift = j.settings.Drift(wrapped.Origin())
	}
	return call
}

func (j *Judge) decide(principal string, call *live.Call, mode live.Mode) (d live.Decision, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), keepTime)
	defer cancel()
	for range tries {
		err = j.sessions.with(ctx, principal, func(s *open) error {
			d = s.Decide(call, j.settings.Now())
			// What is only observed kills nobody and uses nothing up.
			if mode < live.Ask || !s.Latch(&d, call) && d.Leave == "" {
				return nil
			}
			return s.save(ctx, nil, leaves{spend: d.Leave})
		})
		if !errors.Is(err, live.ErrNoLeave) {
			return d, err
		}
		// Another server of the cluster used up the leave; without it the answer is another.
	}
	return d, err
}

// Saw implements [governed.Witness].
func (j *Judge) Saw(seen governed.Seen) (json.RawMessage, error) {
	var f Flow
	if err := json.Unmarshal(seen.Judged, &f); err != nil {
		return nil, err
	}
	call := j.call(&seen.Case)
	o := j.observation(&seen, call)
	ctx, cancel := context.WithTimeout(context.Background(), keepTime)
	defer cancel()
	if seen.Rest {
		if l, ok := live.LeaveFor(call, f.Session, j.settings.Now()); ok {
			l.By = seen.By
			f.Leave = &l
		}
	}
	err := j.sessions.as(ctx, seen.Caller, func(s *open) error {
		ids := identifiers(seen.Value)
		var err error
		if o.Stored, err = j.sessions.keeper.Objects(ctx, append(call.Read(), call.Named(ids)...)); err != nil {
			return err
		}
		f.Result = o.Labelled()
		var texts []live.Text
		if t, ok := s.Ours(call, seen.Approved); ok {
			texts = append(texts, t)
		}
		for _, t := range o.Texts(f.Result) {
			cut, whole := pieces(t)
			texts = append(texts, cut...)
			s.Taint(t.Label, !whole)
		}
		// What was written bears the label of whoever wrote it.
		if written := call.Written(ids); len(written) > 0 && s.Label().Untrusted {
			if err := j.sessions.keeper.Mark(ctx, written, s.Label()); err != nil {
				return err
			}
		}
		return s.save(ctx, texts, leaves{give: f.Leave})
	})
	if err != nil {
		return nil, err
	}
	return f.json(), nil
}

// observation gathers what is known of a result.
func (j *Judge) observation(seen *governed.Seen, call *live.Call) *live.Observation {
	o := &live.Observation{Server: call.Server, Tool: call.Tool, Call: seen.ID, Profile: call.Profile, Secret: seen.Redacted}
	o.Text = textOf(seen.Value)
	if seen.Failure != "" {
		o.Text = seen.Failure
	}
	if seen.Redacted {
		o.Raw = textOf(seen.Raw)
	}
	if t, ok := seen.Called.(governed.Verbatim); ok {
		o.Declared = live.Declared(seen.Raw)
		o.Bounded = seen.Failure == "" && bounded(t.Listed(), seen.Value)
	}
	o.Order = poison.ScanResult(o.Text[:min(len(o.Text), maxResult)]).AtLeast(poison.Medium)
	return o
}
