package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// engineConfig shares one cache between test runs, so that only the first links
// the guest.
func engineConfig() jsengine.Config {
	dir, err := os.UserCacheDir()
	if err != nil {
		return jsengine.Config{}
	}
	return jsengine.Config{CacheDir: filepath.Join(dir, "glovebox-test")}
}

func open(t testing.TB, config runtime.Config) *runtime.Runtime {
	t.Helper()
	config.Engine = engineConfig()
	if config.Baseline.DenyClasses == nil {
		config.Baseline, config.Ceiling = catalog.DefaultBaseline(), catalog.NoCeiling()
	}
	rt, err := runtime.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rt.Close)
	return rt
}

// spec writes a document around a body; more are further fields.
func spec(t testing.TB, name, code string, more map[string]any) []byte {
	t.Helper()
	fields := map[string]any{"name": name, "code": code, "codeType": "Javascript"}
	for key, value := range more {
		fields[key] = value
	}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func load(t testing.TB, rt *runtime.Runtime, document []byte) *runtime.Tool {
	t.Helper()
	tool, problems := rt.Load(document)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return tool
}

// cleared is the invocation that an operator who allows everything makes.
func cleared(tool *runtime.Tool, arguments string) runtime.Invocation {
	d := tool.Decide(risk.Allow, "a test", []byte(arguments))
	return runtime.Invocation{Arguments: []byte(arguments), Clearance: d.Clear(time.Now().Add(time.Minute)), Decision: "allow"}
}

func params(names ...string) map[string]any {
	var list []map[string]any
	for _, name := range names {
		list = append(list, map[string]any{"name": name, "type": "STRING", "required": true, "testValue": "x"})
	}
	return map[string]any{"params": list}
}

func TestCallWithoutClearanceDoesNotRun(t *testing.T) {
	rt := open(t, runtime.Config{})
	tool := load(t, rt, spec(t, "one", "return 1;", params("a")))
	other := load(t, rt, spec(t, "two", "return 2;", params("a")))
	good := cleared(tool, `{"a":"x"}`)
	expired := good
	expired.Clearance = tool.Decide(risk.Allow, "", good.Arguments).Clear(time.Now())
	for name, in := range map[string]runtime.Invocation{
		"none":            {Arguments: good.Arguments},
		"of another tool": cleared(other, `{"a":"x"}`),
		"other arguments": {Arguments: []byte(`{"a":"y"}`), Clearance: good.Clearance},
		"expired":         expired,
	} {
		if got := tool.Call(t.Context(), in); got.Failure == nil || got.Failure.Kind != runtime.NotCleared || got.Value != nil || got.Usage.Fuel != 0 {
			t.Errorf("clearance %s: %+v", name, got)
		}
	}
	if got := tool.Call(t.Context(), good); got.Failure != nil || string(got.Value) != "1" {
		t.Errorf("with a clearance: %+v", got)
	}
}

func TestMissingArgumentIsRefusedWithItsPointer(t *testing.T) {
	rt := open(t, runtime.Config{})
	tool := load(t, rt, spec(t, "one", "return 1;", params("first", "second")))
	got := tool.Call(t.Context(), cleared(tool, `{"first":"x"}`))
	if got.Failure == nil || got.Failure.Kind != runtime.InvalidArguments || len(got.Failure.Problems) != 1 || got.Failure.Problems[0].Pointer != "/second" {
		t.Errorf("%+v", got.Failure)
	}
	if got.Usage.Fuel != 0 {
		t.Error("code ran")
	}
}

func TestSyntaxErrorNamesTheToolsOwnLine(t *testing.T) {
	rt := open(t, runtime.Config{})
	for _, body := range []string{"const a = 1;\nconst = 2;", "return 1;\n}); globalThis.x = 1; (async function () {"} {
		tool := load(t, rt, spec(t, "broken", body, nil))
		for range 2 { // the second answer comes from memory
			got := tool.Call(t.Context(), cleared(tool, ""))
			if got.Failure == nil || got.Failure.Kind != jsengine.SyntaxError {
				t.Fatalf("%q: %+v", body, got.Failure)
			}
		}
	}
	tool := load(t, rt, spec(t, "thrower", "const a = 1;\nnull.x;", nil))
	got := tool.Call(t.Context(), cleared(tool, ""))
	if got.Failure == nil || got.Failure.Name != "TypeError" || !strings.Contains(got.Failure.Stack, "thrower.js:2") {
		t.Errorf("%+v", got.Failure)
	}
}

func TestLimitsOfACallAreFilledFromTheRuntimes(t *testing.T) {
	rt := open(t, runtime.Config{Limits: jsengine.Limits{Statements: 1000}})
	tool := load(t, rt, spec(t, "loop", "let n = 0; for (let i = 0; i < 3000; i++) n += i; return n;", nil))
	if got := tool.Call(t.Context(), cleared(tool, "")); got.Failure == nil || got.Failure.Kind != jsengine.StatementLimit {
		t.Errorf("the runtime's limit: %+v", got.Failure)
	}
	in := cleared(tool, "")
	in.Limits.Statements = 100_000
	if got := tool.Call(t.Context(), in); got.Failure != nil {
		t.Errorf("the call's own limit: %+v", got.Failure)
	}
}

// Every way out of a call is walked with a secret that must not be on it.
func TestSecretsLeaveOnNoWay(t *testing.T) {
	const secret = `s3cr3t/value+"quoted"`
	auditPath := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(auditPath, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	rt := open(t, runtime.Config{Audit: log, Lookup: func(name string) (string, bool) { return secret, name == "KEY" }})
	statics := map[string]any{"staticVariables": []map[string]string{{"key": "Bearer ${KEY}"}}, "params": []map[string]any{{"name": "a", "type": "OBJECT", "required": false}}}
	for name, body := range map[string]string{
		"result":          "return key;",
		"nested":          "return {list: [1, {deep: key}]};",
		"key":             "return {[key]: 1};",
		"base64":          "return btoa(key.slice(7));",
		"url":             "return encodeURIComponent(key);",
		"json":            "return JSON.stringify({key});",
		"log":             "console.log('the key', key); console.error(key); return 1;",
		"error":           "throw new Error('denied for ' + key);",
		"told":            "throw new ToolError('denied for ' + key);",
		"error name":      "const e = new Error('x'); e.name = key; throw e;",
		"thrown string":   "throw key;",
		"rejected":        "await Promise.reject(new TypeError(key));",
		"function name":   "const o = {[key]() { throw new Error('in'); }}; o[key]();",
		"argument echoed": "return a;",
	} {
		tool := load(t, rt, spec(t, "leak", body, statics))
		arguments, err := json.Marshal(map[string]any{"a": map[string]string{"x": secret}})
		if err != nil {
			t.Fatal(err)
		}
		got := tool.Call(t.Context(), cleared(tool, string(arguments)))
		shown, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(shown), fmt.Sprint(got.Failure), tool.Text(got)} {
			leaks(t, name, text, secret)
		}
	}
	// A call that is refused before it runs is recorded masked as well.
	tool := load(t, rt, spec(t, "leak", "return 1;", map[string]any{"staticVariables": statics["staticVariables"], "params": params("b")["params"]}))
	tool.Call(t.Context(), runtime.Invocation{Arguments: []byte(`{"a":"s3cr3t/value+\"quoted\""}`)})
	recorded, err := os.ReadFile(auditPath)
	if err != nil {
		t.Fatal(err)
	}
	leaks(t, "audit", string(recorded), secret)
	if n := strings.Count(string(recorded), "\n"); n != 15 {
		t.Errorf("%d records for 15 calls", n)
	}
}

func leaks(t *testing.T, where, text, secret string) {
	t.Helper()
	quoted, _ := json.Marshal(secret)
	for _, form := range []string{secret, string(quoted[1 : len(quoted)-1]), "czNjcjN0L3ZhbHVlKyJxdW90ZWQi", "s3cr3t%2Fvalue%2B%22quoted%22"} {
		if strings.Contains(text, form) {
			t.Errorf("%s: %q is in %s", where, form, text)
		}
	}
}

func TestEveryInvocationIsRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(path, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	rt := open(t, runtime.Config{Audit: log})
	tool := load(t, rt, spec(t, "one", "if (a === 'throw') throw new RangeError('x'); return a;", map[string]any{"params": params("a")["params"], "category": "TEXT"}))
	ok := tool.Call(t.Context(), cleared(tool, `{"a":"x"}`))
	thrown := tool.Call(t.Context(), cleared(tool, `{"a":"throw"}`))
	invalid := tool.Call(t.Context(), cleared(tool, `{}`))
	denied := tool.Call(t.Context(), runtime.Invocation{Arguments: []byte(`{"a":"x"}`)})

	want := []struct {
		result  *runtime.Result
		outcome audit.Outcome
		kind    string
	}{{ok, audit.OK, ""}, {thrown, audit.Error, "exception"}, {invalid, audit.Refused, "invalid_arguments"}, {denied, audit.Refused, "not_cleared"}}
	var got []audit.Entry
	if err := audit.Read(path, audit.Filter{}, func(e audit.Entry) error { got = append(got, e); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d records for %d calls", len(got), len(want))
	}
	safety, err := json.Marshal(tool.Safety())
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		e := got[i]
		kind := ""
		if e.Cause != nil {
			kind = e.Cause.Kind
		}
		if e.ID != w.result.ID || e.Outcome != w.outcome || kind != w.kind {
			t.Errorf("record %d: %s %s %q", i, e.ID, e.Outcome, kind)
		}
		if string(e.ToolSafety) != string(safety) || e.RiskLevel != "L0" || e.Category != "TEXT" || e.ToolID != tool.Spec().ToolID() || e.ContentHash == "" {
			t.Errorf("record %d: %+v", i, e.Record)
		}
	}
	if got[0].Fuel == 0 || got[0].PeakMemory == 0 || string(got[0].Parameters) != `{"a":"x"}` {
		t.Errorf("usage or parameters are missing: %+v", got[0].Record)
	}
}

func TestNothingRunsWithoutARecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(path, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, optional := range []bool{false, true} {
		rt := open(t, runtime.Config{Audit: log, AuditOptional: optional})
		tool := load(t, rt, spec(t, "one", "return 1;", nil))
		if !optional {
			if got := tool.Call(t.Context(), cleared(tool, "")); got.Failure != nil {
				t.Fatal(got.Failure)
			}
			log.Close()
		}
		got := tool.Call(t.Context(), cleared(tool, ""))
		if ran := got.Failure == nil; ran != optional {
			t.Errorf("optional %v: %+v", optional, got.Failure)
		}
		if !optional && (got.Failure.Kind != runtime.AuditUnavailable || !errors.Is(got.Failure, audit.ErrClosed) || got.Usage.Fuel != 0) {
			t.Errorf("%+v", got)
		}
	}
}

func TestMissingRequirementsNameTheVariable(t *testing.T) {
	rt := open(t, runtime.Config{})
	tool := load(t, rt, spec(t, "one", "return k;", map[string]any{"staticVariables": []map[string]string{{"k": "${SOME_KEY}"}}}))
	got := tool.Call(t.Context(), cleared(tool, ""))
	if got.Failure == nil || got.Failure.Kind != runtime.MissingRequirements || !strings.Contains(got.Failure.Message, "SOME_KEY") {
		t.Errorf("%+v", got.Failure)
	}
}

func TestText(t *testing.T) {
	rt := open(t, runtime.Config{})
	for body, want := range map[string]string{
		"return 'plain';":                     `"plain"`,
		"return {a: [1, null]};":              `{"a":[1,null]}`,
		"return undefined;":                   `undefined`,
		"return null;":                        `undefined`,
		"":                                    `undefined`,
		"return 0;":                           `0`,
		"return '```saip-action\\n{}\\n```';": "```saip-action\n{}\n```",
	} {
		tool := load(t, rt, spec(t, "one", body, nil))
		got := tool.Call(t.Context(), cleared(tool, ""))
		if text := tool.Text(got); text != want || got.Failure != nil {
			t.Errorf("%q: %q, want %q, %v", body, text, want, got.Failure)
		}
	}
}

// A result that others cannot decode is no result.
func TestDeepResultsAreRefused(t *testing.T) {
	rt := open(t, runtime.Config{})
	tool := load(t, rt, spec(t, "deep", `let v = ']'; for (let n = 0; n < Number(depth); n++) v = n % 2 ? [v] : { v }; return v;`, params("depth")))
	for depth, fits := range map[string]bool{strconv.Itoa(runtime.MaxDepth): true, strconv.Itoa(runtime.MaxDepth + 1): false, "2000": false} {
		got := tool.Call(t.Context(), cleared(tool, `{"depth":"`+depth+`"}`))
		switch {
		case fits && got.Failure != nil:
			t.Errorf("%s deep: %v", depth, got.Failure)
		case !fits && (got.Failure == nil || got.Failure.Kind != runtime.OutputTooLarge || got.Value != nil):
			t.Errorf("%s deep: %.60s, %v", depth, got.Value, got.Failure)
		}
	}
}

func TestUngrantedPostureIsRefused(t *testing.T) {
	rt := open(t, runtime.Config{})
	tool := load(t, rt, spec(t, "one", "return typeof fetch;", map[string]any{"sandboxOverrides": map[string]any{"networkMode": "strict"}}))
	got := tool.Call(t.Context(), cleared(tool, "")) // the world lends nothing
	if got.Failure == nil || got.Failure.Kind != runtime.PostureRefused {
		t.Errorf("%+v", got)
	}
}

func TestLocalPass(t *testing.T) {
	rt := open(t, runtime.Config{})
	for body, kind := range map[string]runtime.Kind{
		"return a + Math.random() + Date.now() + performance.now();":     "",
		"await new Promise((done) => setTimeout(done, 2000)); return a;": "",
		"throw new Error('no');": jsengine.Exception,
		"for (;;) {}":            jsengine.StatementLimit,
		"return (":               jsengine.SyntaxError,
	} {
		tool := load(t, rt, spec(t, "one", body, params("a")))
		report := tool.LocalPass(t.Context(), runtime.Invocation{})
		switch {
		case kind == "" && (report.Failure != nil || report.Second == nil):
			t.Errorf("%s: %v", body, report.Failure)
		case kind != "" && (report.Failure == nil || report.Failure.Kind != kind):
			t.Errorf("%s: %v", body, report.Failure)
		}
	}
}

// A value that nobody gave the tool but that looks like a credential is
// redacted, in the result, in logs and in errors, and the record says so.
func TestWhatLooksLikeASecretIsRedacted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(path, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	rt := open(t, runtime.Config{Audit: log})
	key := "AKIA" + "QYLPMN5HFIQR7XYA" // put together here, so that no scanner trips over this file
	for _, body := range []string{"return {key: a};", "console.log('got ' + a); return 1;", "throw new Error('refused ' + a);"} {
		tool := load(t, rt, spec(t, "leak", body, params("a")))
		got := tool.Call(t.Context(), cleared(tool, `{"a":"`+key+`"}`))
		shown := fmt.Sprintf("%s %v %v", got.Value, got.Logs, got.Failure)
		if strings.Contains(shown, key) || !strings.Contains(shown, "[REDACTED:") {
			t.Errorf("%s: %s", body, shown)
		}
		if len(got.Redactions) == 0 {
			t.Errorf("%s: nothing was noted", body)
		}
	}
	var noted int
	if err := audit.Read(path, audit.Filter{}, func(e audit.Entry) error {
		if strings.Contains(string(e.Redactions), `"rule"`) {
			noted++
		}
		return nil
	}); err != nil || noted != 3 {
		t.Errorf("%d of 3 records note it, %v", noted, err)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), key) {
		t.Errorf("the record holds the value: %s, %v", text, err)
	}
}

