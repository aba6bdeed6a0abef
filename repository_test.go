package glovebox_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/vectors"
)

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

var vectorOwner = regexp.MustCompile(`vectors\.Run\(t, "([a-z_]+)"`)

func TestEveryVectorAreaHasAnOwner(t *testing.T) {
	owners := map[string]string{}
	err := filepath.WalkDir(".", func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		source, err := os.ReadFile(name)
		for _, match := range vectorOwner.FindAllSubmatch(source, -1) {
			owners[string(match[1])] = name
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile(vectors.File())
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(rows) {
		var row struct{ Area string }
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		if owners[row.Area] == "" {
			t.Errorf("area %q has no owner", row.Area)
			owners[row.Area] = "reported"
		}
	}
}

// A fuzz seed that matches no target is never run and nobody notices.
func TestEveryFuzzSeedHasATarget(t *testing.T) {
	var seeds []string
	err := filepath.WalkDir(".", func(name string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && filepath.Base(filepath.Dir(name)) == "fuzz" && filepath.Base(filepath.Dir(filepath.Dir(name))) == "testdata" {
			seeds = append(seeds, name)
		}
		return err
	})
	if err != nil || len(seeds) == 0 {
		t.Fatal(seeds, err)
	}
	for _, dir := range seeds {
		pkg := filepath.Join(dir, "..", "..", "..")
		tests, err := filepath.Glob(filepath.Join(pkg, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, name := range tests {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found = found || bytes.Contains(source, []byte("func "+filepath.Base(dir)+"(f *testing.F)"))
		}
		if !found {
			t.Errorf("%s: no such fuzz target in %s", dir, pkg)
		}
	}
}
