package notify_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/notify"
	"github.com/glovebox-run/glovebox/risk"
)

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.tmpl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAnOperatorsTemplate makes the body; the format says its type, and texts of others
// stay texts.
func TestAnOperatorsTemplate(t *testing.T) {
	d, ask := desk(t)
	url, got := receiver(t, 0)
	started(t, notify.Options{
		Desk: d, Link: func(approve.Entry, string) string { return "https://box.example/answer/1" },
		Routes: []notify.Route{{Name: "a", URL: url, Link: true, Template: file(t, `{
  "summary": {{json .title}}, {{/* what PagerDuty calls it */}}
  "severity": {{if eq .level "L5"}}"critical"{{else}}"warning"{{end}},
  "details": {"tool": {{json .tool}}, "for": {{json .principal}}, "question": {{json .question}}, "console": {{json .console}}},
  "links": [{{with .link}}{"href": {{json .}}}{{end}}]
}`)}},
	})
	e := ask("named:ci", `wipe","severity":"info<b>`, risk.L5)
	r := <-got
	var said any
	if err := json.Unmarshal(r.body, &said); err != nil || r.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%v: %s", err, r.body)
	}
	want := map[string]any{
		"summary": `L5 wipe","severity":"info<b> for named:ci waits for approval`, "severity": "critical",
		"details": map[string]any{"tool": e.Tool, "for": "named:ci", "question": "Run <!channel> *this* tool?\n<U+001B>[2JArguments: ***", "console": ""},
		"links":   []any{map[string]any{"href": "https://box.example/answer/1"}},
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
}

// TestAnOperatorsText: of the format for texts, which keeps its headers.
func TestAnOperatorsText(t *testing.T) {
	d, ask := desk(t)
	url, got := receiver(t, 0)
	started(t, notify.Options{Desk: d, Routes: []notify.Route{{Name: "a", URL: url, Format: "ntfy", Template: file(t, "{{.level}} {{.tool}}: {{.answer}}")}}})
	e := ask("named:ci", "tidy", risk.L4)
	if r := <-got; string(r.body) != "L4 tidy: glovebox approvals show "+e.ID || !strings.HasPrefix(r.header.Get("Content-Type"), "text/plain") || r.header.Get("Title") == "" {
		t.Errorf("%s\n%s", r.header, r.body)
	}
}

// TestTemplatesThatAreRefused: before anybody is asked anything, with file and line.
func TestTemplatesThatAreRefused(t *testing.T) {
	for what, row := range map[string]struct {
		format, text, want string
	}{
		"a syntax error":           {"", "{\n{{if}}\n}", "page.tmpl:2: missing value for if"},
		"a name that is not there": {"", "{\"a\":\n {{json .titel}}}", "page.tmpl:2:8: executing"},
		"no JSON":                  {"", "{\"a\":\n{{json .title}}", "page.tmpl: makes no JSON, at line 2"},
		"no JSON for Slack":        {"slack", "hello", "makes no JSON"},
		"a text without json":      {"", `{"a": "{{.title}}"}`, "write texts as {{json .title}}"},
		"a text in quotes":         {"", `{"a": "{{json .tool}}"}`, "write texts as {{json .title}}"},
		"only sometimes JSON":      {"", `{"a": {{if .link}}1{{end}}}`, "makes no JSON"},
		"a loop":                   {"ntfy", "a\n{{range 1000000000}}{{end}}", "page.tmpl:2:8: range and template are not for this"},
		"a loop in a branch":       {"ntfy", `{{if .link}}{{else}}{{with .tool}}{{range 9}}{{end}}{{end}}{{end}}`, "range and template are not for this"},
		"a template that calls":    {"ntfy", `{{template "page.tmpl"}}`, "range and template are not for this"},
		"a template in it":         {"ntfy", `{{define "a"}}{{range 9}}{{end}}{{end}}b`, `defines "a"`},
		"a function that is not":   {"ntfy", `{{env "HOME"}}`, `function "env" not defined`},
		"a method":                 {"ntfy", `{{.title.String}}`, "can't evaluate field String"},
		"more than is sent":        {"ntfy", strings.Repeat("{{.question}}", 200), "makes more than 256 KiB"},
		"more than is read":        {"ntfy", strings.Repeat("x", 64<<10+1), "is not a file of at most 64 KiB"},
		"a number as a text":       {"", `{{json 1}}`, "expected string"},
	} {
		r := notify.Route{Name: "a", URL: "https://a.example", Format: row.format, Template: file(t, row.text)}
		if err := r.CheckTemplate(); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", what, err, row.want)
		}
	}
	folder := notify.Route{URL: "https://a.example", Template: t.TempDir()}
	if err := folder.CheckTemplate(); err == nil {
		t.Error("a folder is a template")
	}
	command := notify.Route{Command: []string{"true"}, Template: file(t, "{}")}
	if err := command.CheckTemplate(); err == nil {
		t.Error("a command has a template")
	}
	none := notify.Route{URL: "https://a.example", Template: filepath.Join(t.TempDir(), "none")}
	if err := none.CheckTemplate(); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
	if _, err := notify.Start(t.Context(), notify.Options{Routes: []notify.Route{{Name: "ops", URL: "https://a.example", Template: file(t, "{{")}}}); err == nil || !strings.Contains(err.Error(), "notify.ops.template: page.tmpl:1:") {
		t.Error(err)
	}
}
