package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMutants(t *testing.T) {
	source := `package p

func f(a, b int, s string) bool {
	if a < b && s != "x"+"y" {
		g()
	}
	return a+1 == b
}
`
	all, err := mutantsOf("p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, m.what)
		if string(m.source) == source {
			t.Errorf("%s changes nothing", m.what)
		}
	}
	want := `f if a < b && s != "x"+"y": never|f if a < b && s != "x"+"y": always|f && to ||` + `|f < to <=|f != to ==|f without g()|f == to !=|f + to -`
	if strings.Join(got, "|") != want {
		t.Errorf("%s", strings.Join(got, "|"))
	}
}

// TestALineThatNoTestHoldsIsFound runs the command on a package of its own, in which
// one of two functions has a test.
func TestALineThatNoTestHoldsIsFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module p\n\ngo 1.26\n",
		"p.go":        "package p\n\nfunc Held(a int) bool { return a < 3 }\n\nfunc Loose(a int) bool { return a > 3 }\n",
		"p_test.go":   "package p\n\nimport \"testing\"\n\nfunc TestHeld(t *testing.T) {\n\tif !Held(2) || Held(3) {\n\t\tt.Fatal()\n\t}\n}\n",
		"reasons.txt": "# none\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	if err := run([]string{"."}, nil, 95); err == nil || !strings.Contains(err.Error(), "50.0 % die") {
		t.Errorf("%v", err)
	}
	if err := run([]string{"."}, nil, 50); err != nil {
		t.Error(err)
	}
}
