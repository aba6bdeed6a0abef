package mcp

import (
	"math"
	"testing"

	"github.com/glovebox-run/glovebox/risk"
)

// What the reference makes of the same spellings, its mistakes included.

// The standard library is the oracle for every address written the plain way.

// The points of every factor by itself, as the rubric publishes them.

// Annotations of a server that nobody vouches for can only speak against it.

func TestFloorsNeverLower(t *testing.T) {
	undocumented := Tool{Name: "x", Coverage: math.NaN(), SendsUserData: true, SideEffect: EffectRemoteAdmin}
	if got := ScoreTool(Reference, undocumented); got.Level != L4 || got.Points < 4 {
		t.Errorf("the reference puts the level of an undocumented tool at L4: %s", got.Explain())
	}
	if got := ScoreTool(Default, undocumented); got.Level != L4 || got.Points < 6 {
		t.Errorf("gaps do not count for the level, but for the score: %s", got.Explain())
	}
	if got := ScoreTool(Default, Tool{Name: "delete_it", TrustedServer: true, Annotations: Annotations{ReadOnly: True}}); got.Level != L5 {
		t.Errorf("a vouched server's promise lowered a floor: %s", got.Explain())
	}
	server := ServerRisk{Score: Score{Level: L3, Points: 2}}
	tool := ToolRisk{Score{Level: L4, Points: 3, Floor: Floor{ID: FloorUndocumented, Level: L4}}}
	if got := Compose(Reference, server, tool); got.Level != L4 || got.Trigger.ID != FloorUndocumented {
		t.Errorf("reference: %v", got)
	}
	if got := Compose(Default, server, tool); got.Level != L5 {
		t.Errorf("default: %v", got)
	}
}

func TestTheServersFloorIsNamedFirst(t *testing.T) {
	calm, floor := Score{Level: L1}, func(id string) Score { return Score{Level: L5, Floor: Floor{ID: id, Level: L5}} }
	for _, tc := range []struct {
		server, tool Score
		want         string
	}{
		{calm, calm, ""},
		{floor("s"), calm, "s"},
		{calm, floor("t"), "t"},
		{floor("s"), floor("t"), "s"},
	} {
		for _, p := range []Profile{Default, Reference} {
			got := Compose(p, ServerRisk{Score: tc.server}, ToolRisk{tc.tool})
			if got.Trigger.ID != tc.want || (got.Level == L5) != (tc.want != "") {
				t.Errorf("%v: %q at %v, want %q", p, got.Trigger.ID, got.Level, tc.want)
			}
		}
	}
}

func TestUnratedIsNotSafe(t *testing.T) {
	if got := UnknownServer(Default); got.Within(L5) {
		t.Errorf("an unknown server passes as %v", got)
	}
	if got := Compose(Default, ServerRisk{}, ToolRisk{Score{Level: L1}}); got.Level.Within(L5) {
		t.Errorf("a tool of an unrated server passes as %v", got.Level)
	}
	if got := Aggregate(Default, []Level{L1, Unrated}); got.Within(L5) {
		t.Errorf("a composition with an unrated member passes as %v", got)
	}
	if got := Aggregate(Reference, []Level{L1, Unrated, L2}); got != L2 {
		t.Errorf("the reference skips an unrated member, but says %v", got)
	}
	if got := Aggregate(Default, nil); got != L0 {
		t.Errorf("an empty composition is %v", got)
	}
	inherent, effective := BuiltInTool(Default, risk.Unrated, true, true)
	if inherent != Unrated || effective != Unrated {
		t.Errorf("a tool that nobody rated is %v, %v", inherent, effective)
	}
	if got := ScoreServer(Default, Server{}); got.Level != L5 || got.Floor.ID != FloorNoAuthUnknown {
		t.Errorf("the zero server: %s", got.Explain())
	}
	if got := Mitigate(Default, L0, true); got != L0 {
		t.Errorf("approval raised L0 to %v", got)
	}
	if _, effective := BuiltInTool(Default, risk.L4, true, false); effective != L4 {
		t.Errorf("credit for approval although the scan was not clean: %v", effective)
	}
}

// Values off the scale come from a caller's mistake and must not be read as safe.

func TestValuesOffTheScale(t *testing.T) {
	s := ScoreServer(Default, Server{Transport: Transport(99), URL: "https://x.example/", Auth: Auth(len(authPoints)), Origin: Origin(99), Docs: 0xFF})
	if s.Axis("auth").Points != 2 || s.Axis("trust").Points != 2 || s.Host != Public {
		t.Error(s.Explain())
	}
	if text := Transport(99).String() + Auth(99).String() + HostClass(99).String() + SideEffect(99).String() + Profile(99).String(); text != "unknownnonepublicunknowndefault" {
		t.Error(text)
	}
}

func TestEveryDocGapCountsOnce(t *testing.T) {
	why := map[string]bool{}
	for _, gap := range []DocGaps{NoDocsURL, DocsInadequate, UnusedFor90Days} {
		axis := ScoreServer(Default, Server{Docs: gap}).Axis("doc")
		if axis.Points != 1 || len(axis.Drivers) != 1 {
			t.Errorf("%b: %+v", gap, axis)
		}
		why[axis.Drivers[0].Why] = true
	}
	if all := ScoreServer(Default, Server{Docs: NoDocsURL | DocsInadequate | UnusedFor90Days}).Axis("doc"); all.Points != 2 || len(all.Drivers) != 3 || len(why) != 3 {
		t.Errorf("all together: %+v", all)
	}
	days := func(n int) *int { return &n }
	for _, tc := range []struct {
		url      string
		adequate bool
		used     *int
		want     DocGaps
	}{
		{"https://d.example", true, nil, 0},
		{"https://d.example", true, days(90), 0},
		{"https://d.example", true, days(91), UnusedFor90Days},
		{" ", true, nil, NoDocsURL},
		{"https://d.example", false, days(0), DocsInadequate},
	} {
		if got := GapsOf(tc.url, tc.adequate, tc.used); got != tc.want {
			t.Errorf("%+v: got %b", tc, got)
		}
	}
}
