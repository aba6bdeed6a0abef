package risk_test

import (
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/risk"
)

var modes = []catalog.ApprovalMode{catalog.ApprovalUnset, catalog.ApprovalDisabled, catalog.ApprovalRequired, "something new"}

// levels holds every level and a value that is none.
var levels = []risk.Level{risk.Unrated, risk.L0, risk.L1, risk.L2, risk.L3, risk.L4, risk.L5, risk.L5 + 1}

func TestLevelPolicyRows(t *testing.T) {
	usual := risk.DefaultLevelPolicy()
	trusting := risk.LevelPolicy{Ceiling: risk.L4, Unasked: risk.L0, Trusted: risk.L3}
	for _, row := range []struct {
		policy risk.LevelPolicy
		level  risk.Level
		mode   catalog.ApprovalMode
		want   risk.Verdict
	}{
		{usual, risk.L0, catalog.ApprovalUnset, risk.Allow},
		{usual, risk.L0, catalog.ApprovalDisabled, risk.Allow},
		{usual, risk.L0, catalog.ApprovalRequired, risk.Ask},
		{usual, risk.L0, "something new", risk.Ask},
		{usual, risk.L1, catalog.ApprovalUnset, risk.Ask},
		{usual, risk.L3, catalog.ApprovalUnset, risk.Ask},
		{usual, risk.L3, catalog.ApprovalDisabled, risk.Allow},
		{usual, risk.L4, catalog.ApprovalDisabled, risk.Ask},
		{usual, risk.L5, catalog.ApprovalDisabled, risk.Ask},
		{usual, risk.Unrated, catalog.ApprovalDisabled, risk.Deny},
		{trusting, risk.L3, catalog.ApprovalRequired, risk.Allow},
		{trusting, risk.L4, catalog.ApprovalDisabled, risk.Ask},
		{trusting, risk.L5, catalog.ApprovalDisabled, risk.Deny},
	} {
		got, reason := row.policy.Judge(row.level, row.mode)
		if got != row.want || reason == "" {
			t.Errorf("%v: %v %q: %v (%q), want %v", row.policy, row.level, row.mode, got, reason, row.want)
		}
	}
}

func TestTheZeroLevelPolicyRefusesEverything(t *testing.T) {
	for _, level := range levels {
		for _, mode := range modes {
			if got, _ := (risk.LevelPolicy{}).Judge(level, mode); got != risk.Deny {
				t.Errorf("%v %q: %v", level, mode, got)
			}
		}
	}
}

// TestAWorseLevelIsNeverFreer: under any policy, the verdict for a worse level is
// at most that for a better one.
func TestAWorseLevelIsNeverFreer(t *testing.T) {
	for _, ceiling := range levels {
		for _, unasked := range levels {
			for _, trusted := range levels {
				p := risk.LevelPolicy{Ceiling: ceiling, Unasked: unasked, Trusted: trusted}
				for _, mode := range modes {
					last := risk.Allow
					for _, level := range levels[1:] {
						got, _ := p.Judge(level, mode)
						if got > last {
							t.Errorf("%v %q: %v at %v, %v below", p, mode, got, level, last)
						}
						last = got
					}
				}
			}
		}
	}
}
