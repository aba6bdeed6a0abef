package telemetry_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/contract"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

var update = flag.Bool("update", false, "rewrite golden files")

// everyOutcome makes a call for each outcome, in a fixed order, and returns what
// was observed.
func everyOutcome(t *testing.T) *fixture {
	defect := false
	f := newFixture(t, setup{
		policy: risk.LevelPolicy{Ceiling: risk.L4, Unasked: risk.L3},
		limits: jsengine.Limits{Time: 500 * time.Millisecond, Statements: 10_000},
		block:  true,
		world: host.World{
			Resolve: func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no such name") },
			Dial:    func(context.Context, string, netip.AddrPort) (net.Conn, error) { return nil, errors.New("no network") },
		},
		lookup: func(name string) (string, bool) { return "a value", name == "SET" },
		lend: func(string, *host.World) (func(), error) {
			if defect {
				panic("a defect of the test's")
			}
			return nil, nil
		},
		specs: []string{
			tool("ok", "return 1;", `"sandboxOverrides":{"networkMode":"allowlist","hostsAllow":["a.example","*.b.example"]},"humanInTheLoop":{"mode":"DISABLED"}`),
			tool("throws", "throw new Error('no');", ""),
			tool("guarded", "return safety.fs.readText('/etc/passwd');", `"sandboxOverrides":{"fileRead":true},"humanInTheLoop":{"mode":"DISABLED"}`),
			tool("computes", "while (true) {}", ""),
			tool("sleeps", "await new Promise(done => setTimeout(done, 10_000));", ""),
			tool("leaks", "return 'ghp_' + 'x7Kq2Lm9'.repeat(5).slice(0, 36);", ""),
			tool("wants", "return a;", `"params":[{"name":"a","type":"STRING","required":true,"testValue":"x"}]`),
			tool("wipes", "return 1;", `"sandboxOverrides":{"fileWrite":true,"destructive":true}`),
			tool("writes", "return 1;", `"sandboxOverrides":{"fileWrite":true,"fsBasePath":"notes"}`),
			tool("unset", "return k;", `"staticVariables":[{"k":"${UNSET}"}]`),
			tool("breaks", "return k;", `"staticVariables":[{"k":"${SET}"}]`),
		},
	})
	// Compile first, before the clock runs.
	for _, name := range []string{"ok", "throws", "guarded", "computes", "leaks"} {
		call(t, f.client(t, stateless, ""), name, nil)
	}
	if err := f.seen.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.spans.Reset()
	for _, c := range []struct{ version, answer, tool string }{
		{stateless, "", "ok"},
		{sessions, "", "throws"},
		{sessions, "", "guarded"},
		{sessions, "", "computes"},
		{sessions, "", "sleeps"},
		{sessions, "", "leaks"},
		{sessions, "", "wants"},
		{sessions, "", "wipes"},
		{sessions, "accept", "writes"},
		{sessions, "decline", "writes"},
		{sessions, "cancel", "writes"},
		{stateless, "accept", "writes"}, // twice: the question, then the repeated call
		{sessions, "", "unset"},
	} {
		call(t, f.client(t, c.version, c.answer), c.tool, nil)
	}
	defect = true
	call(t, f.client(t, sessions, ""), "breaks", nil)

	// Nobody serves tools of other servers yet; this checks what will be reported.
	upstream := f.seen.Upstream(telemetry.Upstream{
		Alias: "search", Server: "web", Tool: "find", Transport: "http", CompositionID: "c1", CompositionName: "Research",
		OfServer: mcp.L2, OfTool: mcp.L5, Final: mcp.L5, FloorTrigger: "irreversible_verb",
	})
	seen := upstream.Begin("AAAAAAAA", telemetry.Origin{Transport: "http", Protocol: "2099-01-01"})
	seen.Ended(&governed.Result{Output: governed.Output{Failure: &governed.Failure{Kind: governed.Throttled, Cause: &admission.Refusal{Reason: admission.TooFast}}}})
	seen.End()
	if err := f.seen.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

// written formats spans, without what differs between runs or changes with every
// new built-in function.
func written(spans tracetest.SpanStubs) string {
	varies := map[attribute.Key]string{
		"sandbox.cid": "CID", "mcp.cid": "CID", "sandbox.fuel": "N", "sandbox.statements": "N", "sandbox.memory.peak": "N", "sandbox.queue.wait": "SECONDS", "mcp.hitl.wait": "SECONDS",
	}
	var b strings.Builder
	for _, s := range spans {
		fmt.Fprintf(&b, "%s (%s, %s)\n", s.Name, s.SpanKind, s.Status.Code)
		slices.SortFunc(s.Attributes, func(a, b attribute.KeyValue) int { return strings.Compare(string(a.Key), string(b.Key)) })
		for _, a := range s.Attributes {
			value := a.Value.String()
			if stands := varies[a.Key]; stands != "" && value != "0" {
				value = stands
			}
			fmt.Fprintf(&b, "  %s = %s\n", a.Key, value)
		}
	}
	return b.String()
}

func TestSpanOfEveryOutcome(t *testing.T) {
	f := everyOutcome(t)
	got := written(f.spans.GetSpans())
	const golden = "testdata/spans.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
	for _, s := range f.spans.GetSpans() {
		if len(s.Resource.Attributes()) == 0 || !strings.Contains(s.Resource.String(), "service.name=glovebox") {
			t.Errorf("the resource is %s", s.Resource)
		}
		for _, a := range s.Resource.Attributes() {
			if !strings.HasPrefix(string(a.Key), "service.") && !strings.HasPrefix(string(a.Key), "telemetry.sdk.") {
				t.Errorf("the resource tells %s", a.Key)
			}
		}
	}
}

// Every line of a call has its correlation id, from the first to the last.
func TestLinesOfEveryOutcome(t *testing.T) {
	f := everyOutcome(t)
	ids := map[string]bool{}
	for _, s := range f.spans.GetSpans() {
		for _, a := range s.Attributes {
			if a.Key == "sandbox.cid" {
				ids[a.Value.AsString()] = true
			}
		}
	}
	started, ended := map[any]bool{}, map[any]bool{}
	for _, line := range f.log.lines(t) {
		id, _ := line["cid"].(string)
		switch line["msg"] {
		case "mcp.tool.start":
			started[id] = true
		case "mcp.tool.done", "mcp.tool.crash":
			ended[id] = true
			if (line["msg"] == "mcp.tool.crash") != (line["outcome"] == "internal") || line["trace_id"] == nil || line["duration_ms"] == nil {
				t.Errorf("%v", line)
			}
		}
		if line["tool"] != nil && id == "" {
			t.Errorf("a line without an id: %v", line)
		}
	}
	for id := range ids {
		if !started[id] || !ended[id] {
			t.Errorf("call %s: started %v, ended %v", id, started[id], ended[id])
		}
	}
}

// Built-in tools of the server are observed as well.
func TestToolsOfTheServer(t *testing.T) {
	text, err := os.ReadFile("../../testdata/contract/mcp-tool-risk-contract.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, setup{contract: c})
	call(t, f.client(t, stateless, ""), "tool_risk_contract", nil)
	_, _ = f.client(t, stateless, "").CallTool(t.Context(), &sdk.CallToolParams{Name: "evaluate_tool_risk_decision", Arguments: json.RawMessage(`{"namespace":7}`)})
	if err := f.seen.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := written(f.spans.GetSpans())
	for _, want := range []string{
		"tools/call tool_risk_contract (server, Unset)\n", "  sandbox.outcome = ok\n", "  mcp.origin = internal_go\n",
		"tools/call evaluate_tool_risk_decision (server, Error)\n", "  sandbox.failure = invalid_arguments\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Every kind of failure has an outcome, including kinds added later.
func TestEveryKindHasAnOutcome(t *testing.T) {
	kinds := slices.Clone(jsengine.Kinds[:])
	file, err := parser.ParseFile(token.NewFileSet(), "../../runtime/governed/failure.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
			if text, ok := v.Values[0].(*ast.BasicLit); ok {
				kind, _ := strconv.Unquote(text.Value)
				kinds = append(kinds, runtime.Kind(kind))
			}
		}
		return true
	})
	if len(kinds) < len(jsengine.Kinds)+9 {
		t.Fatalf("only %d kinds were found", len(kinds))
	}
	for _, kind := range kinds {
		if telemetry.Outcomes[kind] == "" {
			t.Errorf("%s has no outcome", kind)
		}
	}
	if len(telemetry.Outcomes) != len(kinds) {
		t.Errorf("%d rows for %d kinds", len(telemetry.Outcomes), len(kinds))
	}
}
