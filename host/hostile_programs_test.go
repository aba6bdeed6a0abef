package host_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

// Tools without any permission that have Go work for them, as hard as they can.
func TestHostilePrograms(t *testing.T) {
	programs, err := filepath.Glob("../testdata/hostile/host/*.js")
	if err != nil || len(programs) < 30 {
		t.Fatal(len(programs), err)
	}
	limits := jsengine.Limits{Fuel: 2_000_000_000, Memory: 64 << 20, Time: 5 * time.Minute}
	const skew = 1000 // units by which a slice of fuel may be overdrawn
	for _, path := range programs {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".js"), func(t *testing.T) {
			code, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, ends, _ := strings.Cut(string(code), "// ends: ")
			ends, _, _ = strings.Cut(ends, "\n")
			tool := loadTool(t, nil, string(code))
			decision := tool.Decide(risk.Allow, "a test", []byte("{}"))
			r := tool.Call(t.Context(), runtime.Invocation{Arguments: []byte("{}"), World: host.World{}, Limits: limits, Clearance: decision.Clear(time.Now().Add(time.Hour))})
			kind := "ok"
			if r.Failure != nil {
				kind = string(r.Failure.Kind)
			}
			if !slices.Contains(strings.Fields(ends), kind) {
				t.Errorf("it ended with %s, %v; want one of %q", kind, r.Failure, cmp.Or(ends, "nothing"))
			}
			if r.Usage.PeakMemory > limits.Memory || r.Usage.Fuel > limits.Fuel+skew {
				t.Errorf("%d bytes and %d units", r.Usage.PeakMemory, r.Usage.Fuel)
			}
		})
	}
}
