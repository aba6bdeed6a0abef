package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

// shownAt is the time at which the page's calls ran.
var shownAt = time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)

// TestOutputPage writes docs/catalog-output.md: every tool with its test values,
// the services' stand-ins, and a clock and randomness that stay the same.
func TestOutputPage(t *testing.T) {
	rt := openRuntime(t)
	specs := onDisk(t)
	world := newStandin(t, hostsOf(specs), nil).world()
	world.Random = rand.NewChaCha8([32]byte{1})
	var page bytes.Buffer
	fmt.Fprintf(&page, "# What the bundled tools answer\n\nMade by `go test ./catalog/tools -update`: all %d tools, called with their own test values. Services are stand-ins that answer in the shape their documentation gives. Long texts are cut.\n", len(specs))
	for _, spec := range specs {
		space := workspace(t)
		world.Workspace = space
		for _, name := range []string{"notes.txt", "table.tsv", "old/x.txt"} {
			if err := os.Chtimes(filepath.Join(space.Path(), name), shownAt, shownAt); err != nil {
				t.Fatal(err)
			}
		}
		tool := prepare(t, rt, spec)
		arguments, problems := spec.TestArguments()
		if problems.Err() != nil {
			t.Fatal(problems)
		}
		d := tool.Decide(risk.Allow, "a test", arguments)
		got := tool.Call(t.Context(), runtime.Invocation{
			Arguments: arguments, World: world, Clearance: d.Clear(time.Now().Add(time.Minute)), Clock: jsengine.VirtualClock(shownAt), Seed: 1,
		})
		if got.Failure != nil {
			t.Errorf("%s: %s", spec.Name(), failureOf(got.Failure))
			continue
		}
		value := bytes.ReplaceAll(got.Value, []byte(space.Path()), []byte("/workspace"))
		fmt.Fprintf(&page, "\n## %s\n\n%s\n", spec.Name(), spec.Description())
		if string(arguments) != "{}" {
			fmt.Fprintf(&page, "\n```json\n%s\n```\n", shown(t, arguments))
		}
		show(t, &page, spec, value)
	}
	golden(t, filepath.Join("..", "..", "docs", "catalog-output.md"), page.Bytes())
}

// show writes a result: text that is Markdown as it is, pictures into files of
// their own, everything else as JSON.
func show(t *testing.T, page *bytes.Buffer, spec *catalog.Spec, value []byte) {
	var c card
	if value[0] == '{' {
		if err := json.Unmarshal(value, &c); err != nil && strings.HasPrefix(spec.Name(), "render") {
			t.Fatal(err)
		}
	}
	if strings.HasPrefix(spec.Name(), "render") && c.Text != "" {
		fmt.Fprintf(page, "\n%s\n", strings.TrimSpace(c.Text))
	} else {
		fmt.Fprintf(page, "\n```json\n%s\n```\n", shown(t, value))
	}
	if c.SVG != "" {
		wellFormed(t, c.SVG)
		golden(t, filepath.Join("..", "..", "docs", "pictures", spec.Name()+".svg"), []byte(c.SVG+"\n"))
		fmt.Fprintf(page, "\n![%s](pictures/%s.svg)\n", spec.Name(), spec.Name())
	}
}

// shown is JSON for people: indented, long texts cut, pictures left to the files.
func shown(t *testing.T, text []byte) string {
	t.Helper()
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(shortened(value)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

func shortened(value any) any {
	const most = 300 // characters of one text
	switch value := value.(type) {
	case string:
		if runes := []rune(value); len(runes) > most {
			return string(runes[:most]) + "…"
		}
	case []any:
		for i := range value {
			value[i] = shortened(value[i])
		}
	case map[string]any:
		for key := range value {
			if key == "svg" || key == "dataUrl" {
				value[key] = "…"
				continue
			}
			value[key] = shortened(value[key])
		}
	}
	return value
}
