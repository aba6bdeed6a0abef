package telemetry_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"

	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
)

// units are the endings that a metric of ours may have, and what they are counted in.
// Prometheus wants base units.
var units = []struct{ ending, unit string }{{"_seconds", "seconds"}, {"_bytes", "bytes"}, {"_bytes_total", "bytes"}, {"_total", "count"}, {"_info", "none"}}

// observed returns the metrics of calls of every outcome and of a server's state.
func observed(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	f := everyOutcome(t)
	f.seen.TurnedAway("rate") // only over HTTP
	f.seen.Unpublished(1)     // only in a cluster
	yes := func() bool { return true }
	if err := f.seen.WatchState(telemetry.State{Questions: func() (int, bool) { return 0, true }, Withheld: func() int { return 0 }, Store: func() telemetry.Traffic { return telemetry.Traffic{} }, Configuration: yes, Specs: yes}); err != nil {
		t.Fatal(err)
	}
	all := parsed(t, f.metrics(t))
	maps.DeleteFunc(all, func(name string, _ *dto.MetricFamily) bool {
		return strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") || name == "target_info"
	})
	return all
}

// TestTheTableOfMetrics compares the table of the docs with what a scrape says of each
// metric: labels, type, unit and help. -update writes it.
func TestTheTableOfMetrics(t *testing.T) {
	const path, begin, end = "../../docs/telemetry.md", "| metric | type | unit | what it says |\n|---|---|---|---|\n", "\n\nBeside them are `target_info`"
	all := observed(t)
	var table strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		family := all[name]
		if !strings.HasPrefix(name, "glovebox_") {
			t.Errorf("%s has another prefix than the others", name)
		}
		unit := "count"
		at := slices.IndexFunc(units, func(u struct{ ending, unit string }) bool { return strings.HasSuffix(name, u.ending) })
		kind := strings.ToLower(family.GetType().String())
		switch {
		case at >= 0:
			unit = units[at].unit
		case kind != "gauge":
			t.Errorf("%s, a %s, says no unit", name, kind)
		}
		if (kind == "counter") != strings.HasSuffix(name, "_total") {
			t.Errorf("%s is a %s", name, kind)
		}
		labels := map[string]bool{}
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = true
			}
		}
		shown := name
		if len(labels) > 0 {
			shown += "{" + strings.Join(slices.Sorted(maps.Keys(labels)), ",") + "}"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", shown, kind, unit, family.GetHelp())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	documented, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no table of metrics", path)
	}
	made := strings.TrimSuffix(table.String(), "\n")
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+made+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(documented, made); diff != "" {
		t.Errorf("documented and seen; go test ./mcpserver/telemetry -update writes it:\n%s", diff)
	}
}
