package runtime_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

// A host opens one runtime, loads a spec, decides whether the call may run, and
// calls it. With a CacheDir the compiled sandbox is kept between starts of the
// program: opening takes a second the first time and some 30 ms from then on.
func Example() {
	ctx := context.Background()
	cache, err := os.UserCacheDir()
	if err != nil {
		log.Fatal(err)
	}
	rt, err := runtime.Open(ctx, runtime.Config{
		Engine:   jsengine.Config{CacheDir: filepath.Join(cache, "my-program")},
		Baseline: catalog.DefaultBaseline(),
		Ceiling:  catalog.NoCeiling(),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	tool, problems := rt.Load([]byte(`{
		"name": "greet",
		"description": "Greets a person. Returns {greeting}.",
		"params": [{"name": "person", "type": "STRING", "required": true, "testValue": "Ada"}],
		"code": "return { greeting: 'Hello, ' + person + '!' };",
		"codeType": "Javascript"
	}`))
	if err := problems.Err(); err != nil {
		log.Fatal(err)
	}

	arguments := []byte(`{"person": "Grace"}`)
	decision := tool.Decide(risk.Allow, "a pure computation", arguments)
	result := tool.Call(ctx, runtime.Invocation{
		Arguments: arguments,
		Clearance: decision.Clear(time.Now().Add(time.Minute)),
	})
	if result.Failure != nil {
		log.Fatal(result.Failure)
	}
	fmt.Println(tool.Level(), string(result.Value))
	// Output: L0 {"greeting":"Hello, Grace!"}
}
