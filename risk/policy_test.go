package risk_test

import (
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/risk"
)

var modes = []catalog.ApprovalMode{catalog.ApprovalUnset, catalog.ApprovalDisabled, catalog.ApprovalRequired, "something new"}

// levels holds every level and a value that is none.
var levels = []risk.Level{risk.Unrated, risk.L0, risk.L1, risk.L2, risk.L3, risk.L4, risk.L5, risk.L5 + 1}

func ref(name string) risk.ToolRef { return risk.ToolRef{Source: risk.Library, Name: name} }

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
		got, reason := row.policy.Judge(ref("tool"), row.level, row.mode)
		if got != row.want || reason == "" {
			t.Errorf("%v: %v %q: %v (%q), want %v", row.policy, row.level, row.mode, got, reason, row.want)
		}
	}
}

func TestTheZeroLevelPolicyRefusesEverything(t *testing.T) {
	for _, level := range levels {
		for _, mode := range modes {
			if got, _ := (risk.LevelPolicy{}).Judge(ref("tool"), level, mode); got != risk.Deny {
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
						got, _ := p.Judge(ref("tool"), level, mode)
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

// TestNamedTools: what an operator says about one tool counts for that tool alone,
// and never lifts the ceiling.
func TestNamedTools(t *testing.T) {
	p := risk.DefaultLevelPolicy()
	p.Ceiling = risk.L4
	p.Tools = map[string]risk.Treatment{"a": risk.Trust, "b": risk.AskAlways, "c": risk.Refuse, "d": risk.AsUsual, "e": risk.Refuse + 1}
	for _, row := range []struct {
		name  string
		level risk.Level
		mode  catalog.ApprovalMode
		want  risk.Verdict
	}{
		{"a", risk.L4, catalog.ApprovalRequired, risk.Allow},
		{"a", risk.L5, catalog.ApprovalDisabled, risk.Deny},
		{"a", risk.Unrated, catalog.ApprovalDisabled, risk.Deny},
		{"b", risk.L0, catalog.ApprovalDisabled, risk.Ask},
		{"c", risk.L0, catalog.ApprovalDisabled, risk.Deny},
		{"d", risk.L0, catalog.ApprovalDisabled, risk.Allow},
		{"e", risk.L0, catalog.ApprovalDisabled, risk.Deny},
		{"A", risk.L4, catalog.ApprovalRequired, risk.Ask},
	} {
		if got, reason := p.Judge(ref(row.name), row.level, row.mode); got != row.want || reason == "" {
			t.Errorf("%s %v %q: %v (%q), want %v", row.name, row.level, row.mode, got, reason, row.want)
		}
	}
}

// TestRowsNameASource: a row holds for the source and the version that it names,
// a name alone gives trust to the operator's own specs only, and the strictest row
// counts.
func TestRowsNameASource(t *testing.T) {
	old := risk.ToolRef{Source: "mail", Name: "send", Hash: risk.ToolHash{1}}
	fresh := risk.ToolRef{Source: "mail", Name: "send", Hash: risk.ToolHash{2}}
	hash := strings.TrimPrefix(old.String(), "mail/send")
	for _, row := range []struct {
		rows map[string]risk.Treatment
		tool risk.ToolRef
		want risk.Verdict
	}{
		{map[string]risk.Treatment{"send": risk.Trust}, old, risk.Ask},
		{map[string]risk.Treatment{"send": risk.Trust}, ref("send"), risk.Allow},
		{map[string]risk.Treatment{"send": risk.Refuse}, old, risk.Deny},
		{map[string]risk.Treatment{"mail/send": risk.Trust}, old, risk.Allow},
		{map[string]risk.Treatment{"mail/send": risk.Trust}, ref("send"), risk.Ask},
		{map[string]risk.Treatment{"mail/send" + hash: risk.Trust}, old, risk.Allow},
		{map[string]risk.Treatment{"mail/send" + hash: risk.Trust}, fresh, risk.Ask},
		{map[string]risk.Treatment{"send" + hash: risk.Trust}, old, risk.Allow},
		{map[string]risk.Treatment{"mail/send" + hash: risk.Trust, "mail/send": risk.AskAlways}, old, risk.Ask},
		{map[string]risk.Treatment{"mail/send": risk.Trust, "send": risk.Refuse}, old, risk.Deny},
	} {
		p := risk.DefaultLevelPolicy()
		p.Tools = row.rows
		if got, reason := p.Judge(row.tool, risk.L4, catalog.ApprovalRequired); got != row.want {
			t.Errorf("%v for %v: %v (%s), want %v", row.rows, row.tool, got, reason, row.want)
		}
	}
}

// TestPolicyText: policies that judge alike have one text and others have another;
// approvals are bound to it.
func TestPolicyText(t *testing.T) {
	with := func(tools map[string]risk.Treatment) string {
		p := risk.DefaultLevelPolicy()
		p.Tools = tools
		return p.String()
	}
	if a, b := with(nil), with(map[string]risk.Treatment{"x": risk.AsUsual}); a != b {
		t.Errorf("%s and %s", a, b)
	}
	texts := map[string]bool{with(nil): true}
	for _, tools := range []map[string]risk.Treatment{
		{"x": risk.Trust}, {"x": risk.AskAlways}, {"y": risk.Trust}, {"x": risk.Trust, "y": risk.Trust}, {`x"=trust "y`: risk.Trust},
	} {
		if text := with(tools); texts[text] {
			t.Errorf("%v has the text of another policy: %s", tools, text)
		} else {
			texts[text] = true
		}
	}
}
