package score

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the generated parts of docs/scoring.md")

// generated replaces what stands between the marks of a part.
func generated(text, part, content string) string {
	before, rest, ok := strings.Cut(text, "<!-- "+part+" -->\n")
	_, after, closed := strings.Cut(rest, "<!-- /"+part+" -->")
	if !ok || !closed {
		return text + "\nno marks for " + part
	}
	return before + "<!-- " + part + " -->\n" + content + "<!-- /" + part + " -->" + after
}

func TestDocumentedRules(t *testing.T) {
	const file = "../../docs/scoring.md"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	revisions := map[string]string{}
	for _, r := range refined {
		if r.Refines != "" {
			revisions[r.Refines] = strings.TrimPrefix(r.ID, r.Refines)
		}
	}
	var table, not strings.Builder
	for _, c := range Categories {
		fmt.Fprintf(&table, "\n**%s**\n\n| rule | severity | weight | passes when |\n|---|---|---|---|\n", c.Title())
		for _, r := range classic {
			if r.Category != c {
				continue
			}
			id := "`" + r.ID + "`"
			if r.HardFail {
				id += " *"
			}
			if revision := revisions[r.ID]; revision != "" {
				id += " " + revision
			}
			fmt.Fprintf(&table, "| %s | %s | %d | %s |\n", id, r.Severity, r.Weight, r.Summary)
		}
	}
	for _, limit := range limits {
		fmt.Fprintf(&not, "* %s\n", limit)
	}
	want := generated(generated(string(raw), "rules", table.String()+"\n"), "limits", not.String())
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Errorf("run with -update:\n%s", diff)
	}
}
