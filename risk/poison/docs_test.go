package poison

import (
	cmdflag "flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/risk/poison/internal/language"
)

var update = cmdflag.Bool("update", false, "rewrite the golden files")

const (
	docsPage   = "../../docs/poisoning.md"
	tableStart = "<!-- rules: written by make golden -->\n"
)

// The tables of the page are written from the tables of the code.
func TestDocsListEveryRule(t *testing.T) {
	page, err := os.ReadFile(docsPage)
	if err != nil {
		t.Fatal(err)
	}
	prose, got, ok := strings.Cut(string(page), tableStart)
	if !ok {
		t.Fatalf("%s has no line %q", docsPage, tableStart)
	}
	want := ruleTables()
	if *update {
		if err := os.WriteFile(docsPage, []byte(prose+tableStart+want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (code -, page +), make golden rewrites it\n%s", docsPage, diff)
	}
}

func ruleTables() string {
	var b strings.Builder
	b.WriteString("\n### Evidence of the language layer\n\n| id | class | points | the text ... |\n|---|---|---|---|\n")
	for _, r := range language.Rules() {
		class := r.Class
		if class == "" {
			class = "(manner)"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %s |\n", r.ID, class, r.Points, r.Why)
	}
	b.WriteString("\n### Characters and payloads\n\n| id | class | confidence alone | |\n|---|---|---|---|\n")
	for _, id := range characterRules {
		r := trickRules[id]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", id, r.class, r.confidence, r.why)
	}
	for _, r := range payloadRules {
		fmt.Fprintf(&b, "| `%s` | %s | by what it says | %s |\n", r.id, r.class, r.why)
	}
	fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", tooDeep, DeceptiveText, High, whyTooDeep)
	b.WriteString("\n### Reference patterns\n\nReported with low confidence: ")
	for _, p := range referencePatterns {
		fmt.Fprintf(&b, "`%s`, ", p.id)
	}
	fmt.Fprintf(&b, "`%s`.\n", CrossServer)
	return b.String()
}
