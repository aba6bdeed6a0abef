package contract_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/glovebox-run/glovebox/risk/contract"
)

// Each vector file can be replaced by another of the same shape: set the
// variable to its path. Rows are read strictly, so a field that no test looks at
// fails.
const (
	envContract    = "GLOVEBOX_CONTRACT"
	envDecisions   = "GLOVEBOX_DECISION_VECTORS"
	envRawRequests = "GLOVEBOX_RAW_REQUEST_VECTORS"
	envProfiles    = "GLOVEBOX_PROFILE_VECTORS"
)

type hints struct {
	ReadOnly    bool `json:"read_only"`
	Destructive bool `json:"destructive"`
	Idempotent  bool `json:"idempotent"`
	OpenWorld   bool `json:"open_world"`
}

type decisionRow struct {
	ID               string          `json:"id"`
	Group            string          `json:"group"`
	Contract         string          `json:"contract"`
	Note             string          `json:"note"`
	Request          json.RawMessage `json:"request"`
	RawRequest       json.RawMessage `json:"raw_request"`
	Decision         string          `json:"decision"`
	Reasons          []string        `json:"reasons"`
	RiskTier         *string         `json:"risk_tier"`
	Allowed          *bool           `json:"allowed"`
	MatchedNamespace *string         `json:"matched_namespace"`
	MatchedWorkflow  *string         `json:"matched_workflow"`
	EffectiveHints   hints           `json:"effective_hints"`
	Error            string          `json:"error"`
}

func vectorFile(env, name string) string {
	if other := os.Getenv(env); other != "" {
		return other
	}
	return vectors.Testdata("vectors", name)
}

func readRows[Row any](t *testing.T, name string) []Row {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		var row Row
		if err := dec.Decode(&row); err != nil {
			t.Fatalf("%s: %v in %.200s", name, err, line)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s: no rows", name)
	}
	return rows
}

func publishedContract(t testing.TB) *contract.Contract {
	t.Helper()
	data, err := os.ReadFile(vectorFile(envContract, "tool-risk-contract.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestVectorsDecisions(t *testing.T) {
	c := publishedContract(t)
	for _, row := range readRows[decisionRow](t, vectorFile(envDecisions, "tool-risk-decisions.jsonl")) {
		t.Run(row.ID, func(t *testing.T) {
			r, err := contract.ParseArguments([]byte(`{}`), row.Request)
			if err != nil {
				t.Fatal(err)
			}
			report := c.Decide(&r).Report()
			got := decisionRow{
				ID: row.ID, Group: row.Group, Contract: row.Contract, Request: row.Request,
				Decision: report.Decision.String(), Reasons: report.Reasons, RiskTier: report.RiskTier, Allowed: &report.Allowed,
				MatchedNamespace: report.MatchedNamespace, MatchedWorkflow: report.MatchedWorkflow,
				EffectiveHints: hints(report.EffectiveHints),
			}
			if diff := cmp.Diff(row, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestVectorsRawRequests(t *testing.T) {
	c := publishedContract(t)
	for _, row := range readRows[decisionRow](t, vectorFile(envRawRequests, "tool-risk-raw-requests.jsonl")) {
		t.Run(row.ID, func(t *testing.T) {
			r, err := contract.ParseRequest(row.RawRequest)
			if (err != nil) != (row.Error != "") {
				t.Fatalf("error %v, want %q", err, row.Error)
			}
			if err != nil {
				return
			}
			report := c.Decide(&r).Report()
			got := decisionRow{
				ID: row.ID, Note: row.Note, RawRequest: row.RawRequest,
				Decision: report.Decision.String(), Reasons: report.Reasons, RiskTier: report.RiskTier,
				EffectiveHints: hints(report.EffectiveHints),
			}
			if row.Allowed != nil {
				got.Allowed = &report.Allowed
			}
			if row.MatchedNamespace != nil {
				got.MatchedNamespace = report.MatchedNamespace
			}
			if row.MatchedWorkflow != nil {
				got.MatchedWorkflow = report.MatchedWorkflow
			}
			if diff := cmp.Diff(row, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestVectorsProfiles(t *testing.T) {
	type scores struct {
		Factors          map[string]bool `json:"factors"`
		RiskTier         string          `json:"risk_tier"`
		DefaultDecision  string          `json:"default_decision"`
		SuggestedHints   hints           `json:"suggested_hints"`
		ServerTrusted    bool            `json:"server_trusted"`
		AnnotationSource string          `json:"annotation_source"`
		AccessModes      []string        `json:"access_modes"`
	}
	type profileRow struct {
		ID        string          `json:"id"`
		Group     string          `json:"group"`
		Origin    string          `json:"origin"`
		Connector json.RawMessage `json:"connector"`
		Expect    scores          `json:"expect"`
	}
	for _, row := range readRows[profileRow](t, vectorFile(envProfiles, "tool-risk-profiles.jsonl")) {
		t.Run(row.ID, func(t *testing.T) {
			connector, err := contract.ParseConnector(row.Connector)
			if err != nil {
				t.Fatal(err)
			}
			p := connector.Score()
			got := scores{
				Factors: map[string]bool{
					"can_exfiltrate": p.Factors.CanExfiltrate, "destructive_action_potential": p.Factors.DestructiveActionPotential,
					"reads_private_data": p.Factors.ReadsPrivateData, "requires_human_approval": p.Factors.RequiresHumanApproval,
					"sees_untrusted_content": p.Factors.SeesUntrustedContent, "writes_state": p.Factors.WritesState,
				},
				RiskTier: p.RiskTier.String(), DefaultDecision: p.DefaultDecision.String(), SuggestedHints: hints(p.SuggestedHints),
				ServerTrusted: p.ServerTrusted, AnnotationSource: p.AnnotationSource, AccessModes: p.AccessModes,
			}
			if diff := cmp.Diff(row.Expect, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The same rows through the stream: what the command line prints.
func TestVectorsDecisionLines(t *testing.T) {
	c := publishedContract(t)
	for _, file := range []string{
		vectorFile(envDecisions, "tool-risk-decisions.jsonl"),
		vectorFile(envRawRequests, "tool-risk-raw-requests.jsonl"),
	} {
		want := readRows[decisionRow](t, file)
		in, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		tally, err := c.DecideLines(bytes.NewReader(in), &out)
		if err != nil || tally.Rows != len(want) {
			t.Fatalf("%+v, %v; want %d rows", tally, err, len(want))
		}
		lines := bufio.NewScanner(strings.NewReader(out.String()))
		for i := 0; lines.Scan(); i++ {
			var got struct {
				ID       string
				Decision string
				Allowed  bool
				Reasons  []string
				Error    string
			}
			if err := json.Unmarshal(lines.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			w := want[i]
			allowed := w.Decision == "allow_tool_call" || w.Decision == "allow_with_confirmation"
			if got.ID != w.ID || got.Decision != w.Decision || got.Allowed != allowed || !cmp.Equal(got.Reasons, w.Reasons) || got.Error != w.Error {
				t.Errorf("%s: got %+v, want %+v", w.ID, got, w)
			}
		}
	}
}
