package runtime_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// openRuntime is what every example here begins with.
func openRuntime(config runtime.Config) *runtime.Runtime {
	cache, err := os.UserCacheDir()
	if err != nil {
		log.Fatal(err)
	}
	config.Engine.CacheDir = filepath.Join(cache, "glovebox-test")
	config.Baseline, config.Ceiling = catalog.DefaultBaseline(), catalog.NoCeiling()
	rt, err := runtime.Open(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	return rt
}

// toolWith makes a tool of a body; fields are further members of its document.
func toolWith(rt *runtime.Runtime, code, fields string) *runtime.Tool {
	tool, problems := rt.Load(fmt.Appendf(nil, `{"name": "example", "description": "An example.", "code": %q, "codeType": "Javascript"%s}`, code, fields))
	if err := problems.Err(); err != nil {
		log.Fatal(err)
	}
	return tool
}

// allowed is an invocation that somebody decided to allow.
func allowed(tool *runtime.Tool) runtime.Invocation {
	return runtime.Invocation{Clearance: tool.Decide(risk.Allow, "an example", nil).Clear(time.Now().Add(time.Minute))}
}

// A function of the program's own is a capability like any other: it has a gate
// that a tool's posture must open, a schema that every argument is checked
// against, a price, and a line in the record of each call.
func Example_functions() {
	type query struct {
		Customer string `json:"customer"`
	}
	find, err := host.FunctionOf(host.Function{
		Name: "orders.find",
		Doc:  "Finds the orders of a customer.",
		Gate: host.WithFileRead, // tools that may read what is not public: L3
		Rate: budget.Structured,
	}, func(_ context.Context, account *budget.Account, q query) ([]string, error) {
		found := map[string][]string{"ada": {"an engine", "a table"}}[q.Customer]
		// What is done beyond one pass over the argument and the answer is charged.
		return found, account.ChargeEach(len(found), budget.Element)
	})
	if err != nil {
		log.Fatal(err)
	}
	functions, err := host.NewFunctions(find)
	if err != nil {
		log.Fatal(err)
	}
	rt := openRuntime(runtime.Config{Functions: functions})
	defer rt.Close()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	space, err := files.OpenWorkspace(dir, files.Quota{})
	if err != nil {
		log.Fatal(err)
	}
	defer space.Close()

	reader := toolWith(rt, `return orders.find({ customer: 'ada' })`, `, "sandboxOverrides": {"fileRead": true}`)
	in := allowed(reader)
	in.World.Workspace = space
	result := reader.Call(context.Background(), in)
	fmt.Println(reader.Level(), string(result.Value), result.HostCalls["orders.find"].Calls)

	other := toolWith(rt, `return typeof orders`, ``)
	fmt.Println(other.Level(), string(other.Call(context.Background(), allowed(other)).Value))
	// Output:
	// L3 ["an engine","a table"] 1
	// L0 "undefined"
}

// Limits hold for every call of a runtime, or for one. Each way of reaching one has
// a kind of its own.
func Example_limits() {
	rt := openRuntime(runtime.Config{Limits: jsengine.Limits{Statements: 100_000, Time: 5 * time.Second}})
	defer rt.Close()
	endless := toolWith(rt, `for (;;);`, ``)
	fmt.Println(endless.Call(context.Background(), allowed(endless)).Failure.Kind)

	large := toolWith(rt, `return new Array(1e7).fill('x').length`, ``)
	in := allowed(large)
	in.Limits.Memory = 16 << 20
	fmt.Println(large.Call(context.Background(), in).Failure.Kind)
	// Output:
	// statement_limit
	// memory_limit
}

// A World is what one caller lends to a tool: here a folder to write in and one
// that may be read.
func Example_workspace() {
	rt := openRuntime(runtime.Config{})
	defer rt.Close()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	space, err := files.OpenWorkspace(dir, files.Quota{Bytes: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer space.Close()

	tool := toolWith(rt, `safety.fs.writeText('notes/today.txt', 'hello'); return safety.fs.readText('notes/today.txt')`, `, "sandboxOverrides": {"fileRead": true, "fileWrite": true}`)
	in := allowed(tool)
	in.World.Workspace = space
	result := tool.Call(context.Background(), in)
	written, err := os.ReadFile(filepath.Join(dir, "notes", "today.txt"))
	fmt.Println(tool.Level(), string(result.Value), string(written), err)
	// Output: L4 "hello" hello <nil>
}

// Static variables take secrets from where the host keeps them. They are masked in
// everything that leaves the call.
func Example_secrets() {
	rt := openRuntime(runtime.Config{Lookup: func(name string) (string, bool) { return "correct horse battery staple", name == "API_KEY" }})
	defer rt.Close()
	tool := toolWith(rt, `return { length: key.length, key }`, `, "staticVariables": [{"key": "${API_KEY}"}]`)
	fmt.Println(string(tool.Call(context.Background(), allowed(tool)).Value))
	// Output: {"length":28,"key":"***"}
}

// An audit log has one record for each invocation, chained by hashes.
func Example_audit() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "audit.jsonl")
	chain, err := audit.Open(path, audit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	rt := openRuntime(runtime.Config{Audit: chain})
	defer rt.Close()
	tool := toolWith(rt, `return 1`, ``)
	for range 3 {
		in := allowed(tool)
		in.Caller = "an example"
		tool.Call(context.Background(), in)
	}
	if err := chain.Close(); err != nil {
		log.Fatal(err)
	}
	report, err := audit.Verify(path)
	fmt.Println(report.Records, err)
	// Output: 3 <nil>
}

// Tools and runtimes are safe for concurrent use; each call runs on an instance of
// its own.
func Example_manyAtOnce() {
	rt := openRuntime(runtime.Config{})
	defer rt.Close()
	var wg sync.WaitGroup
	results := make([]string, 3)
	for i, name := range []string{"hash", "base64", "urlEncode"} {
		tool, problems := rt.Prepare(tools.Find(name), catalog.SourceBuiltin)
		if err := problems.Err(); err != nil {
			log.Fatal(err)
		}
		wg.Go(func() {
			arguments := []byte(`{"text": "a b"}`)
			in := runtime.Invocation{Arguments: arguments, Clearance: tool.Decide(risk.Allow, "an example", arguments).Clear(time.Now().Add(time.Minute))}
			results[i] = string(tool.Call(context.Background(), in).Value)[:5]
		})
	}
	wg.Wait()
	fmt.Println(results)
	// Output: ["c868 "YSBi "a%20]
}

// The console of a call can be followed while it runs.
func Example_console() {
	rt := openRuntime(runtime.Config{})
	defer rt.Close()
	tool := toolWith(rt, `console.log('reading'); console.warn('half of it'); return 'done'`, ``)
	in := allowed(tool)
	in.Printed = func(line jsengine.Line) { fmt.Println(line.Level, line.Text) }
	fmt.Println(string(tool.Call(context.Background(), in).Value))
	// Output:
	// log reading
	// warn half of it
	// "done"
}
