package exposure_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/risk/score"
)

// A set that demands a grade takes what its server's last scan says, and nothing else of
// the gateway asks for a scan.
func TestDemandedGrade(t *testing.T) {
	s := newScene(t)
	s.server("alpha", honest)
	s.accept()
	s.in.Sources[0].Surface.Resources = append(s.in.Sources[0].Surface.Resources, []byte(`{"uri":"a://b","name":"b"}`))
	for _, tc := range []struct {
		demanded string
		last     *scans.Last
		code     exposure.Code // empty: offered
		why      string
	}{
		{"", nil, "", ""},
		{"", &scans.Last{Grade: "F", Verdict: score.Block}, "", ""},
		{"D", nil, exposure.NotScanned, "never scanned"},
		{"D", &scans.Last{}, exposure.NotScanned, "could not score"},
		{"D", &scans.Last{Grade: "A", Score: 95, Verdict: score.NoVerdict}, exposure.NotScanned, "could not score"},
		{"B", &scans.Last{Grade: "A", Score: 95, Verdict: score.Allow}, "", ""},
		{"B", &scans.Last{Grade: "B", Score: 80, Verdict: score.Review}, "", ""},
		{"B", &scans.Last{Grade: "C", Score: 79, Verdict: score.Review}, exposure.BelowGrade, "grade B, and the last scan of the server has C (79)"},
		{"D", &scans.Last{Grade: "F", Score: 10, Verdict: score.Review}, exposure.BelowGrade, "has F (10)"},
		{"D", &scans.Last{Grade: "A", Score: 92, Verdict: score.Block, HardFails: []string{"a_rule"}}, exposure.BelowGrade, "says block: a_rule"},
	} {
		s.in.Compositions = []exposure.Composition{{Name: "desk", Cap: mcp.L5, Grade: tc.demanded, Enabled: true, Members: []exposure.Member{{Upstream: "alpha", Tool: "find_pages"}}, Resources: []string{"alpha"}}}
		if err := s.in.Compositions[0].Check(); err != nil {
			t.Fatal(err)
		}
		s.in.Sources[0].Scan = tc.last
		o := exposure.Admit(s.in)
		desk := o.Set("desk")
		if got := offered(o); !slices.Equal(got, []string{"alpha/find_pages"}) {
			t.Errorf("%s %+v: the exposed set is %v", tc.demanded, tc.last, got)
		}
		if tc.code == "" {
			if len(o.Withheld) > 0 || len(desk.Tools) != 1 || len(desk.Relays) != 1 {
				t.Errorf("%s %+v: %+v", tc.demanded, tc.last, o.Withheld)
			}
			continue
		}
		if len(desk.Tools)+len(desk.Relays) > 0 || len(o.Withheld) != 2 {
			t.Errorf("%s %+v: offers %d tools and the resources of %d servers: %+v", tc.demanded, tc.last, len(desk.Tools), len(desk.Relays), o.Withheld)
		}
		for _, w := range o.Withheld {
			if w.Code != tc.code || !strings.Contains(w.Why, tc.why) || !strings.Contains(w.WayOut, "glovebox scan --start -- alpha") {
				t.Errorf("%s %+v: %+v", tc.demanded, tc.last, w)
			}
		}
	}
	bad := exposure.Composition{Name: "desk", Grade: "E"}
	if bad.Check() == nil {
		t.Error("the grade E is demanded")
	}
}

// A hard fail that the scan before did not have withholds a server's tools everywhere.
func TestNewHardFail(t *testing.T) {
	s := newScene(t)
	s.server("alpha", honest)
	s.accept()
	s.in.Sources[0].Scan = &scans.Last{Grade: "A", Score: 95, Verdict: score.Block, HardFails: []string{"a_rule"}, Scan: "scan-1", New: []string{"a_rule"}}
	o := exposure.Admit(s.in)
	if got := offered(o); len(got) > 0 || len(o.Withheld) != 1 || o.Withheld[0].Code != exposure.NewHardFail || !strings.Contains(o.Withheld[0].WayOut, "glovebox scan feedback scan-1 --rule a_rule --kind false-positive") {
		t.Errorf("offers %v and withholds %+v", got, o.Withheld)
	}
	s.in.Sources[0].Scan.New = nil
	if got := offered(exposure.Admit(s.in)); len(got) != 1 {
		t.Errorf("what was there before withholds: %v", got)
	}
}
