package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"golang.org/x/net/html"

	"github.com/glovebox-run/glovebox/internal/hostiletest"
	"github.com/glovebox-run/glovebox/risk/score"
)

// maxReport is how long a report of a few tools may be, in bytes, however long their names
// are: a forge takes 64 KB in a comment, and a build keeps its reports.
const maxReport = 512 << 10

// eachHostile writes the report of every hostile server in one format.
func eachHostile(t *testing.T, ext string, look func(t *testing.T, r *score.Report, text []byte)) {
	for seed := range uint64(hostiletest.Seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			for _, p := range []score.Profile{score.Classic, score.Refined} {
				r := score.Evaluate(hostiletest.Observation(seed), p, score.Background{})
				var b bytes.Buffer
				if err := formats[ext](&b, &r); err != nil {
					t.Fatal(err)
				}
				if b.Len() > maxReport {
					t.Errorf("%d bytes", b.Len())
				}
				if !utf8.Valid(b.Bytes()) {
					t.Error("no UTF-8")
				}
				look(t, &r, b.Bytes())
			}
		})
	}
}

// unprintable is what no format shows as it is.
func unprintable(r rune) bool {
	return r != '\n' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029')
}

func shows(t *testing.T, where string, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, unprintable); i >= 0 {
		t.Errorf("%s: %q", where, text[max(0, i-20):min(len(text), i+20)])
	}
}

func TestHostileText(t *testing.T) {
	eachHostile(t, "txt", func(t *testing.T, _ *score.Report, text []byte) {
		shows(t, "text", string(text))
		for line := range strings.Lines(string(text)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns: %q", n, line)
			}
		}
	})
}

func schemaOf(t *testing.T, raw []byte) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func TestHostileJSON(t *testing.T) {
	schema := schemaOf(t, Schema())
	eachHostile(t, "json", func(t *testing.T, _ *score.Report, text []byte) {
		var doc any
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Error(err)
		}
	})
}

// The schema is that of OASIS, errata 01, with the two words of draft 4 that draft 7
// spells otherwise.
func TestHostileSARIF(t *testing.T) {
	raw, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.Replace(raw, []byte("draft-04"), []byte("draft-07"), 1)
	schema := schemaOf(t, bytes.Replace(raw, []byte(`"id": "https://docs`), []byte(`"$id": "https://docs`), 1))
	if schema.Validate(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{"results": []any{}}}}) == nil {
		t.Fatal("the schema admits a run without a tool")
	}
	eachHostile(t, "sarif", func(t *testing.T, r *score.Report, text []byte) {
		var doc map[string]any
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Error(err)
		}
		var ids []string
		for _, f := range r.Failing() {
			ids = append(ids, f.ID)
		}
		for _, result := range doc["runs"].([]any)[0].(map[string]any)["results"].([]any) {
			if id := result.(map[string]any)["ruleId"].(string); !slices.Contains(ids, id) {
				t.Errorf("a result of %s", id)
			}
			shows(t, "SARIF", result.(map[string]any)["message"].(map[string]any)["text"].(string))
		}
	})
}

func TestHostileJUnit(t *testing.T) {
	eachHostile(t, "junit.xml", func(t *testing.T, r *score.Report, text []byte) {
		shows(t, "JUnit", strings.ReplaceAll(string(text), "\t", " "))
		var cases, failures, depth int
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			switch e := token.(type) {
			case xml.StartElement:
				depth++
				switch e.Name.Local {
				case "testsuites", "testsuite", "skipped", "properties", "property", "system-out":
				case "failure":
					failures++
				case "testcase":
					cases++
				default:
					t.Errorf("<%s>", e.Name.Local)
				}
			case xml.EndElement:
				depth--
			case xml.Comment, xml.Directive:
				t.Errorf("%T", token)
			}
		}
		if cases != 61 || failures != len(r.Failing()) || depth != 0 {
			t.Errorf("%d cases, %d failures, depth %d", cases, failures, depth)
		}
	})
}

func TestHostileBadge(t *testing.T) {
	eachHostile(t, "svg", func(t *testing.T, _ *score.Report, text []byte) {
		if err := xml.Unmarshal(text, new(struct{})); err != nil {
			t.Error(err)
		}
	})
}

// A browser builds the same elements as for an honest server: those of the template, in
// the places where it has them.
func TestHostileHTML(t *testing.T) {
	allowed := map[string]bool{}
	var honestly bytes.Buffer
	for _, r := range reports() {
		if err := HTML(&honestly, r); err != nil {
			t.Fatal(err)
		}
	}
	eachElement(t, honestly.Bytes(), func(path string, _ *html.Node) { allowed[path] = true })
	eachHostile(t, "html", func(t *testing.T, _ *score.Report, text []byte) {
		eachElement(t, text, func(path string, n *html.Node) {
			if !allowed[path] && !strings.Contains(path, "pre") {
				t.Errorf("%s", path)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "href" || a.Key == "style" && strings.Contains(a.Val, "url") {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
				shows(t, "an attribute", a.Val)
			}
		})
	})
}

// eachElement walks a page as a browser reads it. A path is the names of an element and of
// those around it.
func eachElement(t *testing.T, page []byte, see func(path string, n *html.Node)) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n *html.Node, path string)
	walk = func(n *html.Node, path string) {
		switch n.Type {
		case html.ElementNode:
			path += "/" + n.Data
			see(path, n)
		case html.CommentNode:
			t.Errorf("a comment: %.60q", n.Data)
		case html.TextNode:
			if !strings.HasSuffix(path, "/style") {
				shows(t, "the page", strings.ReplaceAll(n.Data, "\t", " "))
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, path)
		}
	}
	walk(root, "")
}
