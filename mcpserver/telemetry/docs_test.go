package telemetry_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var row = regexp.MustCompile("(?m)^\\| `([a-zA-Z_.]+)[`{]")

// documented returns the names in the tables of a section of docs/telemetry.md.
func documented(t *testing.T, section string) (names []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/telemetry.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n## "+section+"\n")
	if !found {
		t.Fatalf("docs/telemetry.md has no section %s", section)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	for _, match := range row.FindAllStringSubmatch(rest, -1) {
		names = append(names, match[1])
	}
	slices.Sort(names)
	return names
}

// TestEveryNameIsDocumented compares docs/telemetry.md with the names that calls of
// every outcome produce, in both directions.
func TestEveryNameIsDocumented(t *testing.T) {
	f := everyOutcome(t)
	f.seen.TurnedAway("rate") // only over HTTP
	f.seen.Unpublished(1)     // only in a cluster
	attributes, metrics, keys := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, s := range f.spans.GetSpans() {
		for _, a := range s.Attributes {
			attributes[string(a.Key)] = true
		}
	}
	for name := range parsed(t, f.metrics(t)) {
		if !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "process_") {
			metrics[name] = true
		}
	}
	for _, line := range f.log.lines(t) {
		if line["msg"] == "mcp.tool.done" || line["msg"] == "mcp.tool.crash" {
			for key := range line {
				keys[key] = true
			}
		}
	}
	for section, seen := range map[string]map[string]bool{"Spans": attributes, "Metrics": metrics, "Log lines": keys} {
		if diff := cmp.Diff(documented(t, section), slices.Sorted(maps.Keys(seen))); diff != "" {
			t.Errorf("%s, documented and seen:\n%s", section, diff)
		}
	}
}
