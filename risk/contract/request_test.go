package contract_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/glovebox-run/glovebox/risk/contract"
)

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
		if r, err := contract.ParseArguments([]byte(`{}`), []byte(bad)); !errors.Is(err, contract.ErrInvalidRequest) {
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

func TestApprovalRecords(t *testing.T) {
	for record, want := range map[string]struct {
		id     string
		counts bool
	}{
		`{"id":"x"}`:          {"x", true},
		`{"approval_id":"x"}`: {"x", true},
		`{"ticket_id":7}`:     {"7", true},
		`{"id":"","approval_id":null,"ticket_id":"x"}`: {"x", true},
		`{"ticket_id":"c","approval_id":"b","id":"a"}`: {"a", true},
		`{"id":" "}`:                         {" ", true},
		`{"id":"x","decision":"approved"}`:   {"x", true},
		`{"id":"x","decision":"Accept"}`:     {"x", true},
		`{"id":"x","decision":"ACCEPTED"}`:   {"x", true},
		`{"id":"x","decision":"allow"}`:      {"x", true},
		`{"id":"x","decision":" allow"}`:     {},
		`{"id":"x","decision":null}`:         {},
		`{"id":"x","decision":true}`:         {},
		`{"id":"x","decision":["approved"]}`: {},
		`{"id":0}`:                           {},
		`{"decision":"approved"}`:            {},
		`"x"`:                                {},
		`[{"id":"x"}]`:                       {},
	} {
		r, err := contract.ParseRequest([]byte(`{"human_approval_record":` + record + `}`))
		if err != nil || r.Approved != want.counts || r.ApprovalID != want.id {
			t.Errorf("%s: %v %q, %v", record, r.Approved, r.ApprovalID, err)
		}
	}
}
