package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of docs/why/scale.md")

// TestThePageIsTrue: the table in the docs is what the simulation gives for the costs.
func TestThePageIsTrue(t *testing.T) {
	const page, begin, end = "../../../docs/why/scale.md", "<!-- go test ./internal/sim/scale -update -->\n", "<!-- end -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	old, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatal("the page has no place for the table")
	}
	var now bytes.Buffer
	if err := table(&now); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+now.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if now.String() != old {
		t.Errorf("the simulation gives\n%s\nthe page says\n%s", &now, old)
	}
}

// TestAPlanHasRoom for the work that it is planned for: the simulated deployment keeps up
// with what arrives, and is as busy as its costs say.
func TestAPlanHasRoom(t *testing.T) {
	c := costs{Call: cost{1, 0.5, 0}, Question: cost{10, 20, 0}, StoreMessageMs: 0.2, SessionKiB: 10}
	for _, agents := range []int{10, 5_000, 300_000} {
		p := planFor(agents, c)
		calls, questions := float64(agents)*callsPerSecond, float64(agents)*questionsPerHour/3600
		wantServer := (calls*1 + questions*10) / 1000 / float64(p.cells*p.servers*processors)
		wantStore := (calls*0.5 + questions*20) * 0.2 / 1000 / float64(p.cells)
		if p.of.ServerBusy > busyAtMost*1.05 || p.of.StoreBusy > busyAtMost*1.05 {
			t.Errorf("%d agents: %+v", agents, p)
		}
		for _, x := range []struct{ is, want float64 }{{p.of.ServerBusy, wantServer}, {p.of.StoreBusy, wantStore}} {
			if x.is < x.want*0.93 || x.is > x.want*1.07 {
				t.Errorf("%d agents: busy %.4f, the costs say %.4f", agents, x.is, x.want)
			}
		}
	}
}
