package approve_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/risk"
)

// ruled answers a question about a call with a yes of a scope.
func ruled(t *testing.T, d *approve.Desk, c approve.Call, s approve.Scope) approve.Rule {
	t.Helper()
	id, _ := opened(t, d, c)
	if err := d.Resolve(t.Context(), id, approve.Resolution{Approve: true, By: "uid 7", Note: "deploy week", Scope: &s}); err != nil {
		t.Fatal(err)
	}
	all, err := d.Rules(t.Context())
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	if !use(t, d, c) { // the call that was asked about
		t.Fatal("the call itself did not run")
	}
	return all[0]
}

// TestARuleIsForOneCallerToolAndReason: every field of a call but the arguments.
func TestARuleIsForOneCallerToolAndReason(t *testing.T) {
	for name, same := range map[string]bool{"any arguments": false, "the same arguments": true} {
		t.Run(name, func(t *testing.T) {
			d, clock := newDesk(t)
			r := ruled(t, d, theCall(), approve.Scope{For: time.Hour, Same: same})
			if (r.Arguments != nil) != same || r.By != "uid 7" || r.Note != "deploy week" || !r.Expires.Equal(clock.now().Add(time.Hour)) || !strings.HasPrefix(r.ID, "R") {
				t.Errorf("%+v", r)
			}
			other := func(change func(*approve.Call)) approve.Call { c := theCall(); change(&c); return c }
			for what, row := range map[string]struct {
				call approve.Call
				want bool
			}{
				"the same call":   {theCall(), true},
				"other arguments": {other(func(c *approve.Call) { c.Arguments = risk.HashArguments([]byte(`{"a":2}`)) }), !same},
				"another caller":  {other(func(c *approve.Call) { c.Principal = "token:b" }), false},
				"another version": {other(func(c *approve.Call) { c.Tool = risk.ToolHash{2} }), false},
				"another reason":  {other(func(c *approve.Call) { c.Policy = "q" }), false},
			} {
				for range 2 { // a rule is not used up
					if _, granted, err := d.Granted(t.Context(), row.call); err != nil || granted != row.want {
						t.Errorf("%s: granted %v, %v", what, granted, err)
					}
					if got := use(t, d, row.call); got != row.want {
						t.Errorf("%s: ran %v", what, got)
					}
				}
			}
			e, _, _ := d.Use(t.Context(), theCall())
			if e.ID != r.ID || e.AnsweredBy() != "uid 7" {
				t.Errorf("on record as %s by %s", e.ID, e.AnsweredBy())
			}
			clock.pass(time.Hour)
			if use(t, d, theCall()) {
				t.Error("it outlived its time")
			}
			after, _ := d.Rules(t.Context())
			if want := map[bool]int{true: 3, false: 5}[same]; after[0].Used != want || after[0].Counts(clock.now()) {
				t.Errorf("used %d times, want %d", after[0].Used, want)
			}
		})
	}
}

func TestARuleIsRevoked(t *testing.T) {
	d, _ := newDesk(t)
	r := ruled(t, d, theCall(), approve.Scope{For: time.Hour})
	got, err := d.RevokeRule(t.Context(), strings.ToLower(r.ID), "uid 8")
	if err != nil || got.RevokedBy != "uid 8" || got.Revoked.IsZero() {
		t.Errorf("%+v, %v", got, err)
	}
	if use(t, d, theCall()) {
		t.Error("a revoked rule lets a call run")
	}
	if _, err := d.RevokeRule(t.Context(), r.ID, ""); !errors.Is(err, approve.ErrRuleOver) {
		t.Errorf("twice: %v", err)
	}
	if _, err := d.RevokeRule(t.Context(), "RNONSENSE", ""); !errors.Is(err, approve.ErrNoRule) {
		t.Errorf("a rule that nobody has: %v", err)
	}
}

