package risk

import (
	"errors"
	"testing"
	"time"
)

func TestZeroDecisionAndClearanceDeny(t *testing.T) {
	var d Decision
	now := time.Unix(1000, 0)
	if d.Verdict() != Deny {
		t.Fatalf("the zero decision says %v", d.Verdict())
	}
	for name, c := range map[string]Clearance{
		"zero":              {},
		"cleared deny":      d.Clear(now.Add(time.Hour)),
		"approved deny":     d.Approve(now.Add(time.Hour)),
		"cleared ask":       Decide(Ask, "", ToolHash{}, ArgumentsHash{}).Clear(now.Add(time.Hour)),
		"approved allow":    Decide(Allow, "", ToolHash{}, ArgumentsHash{}).Approve(now.Add(time.Hour)),
		"off-scale cleared": Decide(Verdict(9), "", ToolHash{}, ArgumentsHash{}).Clear(now.Add(time.Hour)),
	} {
		if err := c.Check(ToolHash{}, ArgumentsHash{}, now); !errors.Is(err, ErrNotCleared) {
			t.Errorf("%s clearance: %v", name, err)
		}
	}
}

func TestClearanceIsBoundToToolArgumentsAndTime(t *testing.T) {
	tool, args := ToolHash{1}, HashArguments([]byte(`{"a":1}`))
	until := time.Unix(2000, 0)
	c := Decide(Ask, "writes files", tool, args).Approve(until)
	for _, tc := range []struct {
		name string
		tool ToolHash
		args ArgumentsHash
		now  time.Time
		want error
	}{
		{"the call itself", tool, args, until.Add(-time.Nanosecond), nil},
		{"another tool", ToolHash{2}, args, time.Unix(0, 0), ErrOtherTool},
		{"the same JSON spelled otherwise", tool, HashArguments([]byte(`{"a": 1}`)), time.Unix(0, 0), ErrOtherArguments},
		{"at the deadline", tool, args, until, ErrClearanceExpired},
	} {
		if err := c.Check(tc.tool, tc.args, tc.now); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, err, tc.want)
		}
	}
}
