package jsengine

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The files of testdata/rate are tool bodies. The statements of each were counted
// by a counter put in front of every statement of its source, which is what
// interpreters with a statement limit count; the first line has the number.
func TestOperationsPerStatement(t *testing.T) {
	e := testEngine(t)
	files, err := filepath.Glob("testdata/rate/*.js")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	logs, largest := 0.0, 0.0
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var statements float64
		if _, err := fmt.Sscanf(string(body), "// statements: %g", &statements); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out := testImage(t, e, string(body)).Call(t.Context(), Call{Limits: Limits{Statements: 1 << 40}})
		if out.Failure != nil {
			t.Fatal(file, out.Failure)
		}
		rate := float64(out.Usage.Operations) / statements
		t.Logf("%-14s %6.0f statements, %7d operations: %5.1f; %5.0f fuel a statement", filepath.Base(file), statements, out.Usage.Operations, rate, float64(out.Usage.Fuel)/statements)
		logs += math.Log(rate)
		largest = max(largest, rate)
	}
	mean := math.Exp(logs / float64(len(files)))
	t.Logf("geometric mean %.1f, largest %.1f", mean, largest)
	if largest > OperationsPerStatement || mean < OperationsPerStatement/3 {
		t.Errorf("a rate of %d is not the largest of real code, or has lost touch with it", OperationsPerStatement)
	}
}
