package jsengine

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Whatever the code and the arguments are, a call ends in a declared way: never
// in a trap the engine did not cause, never without an end, and with a result
// that is JSON.
func FuzzCall(f *testing.F) {
	e := testEngine(f)
	files, err := filepath.Glob("../testdata/hostile/*.js")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(body), []byte(`{"a":[1,2.5,"x",null]}`))
	}
	f.Add("return a", []byte("{\"a\":\"\\ud800\",\"__proto__\":1}"))
	f.Add("return a", []byte("\x00\xff"))
	limits := Limits{Statements: 500, Fuel: 50_000_000, Time: 10 * time.Second, Memory: 7 << 20, Output: 64 << 10}
	f.Fuzz(func(t *testing.T, body string, arguments []byte) {
		image, err := e.Image(context.Background(), Program{File: "f.js", Body: body, Names: []string{"a", "b"}})
		var out Outcome
		if failure := new(Failure); errors.As(err, &failure) {
			out.Failure = failure
		} else if err != nil {
			t.Fatal(err)
		} else {
			out = image.Call(context.Background(), Call{Arguments: arguments, Limits: limits, Clock: VirtualClock(bootTime), Seed: 1})
		}
		if out.Failure != nil {
			if out.Failure.Kind == Internal {
				t.Errorf("%v, cause %v", out.Failure, out.Failure.Cause)
			}
		} else if out.Result != nil && !json.Valid(out.Result) {
			t.Errorf("result %q", out.Result)
		}
	})
}
