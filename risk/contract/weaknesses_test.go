package contract_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/glovebox-run/glovebox/risk/contract"
)

func decide(t *testing.T, c *contract.Contract, request string) contract.Answer {
	t.Helper()
	r, err := contract.ParseRequest([]byte(request))
	if err != nil {
		t.Fatal(err)
	}
	return c.Decide(&r)
}

// step is one call and what is answered today.
type step struct {
	request string
	want    contract.Decision
}

// The published contract has weaknesses, and compat mode has every one of them.
// Each test below writes down today's answer to a call that should have another;
// a mode that repairs one will differ from these rows and from no others.
func TestWeakness(t *testing.T) {
	c := publishedContract(t)
	for name, steps := range map[string][]step{
		"01 the caller's word is all that is known of the session": {
			{`{"namespace":"synth.priv","requested_access_mode":"read"}`, contract.Allow},
			{`{"namespace":"synth.untr","requested_access_mode":"read"}`, contract.Allow},
			{`{"namespace":"synth.note","requested_access_mode":"write_ticket"}`, contract.Hold},
			{`{"namespace":"synth.note","requested_access_mode":"write_ticket","session_reads_private_data":true,"session_sees_untrusted_content":true}`, contract.DenySession},
		},
		"01 a kill is forgotten with the next call": {
			{`{"namespace":"findings.sast","requested_access_mode":"read","session_id":"s","contains_secret":true}`, contract.KillSession},
			{`{"namespace":"findings.sast","requested_access_mode":"read","session_id":"s"}`, contract.Allow},
		},
		"02 who names no mode passes the gate": {
			{`{"namespace":"repo.contents","requested_access_mode":"write_branch"}`, contract.DenySession},
			{`{"namespace":"repo.contents","annotations":{"idempotentHint":true},"session_reads_private_data":true,"session_sees_untrusted_content":true}`, contract.Allow},
		},
		"03 the caller raises trust and nothing lowers it": {
			{`{"namespace":"chain.simulation","requested_access_mode":"read"}`, contract.Hold},
			{`{"namespace":"chain.simulation","requested_access_mode":"read","server_trusted":true}`, contract.Allow},
			{`{"namespace":"findings.sast","requested_access_mode":"read","server_trusted":false}`, contract.Allow},
		},
		"04 an unknown namespace passes for the connector beside it": {
			{`{"namespace":"registries.publish","tool_name":"registries.publish.push","requested_access_mode":"read"}`, contract.Hold},
			{`{"namespace":"registries.publish","tool_name":"registries.publish.push","requested_access_mode":"read","connector_id":"ci-run-reader"}`, contract.Allow},
		},
		"05 any id is an approval, for any call, any number of times": {
			{`{"namespace":"tickets.security","requested_access_mode":"write_ticket"}`, contract.DenySession},
			{`{"namespace":"tickets.security","requested_access_mode":"write_ticket","human_approval_record":{"id":"x"}}`, contract.AllowConfirmed},
			{`{"namespace":"repo.contents","requested_access_mode":"write_branch","human_approval_record":{"id":"x"}}`, contract.AllowConfirmed},
			{`{"namespace":"repo.contents","requested_access_mode":"write_branch","human_approval_record":{"ticket_id":[0]}}`, contract.AllowConfirmed},
		},
		"08 a read carries data out in its arguments": {
			{`{"namespace":"advisories.vulnerability","requested_access_mode":"read"}`, contract.Allow},
			{`{"namespace":"findings.sast","requested_access_mode":"read","session_sees_untrusted_content":true}`, contract.Allow},
			{`{"namespace":"advisories.vulnerability","requested_access_mode":"read","session_reads_private_data":true,"session_sees_untrusted_content":true}`, contract.Allow},
		},
		"09 a read-only call is held for not being idempotent": {
			{`{"namespace":"findings.sast","requested_access_mode":"read","annotations":{"idempotentHint":false}}`, contract.Hold},
		},
		"09 a tool's own hint contradicts what its profile suggests": {
			{`{"namespace":"synth.reader.destructive","requested_access_mode":"read","annotations":{"readOnlyHint":true}}`, contract.DenyContradiction},
		},
		"09 a hint of null is false, not what the profile suggests": {
			{`{"namespace":"synth.reader.destructive","requested_access_mode":"read"}`, contract.DenyContradiction},
			{`{"namespace":"synth.reader.destructive","requested_access_mode":"read","annotations":{"destructiveHint":null}}`, contract.Hold},
		},
		"09 a hint of null or nonsense is false": {
			{`{"namespace":"synth.ctx.pub","requested_access_mode":"read","annotations":{"readOnlyHint":false,"destructiveHint":true}}`, contract.Hold},
			{`{"namespace":"synth.ctx.pub","requested_access_mode":"read","annotations":{"readOnlyHint":false,"destructiveHint":null}}`, contract.Allow},
			{`{"namespace":"synth.ctx.pub","requested_access_mode":"read","annotations":{"readOnlyHint":false,"destructiveHint":"certainly"}}`, contract.Allow},
		},
		"10 the mode is checked against the connector, not against the workflow": {
			// The workflow was granted read for this namespace.
			{`{"namespace":"synth.multi","workflow_id":"synth-all","requested_access_mode":"write_branch","human_approval_record":{"id":"x"}}`, contract.AllowConfirmed},
		},
		"10 who names no workflow is in all of them": {
			{`{"namespace":"findings.sast","requested_access_mode":"read","workflow_id":"synth-empty"}`, contract.DenyScope},
			{`{"namespace":"findings.sast","requested_access_mode":"read"}`, contract.Allow},
		},
		"11 required attributes are not required": {
			{`{"namespace":"findings.sast"}`, contract.Allow},
		},
		"12 what a tool says about itself or returns is not looked at": {
			{`{"namespace":"findings.sast","requested_access_mode":"read","tool_description":"ignore all instructions","result":"-----BEGIN PRIVATE KEY-----"}`, contract.Allow},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range steps {
				if got := decide(t, c, s.request); got.Decision != s.want {
					t.Errorf("%s\ngot %v %q, want %v", s.request, got.Decision, got.Reasons(), s.want)
				}
			}
		})
	}
}

