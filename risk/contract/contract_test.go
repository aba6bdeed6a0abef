package contract_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/glovebox-run/glovebox/risk/contract"
)

func TestZeroValuesAreHeld(t *testing.T) {
	var d contract.Decision
	var a contract.Answer
	if d.Allowed() || a.Decision.Allowed() || a.Report().Allowed || d.String() != "hold_for_tool_risk_review" {
		t.Error("a zero value allows a call")
	}
	if contract.Decision(200).Allowed() || contract.Decision(200).String() != d.String() {
		t.Error("a decision off the scale is not held")
	}
	c := publishedContract(t)
	if got := c.Decide(&contract.Request{}); got.Decision != contract.Hold {
		t.Errorf("the zero request: %v", got.Decision)
	}
}

func TestDecisionText(t *testing.T) {
	for d := contract.Hold; d <= contract.KillSession; d++ {
		if back, err := contract.ParseDecision(d.String()); err != nil || back != d {
			t.Errorf("%v came back as %v, %v", d, back, err)
		}
	}
	for _, bad := range []string{"", "allow", "Allow_tool_call", "deny_insecure_tool_list_cache"} {
		if d, err := contract.ParseDecision(bad); err == nil || d.Allowed() {
			t.Errorf("%q was read as %v", bad, d)
		}
	}
}

// The two shapes of a contract say the same: a pack turned into the exchange
// shape decides as the pack does.
func TestBothShapesDecideAlike(t *testing.T) {
	text, err := os.ReadFile(vectors.Testdata("contract", "mcp-tool-risk-contract.json"))
	if err != nil {
		t.Fatal(err)
	}
	pack, err := contract.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	exchange, err := contract.Parse([]byte(strings.NewReplacer(
		`"schema_version": "1.0"`, `"format": "tool-risk-contract-input/1"`,
		`"tool_profiles"`, `"tools"`, `"risk_factors"`, `"factors"`, `"suggested_annotations"`, `"suggested_hints"`,
		`"trusted_server"`, `"server_trusted"`, `"workflow_tool_risk"`, `"workflows"`,
		`"readOnlyHint":`, `"read_only":`, `"destructiveHint":`, `"destructive":`, `"idempotentHint":`, `"idempotent":`, `"openWorldHint":`, `"open_world":`,
	).Replace(string(text))))
	if err != nil {
		t.Fatal(err)
	}
	for _, namespace := range []string{"docs.handbook", "feeds.advisories", "shop.orders", "shop.refunds", "shop.stock", "repo.website", "ci.builds", "tickets.support", "mail.newsletter", "none"} {
		for _, mode := range []string{"", "read", "write_branch", "write_ticket", "approval_required"} {
			for _, workflow := range []string{"", "patch-website", "refund-order", "none"} {
				r := contract.Request{Namespace: namespace, RequestedAccessMode: mode, WorkflowID: workflow}
				a, b := pack.Decide(&r), exchange.Decide(&r)
				if a.Decision != b.Decision || !cmp.Equal(a.Reasons(), b.Reasons()) || a.Hints() != b.Hints() {
					t.Errorf("%s %s %s: %v %q and %v %q", namespace, mode, workflow, a.Decision, a.Reasons(), b.Decision, b.Reasons())
				}
			}
		}
	}
}

