package parse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// moduleDir is where a module that go.mod names lies. Two of them carry published
// test suites along.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(dir))
}

// treeFailures are pages of html5lib's tests, by file and number in it, of which
// the parser makes another tree: it does not copy the chosen option of a select
// into selectedcontent, which is new.
var treeFailures = []string{"webkit02.dat 45", "webkit02.dat 46", "webkit02.dat 47", "webkit02.dat 48"}

// html5lib's tests of tree construction, as far as they are whole pages without
// scripts. https://github.com/html5lib/html5lib-tests describes the format.
func TestHTML5LibTrees(t *testing.T) {
	dir := filepath.Join(moduleDir(t, "golang.org/x/net"), "html", "testdata", "html5lib-tests", "tree-construction")
	names, err := filepath.Glob(filepath.Join(dir, "*.dat"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for n, test := range strings.Split("\n\n"+strings.TrimSuffix(string(text), "\n"), "\n\n#data\n") {
			source, rest, ok := strings.Cut(test, "\n#errors\n")
			_, tree, whole := strings.Cut(rest, "#document\n")
			if !ok || !whole || strings.Contains(rest, "#document-fragment") || strings.Contains(rest, "#script-on") || source == "" {
				continue
			}
			ran++
			id := fmt.Sprintf("%s %d", filepath.Base(name), n)
			h, root := page(t, source)
			got := dump(h.nodes[root[0]])
			known := slices.Contains(treeFailures, id)
			switch ok := got == strings.TrimSuffix(tree, "\n"); {
			case !ok && !known:
				t.Errorf("%q: %q\n%s", id, source, cmp.Diff(tree, got))
			case ok && known:
				t.Errorf("%s is a known failure and passes", id)
			}
		}
	}
	t.Logf("%d pages, %d known failures", ran, len(treeFailures))
	if ran < 1000 {
		t.Errorf("only %d pages", ran)
	}
}

// dump writes a tree as html5lib does.
func dump(root *html.Node) string {
	var out strings.Builder
	var walk func(n *html.Node, depth int)
	line := func(depth int, format string, args ...any) {
		out.WriteString("\n| " + strings.Repeat("  ", depth) + fmt.Sprintf(format, args...))
	}
	walk = func(n *html.Node, depth int) {
		switch n.Type {
		case html.ElementNode:
			name := n.Data
			if n.Namespace != "" {
				name = n.Namespace + " " + name
			}
			line(depth, "<%s>", name)
			attributes := slices.Clone(n.Attr)
			slices.SortFunc(attributes, func(a, b html.Attribute) int { return strings.Compare(fullKey(a), fullKey(b)) })
			for _, a := range attributes {
				line(depth+1, "%s=\"%s\"", fullKey(a), a.Val)
			}
			if n.Data == "template" && n.Namespace == "" {
				depth++
				line(depth, "content")
			}
		case html.TextNode:
			line(depth, "\"%s\"", n.Data)
		case html.CommentNode:
			line(depth, "<!-- %s -->", n.Data)
		case html.DoctypeNode:
			line(depth, "<!DOCTYPE %s%s>", n.Data, doctype(n.Attr))
		}
		for c := range n.ChildNodes() {
			walk(c, depth+1)
		}
	}
	for c := range root.ChildNodes() {
		walk(c, 0)
	}
	return strings.TrimPrefix(out.String(), "\n")
}

func fullKey(a html.Attribute) string { return strings.TrimSpace(a.Namespace + " " + a.Key) }

func doctype(attributes []html.Attribute) string {
	if len(attributes) == 0 {
		return ""
	}
	value := map[string]string{}
	for _, a := range attributes {
		value[a.Key] = a.Val
	}
	return fmt.Sprintf(` "%s" "%s"`, value["public"], value["system"])
}

// yamlFailures are cases of the YAML test suite that end otherwise here. They are
// the library's: it reads the grammar of YAML 1.1 with most of 1.2.
var yamlFailures = strings.Fields(`
	allowed-characters-in-alias
	anchor-with-unicode-character
	anchors-with-colon-in-name
	block-scalar-with-more-spaces-than-first-content-line
	construct-binary
	duplicate-yaml-directive
	extra-words-on-yaml-directive
	spec-example-6-28-non-specific-tags
	spec-example-9-5-directives-documents
	wrong-indented-flow-sequence
	wrong-indented-multiline-quoted-scalar
`)

// The YAML test suite. What is no JSON value there, several documents or none,
// and tags of one's own are refused here on purpose.
func TestYAMLSuite(t *testing.T) {
	dir := filepath.Join(moduleDir(t, "github.com/goccy/go-yaml"), "testdata", "yaml-test-suite")
	inputs, err := filepath.Glob(filepath.Join(dir, "*", "in.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	ran, refused := 0, 0
	for _, input := range inputs {
		name := filepath.Base(filepath.Dir(input))
		text, err := os.ReadFile(input)
		if err != nil {
			t.Fatal(err)
		}
		want, jsonErr := os.ReadFile(filepath.Join(filepath.Dir(input), "in.json"))
		_, errorErr := os.Stat(filepath.Join(filepath.Dir(input), "error"))
		if len(text) == 0 || jsonErr != nil && errorErr != nil {
			continue // no expectation that is data
		}
		ran++
		reply, _, err := YAML(t.Context(), budgettest.Ample(), text, nil)
		var ok bool
		switch documents := jsonValues(t, want); {
		case errorErr == nil:
			ok = err != nil
		case len(documents) > 1 || err != nil && strings.Contains(err.Error(), "the tag "):
			refused++
			ok = reason(err) == "parse-failed"
		case len(documents) == 0:
			ok = err == nil && string(reply) == "null"
		default:
			ok = err == nil && cmp.Equal(jsonValues(t, reply), documents)
		}
		switch known := slices.Contains(yamlFailures, name); {
		case !ok && !known:
			t.Errorf("%q: %q\ngot %s, %v\nwant %s", name, text, reply, err, want)
		case ok && known:
			t.Errorf("%s is a known failure and passes", name)
		}
	}
	t.Logf("%d cases, %d refused on purpose, %d known failures", ran, refused, len(yamlFailures))
	if ran < 250 {
		t.Errorf("only %d cases", ran)
	}
}

func jsonValues(t *testing.T, text []byte) (all []any) {
	t.Helper()
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var v any
		if err := d.Decode(&v); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all = append(all, v)
	}
}
