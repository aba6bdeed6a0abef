//go:build libraries

package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

// Libraries of the npm registry give Node's answers. make libraries bundles them
// and records what Node says; GLOVEBOX_LIBRARIES is the file.
func TestLibrariesAnswerAsInNode(t *testing.T) {
	file, err := os.Open(os.Getenv("GLOVEBOX_LIBRARIES"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rt, err := runtime.Open(context.Background(), runtime.Config{Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling()})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	compared := 0
	for lines.Scan() {
		var row struct{ Name, Body, Answer string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		compared++
		t.Run(row.Name, func(t *testing.T) {
			document, err := json.Marshal(map[string]any{"name": "library", "code": row.Body, "codeType": "Javascript"})
			if err != nil {
				t.Fatal(err)
			}
			tool, problems := rt.Load(document)
			if err := problems.Err(); err != nil {
				t.Fatal(err)
			}
			decision := tool.Decide(risk.Allow, "a test", []byte("{}"))
			got := tool.Call(t.Context(), runtime.Invocation{
				Arguments: []byte("{}"), World: host.World{}, Clearance: decision.Clear(time.Now().Add(time.Hour)), Limits: jsengine.Limits{Time: time.Minute},
			})
			if got.Failure != nil {
				t.Fatalf("%v\n%s", got.Failure, got.Failure.Stack)
			}
			if string(got.Value) != row.Answer {
				t.Errorf("got  %s\nNode %s", got.Value, row.Answer)
			}
			t.Logf("%d statements, %d KiB of code", got.Usage.Statements, len(row.Body)>>10)
		})
	}
	if err := lines.Err(); err != nil || compared < 30 {
		t.Errorf("%d libraries, %v", compared, err)
	}
}
