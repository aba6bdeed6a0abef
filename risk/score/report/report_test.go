package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"golang.org/x/net/html"

	"github.com/glovebox-run/glovebox/risk/score"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var seen = time.Date(2026, 11, 23, 5, 0, 0, 0, time.UTC)

// hostile is a server whose every text attacks whoever reads the report.
func hostile() score.Observation {
	attack := `</td><script>alert(1)</script><img src=x onerror=alert(2)> | [a](javascript:b) ` + "\x1b[31m\u202Eevil\u200B\n# big"
	tool, _ := json.Marshal(map[string]any{
		"name": "delete_all " + attack, "description": attack,
		"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"command": map[string]any{"type": "string"}}},
		"annotations": map[string]any{"readOnlyHint": true},
	})
	server, _ := json.Marshal(map[string]any{"name": attack, "version": "1"})
	return score.Observation{
		Version: 1, Target: score.Target{Kind: score.HTTP, URL: "https://evil.example.com/" + attack}, Seen: seen, Depth: score.Passive, Vantage: "a test",
		Wire:   &score.Wire{Status: 200, TLS: &score.TLS{Version: "1.1", Problem: "expired", Detail: attack, NotAfter: seen}},
		Origin: &score.Origin{Sent: "https://x.invalid", Status: 200},
		Hello:  &score.Hello{Era: "legacy", Protocol: "2025-11-25", Server: server, Instructions: attack},
		Tools:  score.Listing{Asked: true, Pages: 1, Items: []json.RawMessage{tool}},
	}
}

func honest() score.Observation {
	return score.Observation{
		Version: 1, Target: score.Target{Kind: score.HTTP, URL: "https://tides.example.com/mcp"}, Seen: seen, TookMS: 80, Depth: score.Passive,
		Wire:   &score.Wire{Status: 405, HSTS: "max-age=31536000", TLS: &score.TLS{Version: "1.3", NotAfter: seen.AddDate(0, 2, 0)}},
		Origin: &score.Origin{Sent: "https://x.invalid", Status: 403},
		Hello:  &score.Hello{Era: "modern", Protocol: "2026-07-28", Server: json.RawMessage(`{"name": "tides", "version": "1.0.0"}`)},
		Tools: score.Listing{Asked: true, Pages: 1, Items: []json.RawMessage{
			json.RawMessage(`{"name": "get_tide_height", "description": "Gets the height of the tide.", "inputSchema": {"type": "object", "properties": {"station": {"type": "string", "enum": ["Brest"]}}}, "annotations": {"readOnlyHint": true}}`),
			json.RawMessage(`{"name": "delete_station", "description": "Deletes a station.", "inputSchema": {"type": "object", "properties": {"station": {"type": "string", "enum": ["Brest"]}}}}`)}},
	}
}

func walled() score.Observation {
	o := honest()
	o.Hello, o.Tools, o.Depth = nil, score.Listing{}, score.Limited
	o.Auth = &score.Auth{Status: 401, Challenge: "Bearer"}
	return o
}

func reports() map[string]*score.Report {
	all := map[string]*score.Report{}
	for name, o := range map[string]score.Observation{"hostile": hostile(), "honest": honest(), "walled": walled(), "nothing": {Target: score.Target{Kind: score.HTTP, URL: "https://tides.example.com/"}, Seen: seen}} {
		r := score.Evaluate(o, score.Refined, score.Background{})
		all[name] = &r
	}
	return all
}

var formats = map[string]func(io.Writer, *score.Report) error{
	"txt":       func(w io.Writer, r *score.Report) error { return Text(w, r, r.Failing(), false) },
	"json":      JSON,
	"md":        Markdown,
	"html":      HTML,
	"svg":       Badge,
	"sarif":     func(w io.Writer, r *score.Report) error { return SARIF(w, "test", []*score.Report{r}) },
	"junit.xml": func(w io.Writer, r *score.Report) error { return JUnit(w, []*score.Report{r}) },
}

func TestGolden(t *testing.T) {
	for name, r := range reports() {
		for ext, write := range formats {
			var b bytes.Buffer
			if err := write(&b, r); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+"."+ext)
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("%s (run with -update and read the diff):\n%s", file, diff)
			}
		}
	}
}

// No format lets a server's text steer a terminal or hide.
func TestNothingInvisible(t *testing.T) {
	for name, r := range reports() {
		for ext, write := range formats {
			if ext == "json" {
				continue // JSON escapes what it must and keeps the rest for programs
			}
			var b bytes.Buffer
			if err := write(&b, r); err != nil {
				t.Fatal(err)
			}
			if i := strings.IndexFunc(b.String(), func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == '\u202E' || r == '\u200B' }); i >= 0 {
				t.Errorf("%s.%s: %q", name, ext, b.String()[max(0, i-20):i+20])
			}
		}
	}
}

func TestTextFits(t *testing.T) {
	for name, r := range reports() {
		var b bytes.Buffer
		if err := Text(&b, r, r.Failing(), false); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
	}
}