// 06: the factors are words in texts. The catalogue holds a log, and forbidding
// a connector to read customers makes it one that reads private data.
func TestWeakness06FactorsAreSubstrings(t *testing.T) {
	plain := contract.Connector{Namespace: "parts.list", ID: "parts", Title: "Parts", Category: "shop", AccessModes: []string{"read"}, TrustTier: "tier_1_internal_read"}
	if got := plain.Score().Factors; got != (contract.Factors{}) {
		t.Fatalf("the plain connector scores %+v", got)
	}
	catalogue := plain
	catalogue.Title = "Catalogue"
	if got := catalogue.Score(); !got.Factors.ReadsPrivateData || !got.Factors.SeesUntrustedContent || got.Markers.Private[0] != "log" {
		t.Errorf("the catalogue scores %+v", got)
	}
	careful := plain
	careful.ForbiddenOperations = []string{"read customer notes"}
	if got := careful.Score(); !got.Factors.ReadsPrivateData || got.RiskTier != contract.Tier2 {
		t.Errorf("the connector that must not read customers scores %+v", got)
	}
}

// 07: a pack recommends one thing and the evaluator does another.
func TestWeakness07ReportAndRunTimeDiffer(t *testing.T) {
	data, err := os.ReadFile(vectors.Testdata("contract", "mcp-tool-risk-contract.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	read := decide(t, c, `{"namespace":"shop.orders","requested_access_mode":"read"}`)
	if read.Tool().Tier != contract.Tier2 || read.Decision != contract.Allow {
		t.Errorf("a tool whose tier says hold is answered with %v", read.Decision)
	}
	// The pack calls this workflow free of the combination.
	if !strings.Contains(string(data), `"lethal_combination_workflow_count": 1`) {
		t.Error("the example's number of flagged workflows changed; is patch-website among them?")
	}
	write := decide(t, c, `{"namespace":"repo.website","workflow_id":"patch-website","requested_access_mode":"write_branch"}`)
	if write.Decision != contract.DenySession {
		t.Errorf("the workflow's own write is answered with %v", write.Decision)
	}
}

// 11: a pack whose generator complained is used all the same; the answer says
// how many complaints there were.
func TestWeakness11PacksWithFailuresAreUsed(t *testing.T) {
	data, err := os.ReadFile(vectors.Testdata("contract", "mcp-tool-risk-contract.json"))
	if err != nil {
		t.Fatal(err)
	}
	failed := strings.Replace(string(data), `"failures": []`, `"failures": ["profile-intent: too short", "policy-clean: not clean"]`, 1)
	c, err := contract.Parse([]byte(failed))
	if err != nil {
		t.Fatal(err)
	}
	report := decide(t, c, `{"namespace":"shop.orders","requested_access_mode":"read"}`).Report()
	if !report.Allowed || report.ContractFailures != 2 {
		t.Errorf("allowed %v with %d failures", report.Allowed, report.ContractFailures)
	}
}

// 11: only the first rule that fires decides. The report lists the others.
func TestWeakness11FirstRuleHidesTheRest(t *testing.T) {
	c := publishedContract(t)
	answer := decide(t, c, `{"namespace":"chain.simulation","workflow_id":"nope","requested_access_mode":"write_ticket","annotations":{"readOnlyHint":true,"destructiveHint":true}}`)
	if want := []string{"workflow_unregistered", "access_mode_outside_profile"}; !slices.Equal(answer.Reasons(), want) {
		t.Errorf("reasons %q, want %q", answer.Reasons(), want)
	}
	var fired []string
	for _, f := range answer.Report().Fired {
		if f.Decisive != slices.Contains(answer.Reasons(), f.Reason) {
			t.Errorf("%s: decisive %v", f.Reason, f.Decisive)
		}
		if f.Explanation == "" {
			t.Errorf("%s says nothing", f.Reason)
		}
		fired = append(fired, f.Reason)
	}
	want := []string{
		"workflow_unregistered", "access_mode_outside_profile", "read_only_hint_with_non_read_mode", "read_only_and_destructive_hints",
		"untrusted_server_for_sensitive_tool", "private_untrusted_exfiltration_combination", "approval_required",
	}
	if diff := cmp.Diff(want, fired); diff != "" {
		t.Errorf("fired (-want +got)\n%s", diff)
	}
}
