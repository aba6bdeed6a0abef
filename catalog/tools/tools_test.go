package tools_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/lint"
	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/risk"
)

var update = flag.Bool("update", false, "put the .js files into the .json files, pin them and rewrite docs/catalog.md and docs/catalog-output.md")

// golden compares a file with what it should hold, or rewrites it.
func golden(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date; run go test ./catalog/tools -update", path)
	}
}

// onDisk reads the specs from the folder: the embedded ones are those of the
// last build.
func onDisk(t testing.TB) []*catalog.Spec {
	t.Helper()
	names, err := filepath.Glob("*.json")
	if err != nil {
		t.Fatal(err)
	}
	var specs []*catalog.Spec
	for _, name := range names {
		if name == "pins.json" || name == "presets.json" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		spec, problems := catalog.Parse(text)
		if err := problems.Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if spec.Name()+".json" != name {
			t.Errorf("%s is called %s", name, spec.Name())
		}
		specs = append(specs, spec)
	}
	return specs
}

func TestSpecsHoldTheirCode(t *testing.T) {
	written := map[string]bool{}
	for _, spec := range onDisk(t) {
		written[spec.Name()+".js"] = true
		code, err := os.ReadFile(spec.Name() + ".js")
		if err != nil {
			t.Error(err)
			continue
		}
		joined, problems := spec.With("code", string(code))
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		golden(t, spec.Name()+".json", joined.Raw())
	}
	scripts, err := filepath.Glob("*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		if !written[name] {
			t.Errorf("%s belongs to no spec", name)
		}
	}
}

func TestPinsAndPage(t *testing.T) {
	specs := onDisk(t)
	golden(t, "pins.json", catalog.PinsOf(specs))
	golden(t, filepath.Join("..", "..", "docs", "catalog.md"), page(specs))
}

func TestBundledSpecsArePristine(t *testing.T) {
	specs, err := tools.Specs()
	if err != nil {
		t.Fatal(err)
	}
	pins, err := tools.Pins()
	if err != nil {
		t.Fatal(err)
	}
	if len(specs) < 100 || len(pins) != len(specs) {
		t.Fatalf("%d specs, %d pins", len(specs), len(pins))
	}
	for _, s := range specs {
		if pins.Check(s) != catalog.Pristine {
			t.Errorf("%s is not what its pin says", s.Name())
		}
		if tools.Find(s.Name()).Hash() != s.Hash() {
			t.Errorf("%s is not found by its name", s.Name())
		}
	}
	for _, name := range []string{"pins", "presets", "nosuch", "", "../tools/hash", "hash.json"} {
		if tools.Find(name) != nil {
			t.Errorf("found %q", name)
		}
	}
}

func TestSpecsPassTheStrictCheck(t *testing.T) {
	for _, s := range onDisk(t) {
		_, problems := catalog.Parse(s.Raw())
		problems = append(problems, lint.Check(s, nil)...)
		_, _, rejected := s.Resolve(catalog.DefaultBaseline(), catalog.NoCeiling(), catalog.SourceBuiltin)
		for _, p := range append(problems, rejected...) {
			t.Errorf("%s: %v", s.Name(), p)
		}
		if s.Draft() || !strings.Contains(s.Description(), "Returns ") {
			t.Errorf("%s is a draft, or does not say what it returns", s.Name())
		}
		for _, key := range s.Requirements() {
			if !strings.Contains(s.Description(), key) {
				t.Errorf("%s does not say that it needs %s", s.Name(), key)
			}
		}
		if slices.ContainsFunc(s.Overrides().HostsAllow, func(h string) bool { return strings.Contains(h, "*") }) {
			t.Errorf("%s asks for a wildcard", s.Name())
		}
	}
}

func TestPresetsNameBundledTools(t *testing.T) {
	presets, err := tools.Presets()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range presets {
		names = append(names, p.Name)
		if len(p.Tools) == 0 {
			t.Errorf("%s is empty", p.Name)
		}
		for _, name := range p.Tools {
			if tools.Find(name) == nil {
				t.Errorf("%s names %s, which does not exist", p.Name, name)
			}
		}
	}
	if want := []string{"starter", "dev-essentials", "file-toolkit", "korea-toolkit", "everything"}; !slices.Equal(names, want) || names[0] != tools.DefaultPreset {
		t.Errorf("presets %v", names)
	}
}

// page writes docs/catalog.md.
func page(specs []*catalog.Spec) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# The bundled tools\n\nMade by `go test ./catalog/tools -update`. %d tools, one file each in `catalog/tools/`.\n\n", len(specs))
	fmt.Fprintln(&out, "`glovebox catalog list` and `glovebox catalog show NAME` print the same; `glovebox run NAME` runs one; [what each answers](catalog-output.md). Where they differ from the reference's tools of the same names is said in [catalog-differences.md](catalog-differences.md).")
	categories := map[string][]*catalog.Spec{}
	for _, s := range specs {
		categories[s.Category()] = append(categories[s.Category()], s)
	}
	for _, name := range slices.Sorted(maps.Keys(categories)) {
		fmt.Fprintf(&out, "\n## %s\n\n| tool | level | needs | what it does |\n|---|---|---|---|\n", name)
		for _, s := range categories[name] {
			posture := catalog.Request(s.Overrides(), catalog.DefaultBaseline())
			fmt.Fprintf(&out, "| `%s(%s)` | %s | %s | %s |\n", s.Name(), signature(s), risk.PostureLevel(posture), needs(s), strings.ReplaceAll(s.Description(), "|", "\\|"))
		}
	}
	return out.Bytes()
}

func signature(s *catalog.Spec) string {
	var names []string
	for _, p := range s.Params() {
		name := p.Name
		if !p.Required {
			name += "?"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func needs(s *catalog.Spec) string {
	o := s.Overrides()
	var parts []string
	parts = append(parts, o.HostsAllow...)
	if o.NetworkMode != nil && *o.NetworkMode == catalog.NetworkStrict {
		parts = append(parts, "any public host")
	}
	for word, flag := range map[string]*bool{"reads files": o.FileRead, "writes files": o.FileWrite, "deletes files": o.Destructive} {
		if flag != nil && *flag {
			parts = append(parts, word)
		}
	}
	parts = append(parts, s.Requirements()...)
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
