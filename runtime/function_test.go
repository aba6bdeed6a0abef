package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

type orderQuery struct {
	Customer string `json:"customer"`
	Limit    int    `json:"limit,omitempty"`
}

type order struct {
	ID    int     `json:"id"`
	Total float64 `json:"total"`
}

// findOrders is a function as a host would write one.
func findOrders(t testing.TB, calls *atomic.Int32) host.Function {
	t.Helper()
	f, err := host.FunctionOf(host.Function{Name: "orders.find", Doc: "Finds the orders of a customer.", Gate: host.Everywhere, Rate: budget.Structured, Beyond: "orders"},
		func(_ context.Context, account *budget.Account, q orderQuery) ([]order, error) {
			calls.Add(1)
			if q.Customer == "nobody" {
				return nil, &host.Error{Kind: "INVALID_INPUT", Reason: "no-such-customer", Message: "there is no customer nobody"}
			}
			if q.Customer == "broken" {
				return nil, errors.New("password of the database: hunter2")
			}
			found := []order{{1, 9.5}, {2, 120}}
			if err := account.ChargeEach(len(found), budget.Element); err != nil {
				return nil, err
			}
			return found, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func withFunctions(t testing.TB, functions ...host.Function) *runtime.Runtime {
	t.Helper()
	checked, err := host.NewFunctions(functions...)
	if err != nil {
		t.Fatal(err)
	}
	rt, err := openWith(t, runtime.Config{Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling(), Functions: checked})
	if err != nil {
		t.Fatal(err)
	}
	return rt
}

func openWith(t testing.TB, config runtime.Config) (*runtime.Runtime, error) {
	rt, err := runtime.Open(t.Context(), config)
	if err == nil {
		t.Cleanup(rt.Close)
	}
	return rt, err
}

func toolOf(t testing.TB, rt *runtime.Runtime, code string, fields ...string) *runtime.Tool {
	t.Helper()
	document := fmt.Sprintf(`{"name": "t", "description": "Tests.", "code": %q, "codeType": "Javascript"%s}`, code, strings.Join(fields, ""))
	tool, problems := rt.Load([]byte(document))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return tool
}

func callOf(t testing.TB, tool *runtime.Tool, change ...func(*runtime.Invocation)) *runtime.Result {
	t.Helper()
	in := runtime.Invocation{Clearance: tool.Decide(risk.Allow, "a test", nil).Clear(time.Now().Add(time.Minute))}
	for _, c := range change {
		c(&in)
	}
	return tool.Call(t.Context(), in)
}

func TestAFunctionOfTheHost(t *testing.T) {
	var calls atomic.Int32
	rt := withFunctions(t, findOrders(t, &calls))
	for _, tc := range []struct{ code, want string }{
		{`return orders.find({ customer: 'ada' })`, `[{"id":1,"total":9.5},{"id":2,"total":120}]`},
		{`return orders.find({ customer: 'ada', limit: 1 }).length`, `2`},
		{`return typeof orders.remove`, `"undefined"`},
		{`try { orders.find({ customer: 'nobody' }) } catch (e) { return [e.kind, e.helper, e.reason] }`, `["INVALID_INPUT","orders.find","no-such-customer"]`},
		{`const wrong = []; for (const a of [undefined, {}, { customer: 1 }, { customer: 'a', more: 1 }, 'text', () => 1, { customer: 'a', limit: 1.5 }]) try { orders.find(a); wrong.push(a) } catch (e) { if (e.reason !== 'invalid-argument') wrong.push(e.message) } return wrong`, `[]`},
		// What a tool does to the built-ins stays with the tool.
		{`JSON.stringify = () => 'x'; JSON.parse = () => 'y'; Promise.prototype.then = null; return orders.find({ customer: 'ada' })[0].id`, `1`},
	} {
		if got := callOf(t, toolOf(t, rt, tc.code)); got.Failure != nil || string(got.Value) != tc.want {
			t.Errorf("%s: %s %v", tc.code, got.Value, got.Failure)
		}
	}

	got := callOf(t, toolOf(t, rt, `return orders.find({ customer: 'ada' }).length + orders.find({ customer: 'b' }).length`))
	if usage := got.HostCalls["orders.find"]; usage.Calls != 2 {
		t.Errorf("the transcript says %+v", got.HostCalls)
	}

	broken := callOf(t, toolOf(t, rt, `try { orders.find({ customer: 'broken' }) } catch { return 'caught' }`))
	if broken.Failure == nil || strings.Contains(broken.Failure.Message, "hunter2") || broken.Failure.Cause == nil {
		t.Errorf("an error of the host's own: %s %v", broken.Value, broken.Failure)
	}
}

// TestAFunctionIsCharged: argument, answer and the work between are on the
// account of the tool's call.
func TestAFunctionIsCharged(t *testing.T) {
	const work = 50_000_000
	f := host.Function{
		Name: "work.hard", Doc: "Works.", Gate: host.Everywhere, Rate: budget.Structured, Beyond: "the work", Arguments: json.RawMessage(`{}`),
		Call: func(_ context.Context, account *budget.Account, _ json.RawMessage) (any, error) {
			account.Charge(work) // an exhausted account ends the call, whatever is done about it here
			return "done", nil
		},
	}
	rt := withFunctions(t, f)
	idle, busy := callOf(t, toolOf(t, rt, `return 'done'`)), callOf(t, toolOf(t, rt, `return work.hard()`))
	if idle.Failure != nil || busy.Failure != nil || busy.Usage.Fuel < idle.Usage.Fuel+work+budget.Structured.Call {
		t.Errorf("%d and %d units: %v %v", idle.Usage.Fuel, busy.Usage.Fuel, idle.Failure, busy.Failure)
	}
	limited := callOf(t, toolOf(t, rt, `try { return work.hard() } catch { return 'caught' }`), func(in *runtime.Invocation) { in.Limits.Fuel = work })
	if limited.Failure == nil || limited.Failure.Kind != jsengine.FuelLimit {
		t.Errorf("%s %v", limited.Value, limited.Failure)
	}
	large := callOf(t, toolOf(t, rt, `work.hard('x'.repeat(1e6)); return 1`), func(in *runtime.Invocation) { in.Limits.Memory = 24 << 20 })
	if large.Failure == nil || large.Failure.Kind != jsengine.MemoryLimit {
		t.Errorf("an argument that takes 32 MB to check: %s %v", large.Value, large.Failure)
	}
}

func TestFunctionsThatWaitOverlap(t *testing.T) {
	arrived := make(chan struct{}, 2)
	both := make(chan struct{})
	f, err := host.FunctionOf(host.Function{Name: "slow.echo", Doc: "Echoes.", Gate: host.Everywhere, Rate: budget.Structured, Waits: true},
		func(ctx context.Context, _ *budget.Account, a struct {
			Text string `json:"text"`
		}) (string, error) {
			arrived <- struct{}{}
			if len(arrived) == 2 {
				close(both)
			}
			select {
			case <-both:
				return a.Text, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		})
	if err != nil {
		t.Fatal(err)
	}
	got := callOf(t, toolOf(t, withFunctions(t, f), `const [a, b] = await Promise.all([slow.echo({ text: 'a' }), slow.echo({ text: 'b' })]); return a + b`))
	if got.Failure != nil || string(got.Value) != `"ab"` {
		t.Errorf("%s %v", got.Value, got.Failure)
	}
}

// TestGates: a function is there exactly when the operations of this host that need
// the same are.
func TestGates(t *testing.T) {
	like := map[host.Gate]string{host.Everywhere: "url.parse", host.WithNetwork: "http.fetch", host.WithFileRead: "fs.readText", host.WithFileWrite: "fs.writeText", host.WithDestroy: "fs.delete"}
	var functions []host.Function
	for gate := range like {
		functions = append(functions, host.Function{
			Name: fmt.Sprintf("gate.g%d", gate), Doc: "Is there.", Gate: gate, Rate: budget.Structured, Arguments: json.RawMessage(`{}`),
			Call: func(context.Context, *budget.Account, json.RawMessage) (any, error) { return nil, nil },
		})
	}
	checked, err := host.NewFunctions(functions...)
	if err != nil {
		t.Fatal(err)
	}
	for bits := range 1 << 4 {
		p := catalog.Posture{FileRead: bits&1 != 0, FileWrite: bits&2 != 0, Destructive: bits&4 != 0}
		if bits&8 != 0 {
			p.Network = catalog.NetworkStrict
		}
		operations, err := host.Operations(p)
		if err != nil {
			t.Fatal(err)
		}
		for gate, operation := range like {
			name := fmt.Sprintf("gate.g%d", gate)
			has := slices.ContainsFunc(checked.Granted(p), func(f host.Function) bool { return f.Name == name })
			if has != slices.Contains(operations, operation) {
				t.Errorf("%+v: %s is there: %v", p, name, has)
			}
		}
	}
	rt := withFunctions(t, functions...)
	if got := callOf(t, toolOf(t, rt, `return Object.keys(gate)`)); string(got.Value) != fmt.Sprintf(`["g%d"]`, host.Everywhere) {
		t.Errorf("a tool that asks for nothing has %s %v", got.Value, got.Failure)
	}
}

func TestFunctionsThatAreRefused(t *testing.T) {
	good := host.Function{
		Name: "orders.find", Doc: "Finds.", Gate: host.Everywhere, Rate: budget.Structured, Arguments: json.RawMessage(`{}`),
		Call: func(context.Context, *budget.Account, json.RawMessage) (any, error) { return nil, nil },
	}
	for want, change := range map[string]func(*host.Function){
		"it has no Doc":                  func(f *host.Function) { f.Doc = "" },
		"it has no Gate":                 func(f *host.Function) { f.Gate = 0 },
		"it has no Rate":                 func(f *host.Function) { f.Rate = budget.Rate{Call: 1} },
		"it has no Call":                 func(f *host.Function) { f.Call = nil },
		"it has no schema":               func(f *host.Function) { f.Arguments = nil },
		"schema of the argument":         func(f *host.Function) { f.Arguments = json.RawMessage(`{"$ref": "https://example.com/s"}`) },
		"schema of the result":           func(f *host.Function) { f.Result = json.RawMessage(`7`) },
		"a name is a namespace":          func(f *host.Function) { f.Name = "find" },
		"JavaScript reads":               func(f *host.Function) { f.Name = "new.find" },
		"a namespace of this host's own": func(f *host.Function) { f.Name = "fs.find" },
	} {
		f := good
		change(&f)
		if _, err := host.NewFunctions(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := host.NewFunctions(good, good); err == nil {
		t.Error("two of one name")
	}
	f := good
	f.Name = "safety.find"
	checked, err := host.NewFunctions(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openWith(t, runtime.Config{Functions: checked}); err == nil || !strings.Contains(err.Error(), "safety") {
		t.Errorf("a name that the prelude installs: %v", err)
	}
	if zero := (*host.Functions)(nil); zero.All() != nil || zero.Granted(catalog.Posture{FileWrite: true}) != nil || zero.Markdown() != "" {
		t.Error("nil has functions")
	}
}

// TestALocalPassAsksAFunctionOnce: the second run is answered from the first.
func TestALocalPassAsksAFunctionOnce(t *testing.T) {
	var calls atomic.Int32
	rt := withFunctions(t, findOrders(t, &calls))
	if report := toolOf(t, rt, `return orders.find({ customer: 'ada' })`).LocalPass(t.Context(), runtime.Invocation{}); report.Failure != nil || calls.Load() != 1 {
		t.Errorf("%d calls: %v", calls.Load(), report.Failure)
	}
}

func TestFunctionsAreDocumented(t *testing.T) {
	var calls atomic.Int32
	checked, err := host.NewFunctions(findOrders(t, &calls))
	if err != nil {
		t.Fatal(err)
	}
	text := checked.Markdown()
	for _, part := range []string{"### orders.find", "Finds the orders of a customer.", "every posture", "further for orders", `"customer":{"type":"string"}`, `"total"`} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}

// TestTheConsoleIsHeardAtOnce: each line arrives before the tool goes on, and
// without the secrets that the call was lent.
func TestTheConsoleIsHeardAtOnce(t *testing.T) {
	var heard []string
	f := host.Function{
		Name: "test.mark", Doc: "Marks.", Gate: host.Everywhere, Rate: budget.Structured, Arguments: json.RawMessage(`{}`),
		Call: func(context.Context, *budget.Account, json.RawMessage) (any, error) {
			heard = append(heard, "called")
			return nil, nil
		},
	}
	checked, err := host.NewFunctions(f)
	if err != nil {
		t.Fatal(err)
	}
	rt, err := openWith(t, runtime.Config{
		Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling(), Functions: checked,
		Lookup: func(name string) (string, bool) { return "s3cret-value-of-key", name == "KEY" },
	})
	if err != nil {
		t.Fatal(err)
	}
	tool := toolOf(t, rt, `console.log('one', key); test.mark(); console.warn('two'); return 1`, `, "staticVariables": [{"key": "${KEY}"}]`)
	got := callOf(t, tool, func(in *runtime.Invocation) {
		in.Printed = func(line jsengine.Line) { heard = append(heard, line.Level+" "+line.Text) }
	})
	if got.Failure != nil || len(heard) != 3 || heard[1] != "called" || heard[2] != "warn two" || !strings.HasPrefix(heard[0], "log one ") || strings.Contains(heard[0], "s3cret") {
		t.Errorf("%q %v", heard, got.Failure)
	}
	if len(got.Logs) != 2 || got.Logs[0].Text != strings.TrimPrefix(heard[0], "log ") {
		t.Errorf("the result has other lines: %q", got.Logs)
	}
}
