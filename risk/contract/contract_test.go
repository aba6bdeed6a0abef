package contract_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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

// An auditor can check an answer against the files it was made from.
func TestReportCarriesItsEvidence(t *testing.T) {
	text, err := os.ReadFile(vectors.Testdata("contract", "mcp-tool-risk-contract.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	report := decide(t, c, `{"workflow_id": "patch-website", "namespace":"repo.website", "annotations":{"readOnlyHint":false,"other":1}, "requested_access_mode":"write_branch", "agent_id": " bot ", "changed_paths":["a"]}`).Report()
	sum := sha256.Sum256(text)
	if want := "sha256:" + hex.EncodeToString(sum[:]); report.ContractDigest != want {
		t.Errorf("contract digest %s, want %s", report.ContractDigest, want)
	}
	sum = sha256.Sum256([]byte(`{"agent_id":" bot ","annotations":{"other":1,"readOnlyHint":false},"changed_paths":["a"],"namespace":"repo.website","requested_access_mode":"write_branch","workflow_id":"patch-website"}`))
	if want := "sha256:" + hex.EncodeToString(sum[:]); report.RequestDigest != want {
		t.Errorf("request digest %s, want %s", report.RequestDigest, want)
	}
	if want := (contract.HintSources{ReadOnly: "request", Destructive: "profile", Idempotent: "profile", OpenWorld: "profile"}); report.HintSources != want {
		t.Errorf("hint sources %+v", report.HintSources)
	}
	unknown := decide(t, c, `{"annotations":{"openWorldHint":0}}`).Report()
	if want := (contract.HintSources{ReadOnly: "defaults", Destructive: "defaults", Idempotent: "defaults", OpenWorld: "request"}); unknown.HintSources != want || unknown.RiskTier != nil {
		t.Errorf("unregistered: hint sources %+v, tier %v", unknown.HintSources, unknown.RiskTier)
	}
	if report.Request.AgentID != "bot" || report.ContractDate != "2026-11-02" || report.Mode != "compat" {
		t.Errorf("report %+v", report)
	}
}

func TestArguments(t *testing.T) {
	base := `{"namespace":"shop.orders","server_trusted":true,"annotations":{"openWorldHint":false,"readOnlyHint":true},"human_approval_record":{"ticket_id":"7","decision":"no"}}`
	for name, tc := range map[string]struct {
		args, want string // the request document that the two make together
	}{
		"nothing":                           {`{}`, base},
		"null is not given":                 {`{"namespace":null,"read_only_hint":null}`, base},
		"an empty text is not given":        {`{"namespace":""}`, base},
		"a switch that is off is not given": {`{"server_trusted":false}`, base},
		"a text replaces":                   {`{"namespace":"ci.builds"}`, strings.Replace(base, "shop.orders", "ci.builds", 1)},
		"a blank text replaces":             {`{"namespace":" "}`, strings.Replace(base, "shop.orders", " ", 1)},
		"hints are merged":                  {`{"open_world_hint":"YES","destructive_hint":"off"}`, strings.Replace(base, `"openWorldHint":false`, `"openWorldHint":true,"destructiveHint":false`, 1)},
		"an approval replaces":              {`{"human_approval_id":"9"}`, strings.Replace(base, `{"ticket_id":"7","decision":"no"}`, `{"id":"9","decision":"approved"}`, 1)},
	} {
		got, err := contract.ParseArguments([]byte(base), []byte(tc.args))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, err := contract.ParseRequest([]byte(tc.want))
		if err != nil {
			t.Fatal(err)
		}
		if got != want { // the digest covers the whole document
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	for _, bad := range []string{
		`[]`, `null`, `{"namespace":1}`, `{"server_trusted":"true"}`, `{"server_trusted":1}`, `{"read_only_hint":"maybe"}`, `{"read_only_hint":1}`,
		`{"readOnlyHint":true}`, `{"annotations":{}}`, `{"Namespace":"x"}`, `{"human_approval_record":{"id":"x"}}`, `{"human_approval_id":["x"]}`, `{`,
	} {
		if r, err := contract.ParseArguments(nil, []byte(bad)); !errors.Is(err, contract.ErrInvalidRequest) {
			t.Errorf("%s was read as %+v, %v", bad, r, err)
		}
	}
	if _, err := contract.ParseArguments([]byte(`[]`), []byte(`{}`)); !errors.Is(err, contract.ErrInvalidRequest) {
		t.Errorf("a list passes for a request document: %v", err)
	}
	// Hints laid over annotations that are no object start from none.
	got, err := contract.ParseArguments([]byte(`{"annotations":["x"]}`), []byte(`{"read_only_hint":true}`))
	want, _ := contract.ParseRequest([]byte(`{"annotations":{"readOnlyHint":true}}`))
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestLines(t *testing.T) {
	c := publishedContract(t)
	long := `{"id":"long","raw_request":{"namespace":"` + strings.Repeat("x", 1<<20) + `"}}`
	in := strings.Join([]string{
		`{"id":"a","raw_request":{"namespace":"findings.sast","requested_access_mode":"read"},"extra":1}`,
		`{"id":7,"request":{"namespace":"findings.sast","requested_access_mode":"read"}}`,
		``,
		`{"id":"both","request":{},"raw_request":{}}`,
		`{"id":"none"}`,
		`{"id":"list","raw_request":[]}`,
		`{"id":"unknown","request":{"nemespace":"findings.sast"}}`,
		`{"id":"twice","raw_request":{"namespace":"findings.sast","namespace":"findings.sast"}}`,
		`{"id":"é<","raw_request":null}`,
		`{"id":1.5,"raw_request":{"namespace":"findings.sast"}}`,
		`{"id":["x"],"raw_request":{"namespace":"findings.sast"}}`,
		`nonsense`,
		`{"id":"cut","raw_request":{"namespace":`,
		`{"raw_request":{"namespace":NaN},"id":"behind"}`,
		`{"id":"\ud800"}`,
		`[]`,
		long,
		`{"raw_request":{"namespace":"findings.sast","requested_access_mode":"read"}}`, // no newline after it
	}, "\n")
	var out strings.Builder
	tally, err := c.DecideLines(strings.NewReader(in), &out)
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		ID       any
		Decision string
		Allowed  bool
		Error    string
		Line     int
	}
	want := []line{
		{ID: "a", Decision: "allow_tool_call", Allowed: true},
		{ID: 7.0, Decision: "allow_tool_call", Allowed: true},
		{ID: "both", Error: "invalid_request", Line: 4},
		{ID: "none", Error: "invalid_request", Line: 5},
		{ID: "list", Error: "invalid_request", Line: 6},
		{ID: "unknown", Error: "invalid_request", Line: 7},
		{ID: "twice", Error: "invalid_request", Line: 8},
		{ID: "é<", Error: "invalid_request", Line: 9},
		{Error: "invalid_request", Line: 10},
		{Error: "invalid_request", Line: 11},
		{Error: "invalid_request", Line: 12},
		{ID: "cut", Error: "invalid_request", Line: 13},
		{Error: "invalid_request", Line: 14},
		{Error: "invalid_request", Line: 15},
		{Error: "invalid_request", Line: 16},
		{Error: "invalid_request", Line: 17},
		{Decision: "allow_tool_call", Allowed: true},
	}
	var got []line
	for raw := range strings.Lines(out.String()) {
		var l line
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			t.Fatal(err)
		}
		got = append(got, l)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if tally.Rows != 17 || tally.Invalid != 14 || tally.Decisions[contract.Allow] != 3 || tally.Refused() != 0 {
		t.Errorf("%+v", tally)
	}
}

type brokenPipe struct{}

var errBroken = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }
func (brokenPipe) Read([]byte) (int, error)  { return 0, errBroken }

func TestLinesReportsReadingAndWriting(t *testing.T) {
	c := publishedContract(t)
	if _, err := c.DecideLines(strings.NewReader(`{"id":1,"raw_request":{}}`), brokenPipe{}); !errors.Is(err, errBroken) {
		t.Errorf("writing: %v", err)
	}
	var out strings.Builder
	if _, err := c.DecideLines(brokenPipe{}, &out); !errors.Is(err, errBroken) || out.Len() > 0 {
		t.Errorf("reading: %v, %q", err, out.String())
	}
}
