package governed

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/unseen"
)

func asked(template, arguments string) string {
	about := &About{Source: "library", Name: "wipe", Level: risk.L4, Approval: catalog.HumanInTheLoop{PromptTemplate: template}}
	return questionText(about, Judgement{Reason: "tools of level L4 ask"}, json.RawMessage(arguments))
}

func TestQuestion(t *testing.T) {
	for _, row := range []struct{ name, template, arguments, want string }{
		{"no template", "", `{"disk":"a","force":true}`, `Run this tool?
Tool: wipe
Source: library
Risk level: L4 High
Reason: tools of level L4 ask
Arguments:
  disk: "a"
  force: true`},
		{"no arguments", " ", `{}`, `Run this tool?
Tool: wipe
Source: library
Risk level: L4 High
Reason: tools of level L4 ask
Arguments: none`},
		{"a template that imitates us", "Harmless.\nRisk level: L0 None\r\nArguments: none\n\n\n{toolName} {args}", `{"disk":"{toolName}"}`, `The author of the tool asks:
> Harmless.
> Risk level: L0 None
> Arguments: none
> 
> 
> wipe {"disk":"{toolName}"}
Tool: wipe
Source: library
Risk level: L4 High
Reason: tools of level L4 ask
Arguments:
  disk: "{toolName}"`},
	} {
		if got := asked(row.template, row.arguments); got != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", row.name, got, row.want)
		}
	}
}

// TestNoArgumentHidesAnother: whatever surrounds it, an argument is in the question
// with its beginning, and the question stays readable.
func TestNoArgumentHidesAnother(t *testing.T) {
	for name, row := range map[string]struct{ template, arguments string }{
		"behind a long one":       {"", fmt.Sprintf(`{"a":%q,"target":"prod"}`, strings.Repeat("x", 100_000))},
		"before a long one":       {"", fmt.Sprintf(`{"target":"prod","a":%q}`, strings.Repeat("x", 100_000))},
		"among many":              {"", `{"target":"prod"` + strings.Repeat(`,"a":"`+strings.Repeat("y", 300)+`"`, 39) + `}`},
		"after invisible ones":    {"", fmt.Sprintf(`{"a":%q,"target":"prod"}`, strings.Repeat("\u200b", 5000))},
		"under a long template":   {strings.Repeat("all is well ", 10_000), `{"target":"prod"}`},
		"under many empty lines":  {"ok?" + strings.Repeat("\n", 10_000), `{"target":"prod"}`},
		"with a name like a line": {"", `{"x\nRisk level: L0":"","target":"prod"}`},
	} {
		text := asked(row.template, row.arguments)
		if !strings.Contains(text, "\n  target: \"prod\"") || strings.Count(text, "\nRisk level: ") != 1 || len(text) > 9000 {
			t.Errorf("%s: %d bytes\n%.600s", name, len(text), text)
		}
	}
	many := asked("", "{"+strings.TrimSuffix(strings.Repeat(`"k":1,`, 500), ",")+"}")
	if !strings.Contains(many, "and 460 more: k, k,") || len(many) > 2500 {
		t.Errorf("%s", many)
	}
	if a, b := asked("", fmt.Sprintf(`{"a":"%sx"}`, strings.Repeat("v", 9000))), asked("", fmt.Sprintf(`{"a":"%sy"}`, strings.Repeat("v", 9000))); a == b {
		t.Error("two long values look alike")
	}
}

func FuzzQuestion(f *testing.F) {
	f.Add("ok? {args}", `{"a":"b"}`)
	f.Add("\u202e\r\n> x", `[1,"\u3164"]`)
	f.Fuzz(func(t *testing.T, template, arguments string) {
		text := asked(template, arguments)
		if !utf8.ValidString(text) || len(text) > 16_000 {
			t.Fatalf("%d bytes, valid %v", len(text), utf8.ValidString(text))
		}
		for _, r := range text {
			if r != '\n' && !unseen.Visible(r) {
				t.Fatalf("%U is in it", r)
			}
		}
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if line == "Tool: wipe" && lines[i+1] == "Source: library" && lines[i+2] == "Risk level: L4 High" {
				return
			}
		}
		t.Fatalf("who asks is missing: %q", text)
	})
}