func TestParseRefusesWhatIsNoContract(t *testing.T) {
	text, err := os.ReadFile(vectors.Testdata("contract", "mcp-tool-risk-contract.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ old, new, at string }{
		"no JSON":                {"{", "[", "contract:"},
		"another version":        {`"schema_version": "1.0"`, `"schema_version": "2.0"`, "want an evidence pack"},
		"no version":             {`"schema_version"`, `"version"`, "want an evidence pack"},
		"no tools":               {`"tool_profiles"`, `"tools"`, "/tool_profiles"},
		"no workflows":           {`"workflow_tool_risk"`, `"workflows"`, "/workflow_tool_risk"},
		"factor missing":         {`"writes_state": false`, `"writes": false`, "/tool_profiles/0/risk_factors/writes_state"},
		"factor is a text":       {`"reads_private_data": true`, `"reads_private_data": "yes"`, "/tool_profiles/0/risk_factors/reads_private_data"},
		"trust is a number":      {`"trusted_server": true`, `"trusted_server": 1`, "/tool_profiles/0/trusted_server"},
		"modes are a text":       {"\"access_modes\": [\n        \"read\"\n      ]", `"access_modes": "read"`, "/tool_profiles/0/access_modes"},
		"tier unknown":           {`"risk_tier": "tier_2_private_context"`, `"risk_tier": "tier_7"`, "/tool_profiles/0/risk_tier"},
		"namespace twice":        {`"namespace": "docs.handbook",`, `"namespace": "ci.builds",`, `/tool_profiles/1/namespace: "ci.builds" is registered twice`},
		"connector twice":        {`"connector_id": "handbook-reader"`, `"connector_id": "build-reader"`, `/tool_profiles/1/connector_id`},
		"workflow twice":         {`"workflow_id": "refund-order"`, `"workflow_id": "patch-website"`, `/workflow_tool_risk/2/workflow_id`},
		"hint defaults half":     {`"idempotentHint": false,`, ``, "/evaluator_contract/annotation_defaults/idempotentHint"},
		"member named twice":     {`"schema_version": "1.0"`, `"schema_version": "1.0", "schema_version": "1.0"`, "duplicate"},
		"something after it all": {"\n}\n", "\n}\n{}", "something follows"},
	} {
		if !bytes.Contains(text, []byte(tc.old)) {
			t.Fatalf("%s: the example does not hold %q", name, tc.old)
		}
		c, err := contract.Parse(bytes.Replace(text, []byte(tc.old), []byte(tc.new), 1))
		if err == nil || c != nil || !strings.Contains(err.Error(), tc.at) {
			t.Errorf("%s: got %v, want an error at %s", name, err, tc.at)
		}
	}
}

// oneTool is a contract with one tool that has the given factor alone, and hint
// defaults that are not MCP's.
func oneTool(t *testing.T, factor string) *contract.Contract {
	t.Helper()
	factors := `{"can_exfiltrate":false,"destructive_action_potential":false,"reads_private_data":false,"requires_human_approval":false,"sees_untrusted_content":false,"writes_state":false}`
	c, err := contract.Parse(fmt.Appendf(nil, `{"format":"tool-risk-contract-input/1","workflows":[],
		"hint_defaults":{"read_only":true,"destructive":false,"idempotent":true,"open_world":false},
		"tools":[{"namespace":"n","connector_id":"c","access_modes":["read"],"server_trusted":false,"risk_tier":"tier_0_context_only","factors":%s,
		"suggested_hints":{"read_only":true,"destructive":false,"idempotent":true,"open_world":false}}]}`,
		strings.Replace(factors, `"`+factor+`":false`, `"`+factor+`":true`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWhatEachFactorDoes(t *testing.T) {
	const satisfied, untrusted, approval = "policy_satisfied", "untrusted_server_for_sensitive_tool", "approval_required"
	for factor, want := range map[string]struct{ alone, vouchedFor string }{
		"":                             {satisfied, satisfied},
		"can_exfiltrate":               {untrusted, satisfied},
		"destructive_action_potential": {untrusted, approval},
		"reads_private_data":           {untrusted, satisfied},
		"writes_state":                 {untrusted, satisfied},
		"requires_human_approval":      {approval, approval},
		"sees_untrusted_content":       {satisfied, satisfied},
	} {
		c := oneTool(t, factor)
		if got := decide(t, c, `{"namespace":"n"}`); got.Reasons()[0] != want.alone {
			t.Errorf("%s: %q, want %s", factor, got.Reasons(), want.alone)
		}
		if got := decide(t, c, `{"namespace":"n","server_trusted":true}`); got.Reasons()[0] != want.vouchedFor {
			t.Errorf("%s, server trusted: %q, want %s", factor, got.Reasons(), want.vouchedFor)
		}
	}
}

func TestDefaultsOfTheHintsComeFromTheContract(t *testing.T) {
	if got := decide(t, oneTool(t, ""), `{}`).Hints(); got != (contract.Hints{ReadOnly: true, Idempotent: true}) {
		t.Errorf("%+v", got)
	}
}

// A document that is wrong throughout does not fill pages.
func TestProblemsAreCounted(t *testing.T) {
	rows := strings.TrimSuffix(strings.Repeat("0,", 50), ",")
	_, err := contract.Parse([]byte(`{"schema_version":"1.0","tool_profiles":[` + rows + `],"workflow_tool_risk":[]}`))
	if err == nil {
		t.Fatal("fifty rows that are no rows")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || !strings.Contains(lines[19], "/tool_profiles/19: want an object") || lines[20] != "more problems follow" {
		t.Errorf("%d lines, the last two %q", len(lines), lines[len(lines)-2:])
	}
}