// TestANoToOneCallIsStrongerThanARule: and leaves the rule to the others.
func TestANoToOneCallIsStrongerThanARule(t *testing.T) {
	d, _ := newDesk(t)
	ruled(t, d, theCall(), approve.Scope{For: time.Hour, Same: true})
	other := theCall()
	other.Arguments = risk.HashArguments([]byte(`{"a":2}`))
	id, _ := opened(t, d, other)
	first, _ := opened(t, d, approve.Call{Principal: "token:a", Tool: risk.ToolHash{1}, Arguments: risk.HashArguments([]byte(`{"a":3}`)), Policy: "p"})
	answer(t, d, id, false)
	if err := d.Resolve(t.Context(), first, approve.Resolution{Approve: true, Scope: &approve.Scope{For: time.Hour}}); err != nil {
		t.Fatal(err)
	}
	if use(t, d, other) {
		t.Error("what an operator denied ran by a rule")
	}
	if !use(t, d, theCall()) {
		t.Error("the rule does not count for others")
	}
}

func TestRulesThatAreNotMade(t *testing.T) {
	d, _ := newDesk(t)
	q := question(theCall())
	for name, row := range map[string]struct {
		level  risk.Level
		people int
		scope  approve.Scope
		want   error
	}{
		"for ever":                   {risk.L4, 0, approve.Scope{For: approve.MaxRule + 1}, approve.ErrScope},
		"for no time":                {risk.L4, 0, approve.Scope{Same: true}, approve.ErrScope},
		"any arguments that destroy": {risk.L5, 0, approve.Scope{For: time.Hour}, approve.ErrScope},
		"these arguments":            {risk.L5, 0, approve.Scope{For: time.Hour, Same: true}, nil},
		"what two people look at":    {risk.L4, 2, approve.Scope{For: time.Hour, Same: true}, approve.ErrScope},
	} {
		q.Level, q.People, q.Call.Arguments = row.level, row.people, risk.HashArguments([]byte(name))
		e, _, err := d.Ask(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		err = d.Resolve(t.Context(), e.ID, approve.Resolution{Approve: true, Scope: &row.scope})
		if !errors.Is(err, row.want) {
			t.Errorf("%s: %v", name, err)
		}
		if now, _ := d.Show(t.Context(), e.ID); row.want != nil && (now.State != approve.Open || now.Rule != "") {
			t.Errorf("%s: the question is %s", name, now.State)
		}
	}
}

// TestTwoPeople: two different ones, and the client is nobody.
func TestTwoPeople(t *testing.T) {
	d, _ := newDesk(t)
	q := question(theCall())
	q.People = 2
	e, state, err := d.Ask(t.Context(), q)
	if err != nil || e.Need != 2 {
		t.Fatalf("%+v, %v", e, err)
	}
	if _, err := d.Answer(t.Context(), state, theCall(), approve.Approved, false); !errors.Is(err, approve.ErrSamePerson) {
		t.Errorf("the client alone: %v", err)
	}
	yes := func(by string) error {
		return d.Resolve(t.Context(), e.ID, approve.Resolution{Approve: true, By: by})
	}
	if err := yes("ada"); err != nil {
		t.Fatal(err)
	}
	if err := yes("ada"); !errors.Is(err, approve.ErrSamePerson) {
		t.Errorf("the same again: %v", err)
	}
	if use(t, d, theCall()) {
		t.Fatal("one yes was enough")
	}
	if now, _ := d.Show(t.Context(), e.ID); now.State != approve.Open || !slices.Equal(now.Yes, []string{"ada"}) {
		t.Errorf("after the first: %+v", now)
	}
	if err := yes("grace"); err != nil {
		t.Fatal(err)
	}
	if !use(t, d, theCall()) {
		t.Error("two are not enough")
	}
	now, _ := d.Show(t.Context(), e.ID)
	if got := steps(now); got != "open, open ada, approved grace, used" {
		t.Error(got)
	}
	text, _ := json.Marshal(now)
	if !strings.Contains(string(text), `"need":2,"yes":["ada","grace"]`) {
		t.Errorf("%s", text)
	}
}
