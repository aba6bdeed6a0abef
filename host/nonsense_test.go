package host_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

// Every function of the library is called with what it does not expect. A tool
// can catch whatever comes of it, or a limit ends the call; nothing is a defect
// of ours and nothing hangs.
func TestNonsenseEndsNoCall(t *testing.T) {
	source, err := os.ReadFile("testdata/guest/nonsense.txt")
	if err != nil {
		t.Fatal(err)
	}
	tool := loadTool(t, nil, string(source), "from", "to", "seed")
	call := func(arguments string) *runtime.Result {
		decision := tool.Decide(risk.Allow, "a test", []byte(arguments))
		return tool.Call(t.Context(), runtime.Invocation{
			Arguments: []byte(arguments), World: host.World{}, Clearance: decision.Clear(time.Now().Add(time.Minute)),
			Limits: jsengine.Limits{Time: 10 * time.Second},
		})
	}
	counted := call("{}")
	count, err := strconv.Atoi(string(counted.Value))
	if err != nil || count < 300 {
		t.Fatalf("%s functions: %v, %v", counted.Value, err, counted.Failure)
	}
	finished := 0
	const at = 20 // functions in one call
	for from := 0; from < count; from += at {
		got := call(fmt.Sprintf(`{"from":%d,"to":%d,"seed":%d}`, from, from+at, from%13))
		switch f := got.Failure; {
		case f == nil:
			finished++
		case f.Kind == jsengine.Internal || f.Kind == jsengine.HostFailure || f.Kind == jsengine.Exception || f.Kind == jsengine.Timeout || f.Kind == jsengine.NeverSettles:
			t.Errorf("functions %d to %d: %v, cause %v\n%s", from, from+at, f, f.Cause, f.Stack)
		default:
			t.Logf("functions %d to %d: %v", from, from+at, f)
		}
	}
	t.Logf("%d functions, %d of %d calls without a limit", count, finished, (count+at-1)/at)
}
