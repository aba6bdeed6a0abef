// Package vectors reads the behaviour vectors in testdata/vectors for the tests
// of every package. One JSON object a line: area, name, input, expect.
package vectors

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// EnvFile names another vector file to read instead of the bundled one.
const EnvFile = "GLOVEBOX_VECTORS"

// A row may hold a whole file as a string; 16 MiB is far above any of them.
const maxLine = 16 << 20

type row struct {
	Area   string          `json:"area"`
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
	Expect json.RawMessage `json:"expect"`
}

// Run calls check in a subtest for every row of area. A field that Input or
// Expect does not have fails the test, as does a file without such a row.
func Run[Input, Expect any](t *testing.T, area string, check func(t *testing.T, in Input, want Expect)) {
	t.Helper()
	rows := read(t, area)
	if len(rows) == 0 {
		t.Fatalf("%s: no row of area %q", File(), area)
	}
	for _, r := range rows {
		t.Run(area+"/"+r.Name, func(t *testing.T) {
			var in Input
			var want Expect
			strict(t, "input", r.Input, &in)
			strict(t, "expect", r.Expect, &want)
			check(t, in, want)
		})
	}
}

// File returns the path of the vector file that Run reads.
func File() string {
	if name := os.Getenv(EnvFile); name != "" {
		return name
	}
	return Testdata("vectors", "reference-behaviour.jsonl")
}

// Testdata returns the path of a file in the repository's shared testdata.
func Testdata(elem ...string) string {
	return filepath.Join(append([]string{root(), "testdata"}, elem...)...)
}

// root is the nearest folder above the working directory that holds testdata/vectors:
// a test runs in the folder of its package, and a build with
// -trimpath no longer knows where its source lies.
func root() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for up := dir; ; up = filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, "testdata", "vectors")); err == nil {
			return up
		}
		if up == filepath.Dir(up) {
			return dir
		}
	}
}

func read(t *testing.T, area string) []row {
	t.Helper()
	f, err := os.Open(File())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	var rows []row
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s:%d: %v", File(), n, err)
		}
		if r.Area == area {
			rows = append(rows, r)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("%s: %v", File(), err)
	}
	return rows
}

func strict(t *testing.T, part string, raw json.RawMessage, into any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%s: %v", part, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Fatalf("%s: something follows the value", part)
	}
}
