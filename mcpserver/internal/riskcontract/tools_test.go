package riskcontract

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/contract"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

func example(t testing.TB) *contract.Contract {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/contract/mcp-tool-risk-contract.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// calls lets every tool of level L0 run.
func calls(t testing.TB) *governed.Pipeline {
	t.Helper()
	engine, err := egress.NewEngine(rules.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	return governed.New(governed.Config{Terms: governed.Terms{
		Judge: governed.ByLevel{Policy: risk.DefaultLevelPolicy()}, Sanitiser: egress.New(engine, egress.DefaultPolicy()),
	}})
}

func ask(t testing.TB, c *contract.Contract, name, arguments string) (answer map[string]any, failed bool) {
	t.Helper()
	return askThrough(t, calls(t), c, name, arguments)
}

func askThrough(t testing.TB, calls *governed.Pipeline, c *contract.Contract, name, arguments string) (answer map[string]any, failed bool) {
	t.Helper()
	for _, tool := range Tools(c) {
		if tool.About().Name != name {
			continue
		}
		result := calls.Do(t.Context(), governed.Request{Tool: tool, Arguments: []byte(arguments)})
		text := result.Value
		if result.Failure != nil {
			text = Failure(result.Failure, result.ID)
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return answer, result.Failure != nil
	}
	t.Fatalf("no tool %s", name)
	return nil, false
}

// Decisions are those of the package; what differs is how a request is written.
func TestDecisions(t *testing.T) {
	c := example(t)
	for _, row := range []struct{ arguments, decision string }{
		{``, "hold_for_tool_risk_review"},
		{`{"namespace":"nobody.knows"}`, "hold_for_tool_risk_review"},
		{`{"namespace":"docs.handbook","requested_access_mode":"read","annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"title":"T"}}`, "allow_tool_call"},
		{`{"namespace":"docs.handbook","requested_access_mode":"read","read_only_hint":true,"destructive_hint":false,"idempotent_hint":true}`, "allow_tool_call"},
		{`{"namespace":"docs.handbook","requested_access_mode":"write_branch"}`, "deny_scope_drift"},
		{`{"namespace":"docs.handbook","contains_secret":true}`, "kill_session_on_tool_risk_signal"},
		{`{"namespace":"docs.handbook","runtime_kill_signal":"stop"}`, "kill_session_on_tool_risk_signal"},
	} {
		answer, failed := ask(t, c, "evaluate_tool_risk_decision", row.arguments)
		if failed || answer["decision"] != row.decision || answer["available"] != true {
			t.Errorf("%s: failed %v, %v: %v", row.arguments, failed, answer["decision"], answer["explanation"])
		}
		if allowed := strings.HasPrefix(row.decision, "allow"); answer["allowed"] != allowed {
			t.Errorf("%s: allowed is %v", row.arguments, answer["allowed"])
		}
	}
}

// What cannot be read is denied, whatever else it says: the rest of each request
// would be allowed.
func TestUnreadableIsDenied(t *testing.T) {
	const good = `"namespace":"docs.handbook","requested_access_mode":"read","annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true}`
	c := example(t)
	if answer, _ := ask(t, c, "evaluate_tool_risk_decision", "{"+good+"}"); answer["allowed"] != true {
		t.Fatalf("the rest is not allowed: %v", answer)
	}
	for _, arguments := range []string{
		`null`, `[]`, `"x"`, `true`, `1`, `{`, `{` + good, `{` + good + `}}`, `{` + good + `}x`,
		`{` + good + `,"namespace":"docs.handbook"}`,
		`{` + good + `,"contains_secrets":true}`,
		`{` + good + `,"contains_secret":"yes"}`,
		`{` + good + `,"contains_secret":1}`,
		`{` + good + `,"server_trusted":[true]}`,
		`{` + good + `,"runtime_kill_signal":{"a":1}}`,
		`{` + good + `,"human_approval_record":"CHG-1"}`,
		`{` + good + `,"destructive_hint":"perhaps"}`,
		`{` + good + `,"tool_name":"\ud800"}`,
		`{` + good + `,"tool_name":NaN}`,
		"{" + good + ",\"tool_name\":\"\xff\"}",
		`{"namespace":"docs.handbook","annotations":{"destructiveHint":null}}`,
		`{"namespace":"docs.handbook","annotations":[]}`,
		`{"namespace":["docs.handbook"]}`,
		strings.Repeat(`{"namespace":`, 20_000) + `1` + strings.Repeat("}", 20_000),
	} {
		answer, failed := ask(t, c, "evaluate_tool_risk_decision", arguments)
		if !failed || answer["allowed"] != false || answer["available"] != false || answer["decision"] != "deny" || answer["error"] != "invalid_request" {
			t.Errorf("%.80s: failed %v, %v", arguments, failed, answer)
		}
	}
}

func TestShow(t *testing.T) {
	c := example(t)
	answer, failed := ask(t, c, "tool_risk_contract", `{}`)
	if failed || len(answer["tools"].([]any)) != len(c.Tools()) || len(answer["workflows"].([]any)) != len(c.Workflows()) {
		t.Errorf("failed %v: %v", failed, answer)
	}
	answer, _ = ask(t, c, "tool_risk_contract", `{"namespace":"docs.handbook","workflow_id":"nobody's"}`)
	tools := answer["tools"].([]any)
	if len(tools) != 1 || tools[0].(map[string]any)["risk_tier"] == "" || len(answer["workflows"].([]any)) != 0 {
		t.Errorf("%v", answer)
	}
	for _, arguments := range []string{`{"name":"x"}`, `{"namespace":1}`, `[]`, `{`} {
		if answer, failed := ask(t, c, "tool_risk_contract", arguments); !failed || answer["allowed"] != false {
			t.Errorf("%s: %v", arguments, answer)
		}
	}
}

// The schema names what is read, and nothing else.
func TestSchemaIsWhatIsRead(t *testing.T) {
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal(evaluateSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, a := range contract.Arguments() {
		want = append(want, a.Name)
	}
	for name := range documentMembers {
		want = append(want, name)
	}
	for name := range schema.Properties {
		if !slices.Contains(want, name) {
			t.Errorf("%s is not read", name)
		}
	}
	if len(schema.Properties) != len(want) {
		t.Errorf("%d properties, %d are read", len(schema.Properties), len(want))
	}
}

func FuzzEvaluate(f *testing.F) {
	f.Add([]byte(`{"namespace":"docs.handbook","annotations":{"readOnlyHint":true}}`))
	f.Add([]byte(`{"namespace":"docs.handbook","human_approval_record":{"id":"x"}}`))
	f.Add([]byte(`{"a":1,"a":2}`))
	c, through := example(f), calls(f)
	f.Fuzz(func(t *testing.T, arguments []byte) {
		for _, tool := range Tools(c) {
			answer, failed := askThrough(t, through, c, tool.About().Name, string(arguments))
			if failed == (answer["available"] == true) || failed && answer["allowed"] != false {
				t.Errorf("%s: failed %v, %v", arguments, failed, answer)
			}
			if answer["allowed"] == true && !json.Valid(arguments) && len(arguments) > 0 {
				t.Errorf("allowed what is no JSON: %q", arguments)
			}
		}
	})
}
