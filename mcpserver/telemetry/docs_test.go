package telemetry_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
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
	attributes, keys := map[string]bool{}, map[string]bool{}
	for _, s := range f.spans.GetSpans() {
		for _, a := range s.Attributes {
			attributes[string(a.Key)] = true
		}
	}
	for _, line := range f.log.lines(t) {
		if line["msg"] == "mcp.tool.done" || line["msg"] == "mcp.tool.crash" {
			for key := range line {
				keys[key] = true
			}
		}
	}
	for section, seen := range map[string]map[string]bool{"Spans": attributes, "Log lines": keys} {
		if diff := cmp.Diff(documented(t, section), slices.Sorted(maps.Keys(seen))); diff != "" {
			t.Errorf("%s, documented and seen:\n%s", section, diff)
		}
	}
}

// TestEveryEventIsDocumented compares the events of the program's log lines with the
// table, in both directions. An event is words with dots, not a sentence.
func TestEveryEventIsDocumented(t *testing.T) {
	named := regexp.MustCompile(`(?:[lL]ogger(?:\(\))?|[lL]og)\.(?:Error|Warn|Info|Debug)\("([^"]*)"`)
	event := regexp.MustCompile(`^[a-z]+(\.[a-z_]+)+$`)
	seen := map[string]bool{"mcp.sdk": true, "mcp.tool.done": true, "mcp.tool.crash": true} // not literals of such a call
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range named.FindAllSubmatch(text, -1) {
			if name := string(match[1]); event.MatchString(name) {
				seen[name] = true
			} else {
				t.Errorf("%s: %q is no event", path, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(documented(t, "Events"), slices.Sorted(maps.Keys(seen))); diff != "" {
		t.Errorf("documented and used:\n%s", diff)
	}
}