func TestColourIsAsked(t *testing.T) {
	r := reports()["honest"]
	for _, colour := range []bool{false, true} {
		var b bytes.Buffer
		if err := Text(&b, r, r.Failing(), colour); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "\x1b[") != colour {
			t.Errorf("colour %v", colour)
		}
	}
}

func TestJSONFollowsItsSchema(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range reports() {
		var b bytes.Buffer
		if err := JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		var doc any
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if resolved.Validate(map[string]any{"version": 1}) == nil {
		t.Error("the schema admits anything")
	}
}

// A browser sees the elements that the template has and none of the server's.
func TestHTMLHoldsNothingOfTheServer(t *testing.T) {
	r := reports()["hostile"]
	var b bytes.Buffer
	if err := HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	for z := html.NewTokenizer(&b); ; {
		if z.Next() == html.ErrorToken {
			break
		}
		token := z.Token()
		switch token.Data {
		case "script", "img", "iframe", "link", "object", "embed", "a", "form":
			if token.Type != html.TextToken {
				t.Errorf("the page has <%s>", token.Data)
			}
		}
		for _, a := range token.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "href" || strings.Contains(a.Val, "javascript:") || strings.Contains(a.Val, "url(") {
				t.Errorf("<%s %s=%q>", token.Data, a.Key, a.Val)
			}
		}
	}
}

func TestEveryReportSaysWhatItIsNot(t *testing.T) {
	for name, r := range reports() {
		for _, ext := range []string{"txt", "json", "md", "html"} {
			var b bytes.Buffer
			if err := formats[ext](&b, r); err != nil {
				t.Fatal(err)
			}
			text := strings.Join(strings.Fields(html.UnescapeString(b.String())), " ")
			for _, want := range append(append([]string{}, r.Limits...), r.Methodology, string(r.Tier), string(r.Level), string(r.Verdict)) {
				if !strings.Contains(text, strings.Join(strings.Fields(want), " ")) {
					t.Errorf("%s.%s lacks %q", name, ext, want)
				}
			}
			for _, a := range r.Assumptions {
				if !strings.Contains(text, a.ID) {
					t.Errorf("%s.%s lacks %s", name, ext, a.ID)
				}
			}
		}
	}
}

func TestXMLIsWellFormed(t *testing.T) {
	for name, r := range reports() {
		for _, ext := range []string{"junit.xml", "svg"} {
			var b bytes.Buffer
			if err := formats[ext](&b, r); err != nil {
				t.Fatal(err)
			}
			for d := xml.NewDecoder(&b); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Errorf("%s.%s: %v", name, ext, err)
					break
				}
			}
		}
	}
}

func TestComparison(t *testing.T) {
	before, after := honest(), honest()
	after.Tools.Items = []json.RawMessage{
		json.RawMessage(strings.Replace(string(before.Tools.Items[0]), "Gets the height", "Returns the height", 1)),
		json.RawMessage(`{"name": "new_tool"}`)}
	a, b := score.Evaluate(before, score.Refined, score.Background{}), score.Evaluate(after, score.Refined, score.Background{Previous: &before})
	c := score.Compare(&a, &b, &before, &after)
	if fmt.Sprint(c.Added, c.Removed, c.Reworded, c.Changed) != "[new_tool] [delete_station] [get_tide_height] []" || c.Same() {
		t.Errorf("%+v", c)
	}
	if len(c.NewFailures) == 0 || len(c.Fixed) == 0 {
		t.Errorf("new failures %v, fixed %v", c.NewFailures, c.Fixed)
	}
	var out bytes.Buffer
	if err := Comparison(&out, c); err != nil || !strings.Contains(out.String(), "tools added: new_tool") {
		t.Error(out.String(), err)
	}
	if same := score.Compare(&a, &a, &before, &before); !same.Same() {
		t.Errorf("%+v", same)
	}
}

func TestBaseline(t *testing.T) {
	r := reports()["honest"]
	day := seen.AddDate(0, 1, 0)
	b := score.BaselineOf(r, "known", day)
	raw, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if b, err = score.ParseBaseline(raw); err != nil {
		t.Fatal(err)
	}
	if open := b.Open(r, seen); len(open) != 0 {
		t.Errorf("accepted findings are open: %v", open)
	}
	if open := b.Open(r, day); len(open) != len(r.Failing()) {
		t.Error("expired ones are not")
	}
	b.Accepted = b.Accepted[1:]
	if open := b.Open(r, seen); len(open) != 1 {
		t.Errorf("%d open, want 1", len(open))
	}
	for _, bad := range []string{`{}`, `x`, `{"version": 1, "accepted": [{"fingerprint": "a", "until": "2027-01-01"}]}`, `{"version": 1, "accepted": [{"fingerprint": "a", "reason": "r"}]}`, `{"version": 1, "accepted": [{"reason": "r", "until": "2027-01-01"}]}`} {
		if _, err := score.ParseBaseline([]byte(bad)); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}
