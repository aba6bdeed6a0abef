package jsengine

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// testCache is shared by the tests of all runs, so that only the first links.
func testCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "glovebox-test")
}

func testEngine(t testing.TB) *Engine {
	t.Helper()
	e, err := Open(context.Background(), Config{CacheDir: testCache()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func testImage(t testing.TB, e *Engine, body string, names ...string) *Image {
	t.Helper()
	image, err := e.Image(context.Background(), Program{File: "tool.js", Body: body, Names: names})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func TestResults(t *testing.T) {
	e := testEngine(t)
	for _, c := range []struct{ name, body, arguments, want string }{
		{"number", `return 1 + 2`, ``, `3`},
		{"nothing", `1 + 2`, ``, ``},
		{"null", `return null`, ``, `null`},
		{"object", `return { a, b: [b, undefined], c: "\u00e9\u2028\ud83d\ude00" }`, `{"a":[1.5,"x"],"b":true}`, "{\"a\":[1.5,\"x\"],\"b\":[true,null],\"c\":\"é\u2028😀\"}"},
		{"await", `const x = await Promise.resolve(20); return x + await (async () => 1)()`, ``, `21`},
		{"unsupplied", `return [typeof a, typeof b, typeof constructor]`, `{"b":1}`, `["undefined","number","undefined"]`},
		{"redeclared", `let a = 1; const b = 2; return a + b`, `{"a":5}`, `3`},
		{"strict", `'use strict'; return [this === undefined, arguments.length, new.target === undefined]`, ``, `[true,0,true]`},
		{"sloppy", `undeclared = 1; return [this === globalThis, undeclared]`, ``, `[true,1]`},
		{"line ends", "const x = 1 // one\r\n/* two */ return x // three", ``, `1`},
		{"thenable", `return { then(resolve) { resolve(7) } }`, ``, `7`},
		{"date", `return new Date(Date.UTC(2020, 1, 2)).toISOString()`, ``, `"2020-02-02T00:00:00.000Z"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			image := testImage(t, e, c.body, "a", "b", "constructor")
			var arguments []byte
			if c.arguments != "" {
				arguments = []byte(c.arguments)
			}
			out := image.Call(t.Context(), Call{Arguments: arguments})
			if out.Failure != nil {
				t.Fatalf("%v\n%s\ncause: %v", out.Failure, out.Failure.Stack, out.Failure.Cause)
			}
			if got := string(out.Result); got != c.want || (out.Result == nil) != (c.want == "") {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if out.Usage.Fuel == 0 || out.Usage.Operations == 0 {
				t.Errorf("usage %+v", out.Usage)
			}
		})
	}
}

// The call path itself makes no garbage; results go into the caller's buffer.
func TestACallDoesNotAllocate(t *testing.T) {
	e := testEngine(t)
	image := testImage(t, e, `return { a, b: [a, a] }`, "a")
	call := Call{Arguments: []byte(`{"a":"text"}`), Seed: 1, Buffer: make([]byte, 0, 256)}
	if n := testing.AllocsPerRun(200, func() {
		if out := image.Call(context.Background(), call); out.Failure != nil {
			t.Fatal(out.Failure)
		}
	}); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}

func TestASecondEngineSharesTheMachine(t *testing.T) {
	a, b := testEngine(t), testEngine(t)
	if a.machine != b.machine || a.pool == b.pool {
		t.Error("two engines of a process share the compiled guest and nothing else")
	}
	a.Close()
	if out := testImage(t, b, `return 1`).Call(t.Context(), Call{}); string(out.Result) != "1" {
		t.Errorf("after the other was closed: %s, %v", out.Result, out.Failure)
	}
}

// The ways a call can end are stable words: records and clients depend on them.
func TestKindsAreStable(t *testing.T) {
	want := []Kind{
		"syntax_error", "code_too_large", "exception", "statement_limit", "fuel_limit", "timeout", "cancelled", "memory_limit",
		"stack_limit", "output_too_large", "never_settles", "refused", "host_failure", "internal",
	}
	if !slices.Equal(Kinds[:], want) {
		t.Errorf("kinds are %q, were %q", Kinds, want)
	}
}
