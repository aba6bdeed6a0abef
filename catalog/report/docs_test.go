package report

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/lint"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestTheRulesAreDocumented(t *testing.T) {
	var want bytes.Buffer
	fmt.Fprint(&want, "# Rules for specs and arguments\n\nMade by `go test ./catalog/report -update`. Ids are never reused.\n\n| id | code | kind | in the schema | what must hold |\n|---|---|---|---|---|\n")
	for _, r := range append(catalog.Rules(), lint.Rules()...) {
		kind, schema := "error", ""
		if r.Warning {
			kind = "warning"
		}
		if r.InSchema {
			schema = "yes"
		}
		fmt.Fprintf(&want, "| `%s` | %s | %s | %s | %s |\n", r.ID, r.Code, kind, schema, r.Summary)
	}
	name := filepath.Join("..", "..", "docs", "spec-rules.md")
	if *update {
		if err := os.WriteFile(name, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/spec-rules.md is not what the tables say (%v); run go test ./catalog/report -update", err)
	}
}

// A requirement whose test is gone is a claim.
func TestEveryTestInTheDocumentExists(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "safe-tool-spec.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test[A-Za-z]+)`").FindAllSubmatch(page, -1)
	if len(named) < 30 {
		t.Fatalf("only %d tests are named", len(named))
	}
	var sources strings.Builder
	err = filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		sources.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range named {
		if !strings.Contains(sources.String(), "func "+string(name[1])+"(t *testing.T)") {
			t.Errorf("there is no %s", name[1])
		}
	}
}