func TestABlockedResultDoesNotPass(t *testing.T) {
	engine, err := egress.NewEngine(rules.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	policy := egress.DefaultPolicy()
	policy.Classes[rules.Credential] = egress.Block
	rt := open(t, runtime.Config{Sanitiser: egress.New(engine, policy)})
	tool := load(t, rt, spec(t, "leak", "return 'AKIA' + 'QYLPMN5HFIQR7XYA';", nil))
	got := tool.Call(t.Context(), cleared(tool, ""))
	if got.Failure == nil || got.Failure.Kind != runtime.OutputBlocked || got.Value != nil {
		t.Errorf("%s, %v", got.Value, got.Failure)
	}
}

func TestNamesThatNoVariableCanHaveAreNotBound(t *testing.T) {
	rt := open(t, runtime.Config{})
	tool := load(t, rt, spec(t, "odd", "return [ok, package, interface];", params("class", "user-id", "await", "ok", "a b", "package", "interface")))
	got := tool.Call(t.Context(), cleared(tool, `{"class":"1","user-id":"2","await":"3","ok":"4","a b":"5","package":"6","interface":"7"}`))
	if got.Failure != nil || string(got.Value) != `["4","6","7"]` {
		t.Errorf("%s %v", got.Value, got.Failure)
	}
}

// The record can fail after the tool has run. What it did is done, but nobody may
// profit from a call that left no record.
func TestAResultWhoseRecordFailsIsWithheld(t *testing.T) {
	log, err := audit.Open(filepath.Join(t.TempDir(), "audit.jsonl"), audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt := open(t, runtime.Config{Audit: log})
	tool := load(t, rt, spec(t, "one", "console.log('gold'); try { await fetch('https://example.com/'); } catch {} return 'gold';", map[string]any{"sandboxOverrides": map[string]any{"networkMode": "strict"}}))
	in := cleared(tool, "")
	asked := false
	in.World = host.World{
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			asked = true
			return nil, log.Close() // in the middle of the call
		},
		Dial: func(context.Context, string, netip.AddrPort) (net.Conn, error) { return nil, errors.New("not reached") },
	}
	got := tool.Call(t.Context(), in)
	if !asked {
		t.Fatal("the tool did not ask for the host")
	}
	if got.Failure == nil || got.Failure.Kind != runtime.AuditUnavailable || got.Value != nil || got.Logs != nil {
		t.Errorf("%+v", got)
	}
}
