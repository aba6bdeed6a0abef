package contract

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/glovebox-run/glovebox/internal/vectors"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// inputFiles are the example's sources and the schemas that describe them.
var inputFiles = []string{"profile", "connectors", "authorization", "workflows", "gateway-policy"}

func exampleSources(t testing.TB) Sources {
	t.Helper()
	var s Sources
	for i, into := range []*Source{&s.Profile, &s.Connectors, &s.Authorization, &s.Workflows, &s.Policy} {
		text, err := os.ReadFile(vectors.Testdata("contract", inputFiles[i]+".json"))
		if err != nil {
			t.Fatal(err)
		}
		*into = Source{"contract/" + inputFiles[i] + ".json", text}
	}
	return s
}

func TestGenerateExample(t *testing.T) {
	text, failures, err := Generate(exampleSources(t), "")
	if err != nil || len(failures) > 0 {
		t.Fatal(failures, err)
	}
	golden := vectors.Testdata("contract", "mcp-tool-risk-contract.json")
	if *update {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestGenerateIsDeterministic(t *testing.T) {
	s := exampleSources(t)
	first, _, err := Generate(s, "")
	if err != nil {
		t.Fatal(err)
	}
	for range 5 { // map order differs from run to run
		if again, _, _ := Generate(s, ""); !bytes.Equal(first, again) {
			t.Fatal("the same sources gave other bytes")
		}
	}
	// Line ends of another system change neither rows nor digests.
	s.Workflows.Text = bytes.ReplaceAll(s.Workflows.Text, []byte("\n"), []byte("\r\n"))
	if again, _, _ := Generate(s, ""); !bytes.Equal(first, again) {
		t.Error("CRLF gave other bytes")
	}
	dated, _, err := Generate(s, "2027-01-01")
	if err != nil || bytes.Count(dated, []byte("2027-01-01")) != 1 {
		t.Errorf("the given date is not in the pack: %v", err)
	}
}

// One edit of the example for each check, and the check that must fail for it.
func TestEveryCheckCanFail(t *testing.T) {
	broken := map[string]func(*Sources){
		"profile-version": func(s *Sources) { edit(t, &s.Profile, `"schema_version": "1.0"`, `"schema_version": "1.1"`) },
		"profile-intent":  func(s *Sources) { edit(t, &s.Profile, `"intent": "Two people`, `"intent": "Two", "was": "Two`) },
		"standards-number": func(s *Sources) {
			edit(t, &s.Profile, `"standards_alignment": [`, `"standards_alignment": [], "was": [`)
		},
		"standards-unique":   func(s *Sources) { edit(t, &s.Profile, `"id": "gdpr"`, `"id": "nist-ai-rmf"`) },
		"standards-https":    func(s *Sources) { edit(t, &s.Profile, `https://eur-lex`, `http://eur-lex`) },
		"standards-coverage": func(s *Sources) { edit(t, &s.Profile, `"coverage": "Orders and`, `"coverage": "Orders", "was": "`) },
		"default-decision": func(s *Sources) {
			edit(t, &s.Profile, `"default_decision": "hold_for_tool_risk_review",
    "standard`, `"default_decision": "allow_tool_call",
    "standard`)
		},
		"hints-declared": func(s *Sources) {
			edit(t, &s.Profile, `      "openWorldHint"
`, `      "title"
`)
		},
		"hints-defaults": func(s *Sources) { edit(t, &s.Profile, `"destructiveHint": true`, `"destructiveHint": false`) },
		"attributes-number": func(s *Sources) {
			edit(t, &s.Profile, `"required_runtime_attributes": [`, `"required_runtime_attributes": [], "was": [`)
		},
		"tiers-number":          func(s *Sources) { edit(t, &s.Profile, `"id": "tier_1_read_untrusted"`, `"id": "tier_0_context_only"`) },
		"checks-number":         func(s *Sources) { edit(t, &s.Profile, `"control_checks": [`, `"control_checks": [], "was": [`) },
		"connectors-version":    func(s *Sources) { edit(t, &s.Connectors, `"1.0"`, `"2"`) },
		"connectors-clean":      func(s *Sources) { edit(t, &s.Connectors, `"1.0"`, `"1.0", "failures": [{}]`) },
		"authorization-version": func(s *Sources) { edit(t, &s.Authorization, `"1.0"`, `""`) },
		"authorization-clean":   func(s *Sources) { edit(t, &s.Authorization, `"1.0"`, `"1.0", "failures": ["x"]`) },
		"workflows-version":     func(s *Sources) { edit(t, &s.Workflows, `"1.0"`, `"1"`) },
		"policy-version":        func(s *Sources) { edit(t, &s.Policy, `"1.0"`, `"1.0.0"`) },
		"policy-clean":          func(s *Sources) { edit(t, &s.Policy, `"1.0"`, `"1.0", "failures": "x"`) },
	}
	for _, c := range checks {
		if broken[c.id] == nil {
			t.Errorf("nothing breaks check %s", c.id)
			continue
		}
		s := exampleSources(t)
		broken[c.id](&s)
		text, failures, err := Generate(s, "")
		if err != nil || len(failures) != 1 || !strings.HasPrefix(failures[0], c.id+": ") {
			t.Errorf("%s: got %q, %v", c.id, failures, err)
			continue
		}
		var p struct{ Failures []string }
		if err := json.Unmarshal(text, &p); err != nil || !slices.Equal(p.Failures, failures) {
			t.Errorf("%s: the pack says %q, %v", c.id, p.Failures, err)
		}
	}
}

func edit(t testing.TB, s *Source, old, new string) {
	t.Helper()
	if !bytes.Contains(s.Text, []byte(old)) {
		t.Fatalf("%s does not hold %q", s.Path, old)
	}
	s.Text = bytes.Replace(s.Text, []byte(old), []byte(new), 1)
}

// badSources are edits that leave no document to generate from, and where the
// error must point.
var badSources = []struct {
	name     string
	edit     func(*testing.T, *Sources)
	at       string
	inSchema bool // a JSON Schema can say so too
}{
	{"no JSON", func(t *testing.T, s *Sources) { s.Policy.Text = []byte("{") }, "gateway-policy.json", false},
	{"no object", func(t *testing.T, s *Sources) { s.Policy.Text = []byte("[]") }, "gateway-policy.json: want a JSON object", true},
	{"connector without modes", func(t *testing.T, s *Sources) { edit(t, &s.Connectors, `"access_modes"`, `"acess_modes"`) }, "/connectors/0/access_modes", true},
	{"mode is no text", func(t *testing.T, s *Sources) { edit(t, &s.Connectors, `"read"`, `1`) }, "/connectors/0/access_modes/0", true},
	{"connector is no object", func(t *testing.T, s *Sources) { edit(t, &s.Connectors, `"connectors": [`, `"connectors": [null,`) }, "/connectors/0", true},
	{"blank namespace", func(t *testing.T, s *Sources) { edit(t, &s.Connectors, `"docs.handbook"`, `" "`) }, "/connectors/0/namespace", true},
	{"namespace twice", func(t *testing.T, s *Sources) { edit(t, &s.Connectors, `"docs.handbook"`, `"shop.orders"`) }, `/connectors/2/namespace: "shop.orders" is listed twice`, false},
	{"tier without id", func(t *testing.T, s *Sources) { edit(t, &s.Connectors, `"tier_0_public_context"`, `{}`) }, "/connectors/0/trust_tier/id", true},
	{"authorised twice", func(t *testing.T, s *Sources) { edit(t, &s.Authorization, `"mail.newsletter"`, `"shop.orders"`) }, "/candidate_authorization/0/namespace", false},
	{"no gaps", func(t *testing.T, s *Sources) {
		edit(t, &s.Authorization, `"control_gaps": []`, `"control_gaps": null`)
	}, "/registered_connector_authorization/0/control_gaps", true},
	{"workflow twice", func(t *testing.T, s *Sources) { edit(t, &s.Workflows, `"refund-order"`, `"patch-website"`) }, "/workflows/2/id", false},
	{"context without namespace", func(t *testing.T, s *Sources) { edit(t, &s.Workflows, `"namespace"`, `"name"`) }, "/workflows/0/mcp_context/0/namespace", true},
	{"unknown tier", func(t *testing.T, s *Sources) { edit(t, &s.Profile, `"tier_0_context_only"`, `"tier_9"`) }, "/risk_tiers/0/id: no such tier", true},
	{"unknown decision", func(t *testing.T, s *Sources) {
		edit(t, &s.Profile, `"default_decision": "allow_tool_call"`, `"default_decision": "allow"`)
	}, "/risk_tiers/0/default_decision", true},
	{"no date", func(t *testing.T, s *Sources) { edit(t, &s.Profile, `"2026-11-02"`, `""`) }, "/last_reviewed", true},
	{"hint is no boolean", func(t *testing.T, s *Sources) {
		edit(t, &s.Profile, `"readOnlyHint": false`, `"readOnlyHint": "false"`)
	}, "/tool_risk_contract/standard_annotation_defaults/readOnlyHint", true},
	{"policy without workflow", func(t *testing.T, s *Sources) { edit(t, &s.Policy, `"workflow_id"`, `"workflow"`) }, "/workflow_policies/0/workflow_id", true},
}

func TestGenerateSaysWhereASourceIsWrong(t *testing.T) {
	for _, tc := range badSources {
		s := exampleSources(t)
		tc.edit(t, &s)
		text, _, err := Generate(s, "")
		if err == nil || text != nil || !strings.Contains(err.Error(), tc.at) {
			t.Errorf("%s: got %v with %d bytes, want an error at %s", tc.name, err, len(text), tc.at)
		}
	}
}

// The schemas are documentation that a machine can check: they accept the
// example and refuse what the reader refuses, as far as a schema can say it.
func TestSchemasDescribeTheSources(t *testing.T) {
	schemas := map[string]*jsonschema.Resolved{}
	for _, name := range inputFiles {
		text, err := os.ReadFile("schemas/" + name + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if schemas[name], err = schema.Resolve(nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	valid := func(s Sources) error {
		for i, source := range []Source{s.Profile, s.Connectors, s.Authorization, s.Workflows, s.Policy} {
			var document any
			if err := json.Unmarshal(source.Text, &document); err != nil {
				return err
			}
			if err := schemas[inputFiles[i]].Validate(document); err != nil {
				return err
			}
		}
		return nil
	}
	if err := valid(exampleSources(t)); err != nil {
		t.Errorf("the example: %v", err)
	}
	for _, tc := range badSources {
		s := exampleSources(t)
		tc.edit(t, &s)
		if err := valid(s); tc.inSchema && err == nil {
			t.Errorf("%s: the schemas accept it", tc.name)
		}
	}
}

// The published contract's workflow rows follow from its tool rows.
func TestWorkflowRowsOfThePublishedContract(t *testing.T) {
	data, err := os.ReadFile(vectors.Testdata("vectors", "tool-risk-contract.json"))
	if err != nil {
		t.Fatal(err)
	}
	var published struct {
		Tools []struct {
			Namespace string  `json:"namespace"`
			Factors   Factors `json:"factors"`
		} `json:"tools"`
		Workflows []struct {
			ID         string `json:"workflow_id"`
			Namespaces []struct {
				Namespace string `json:"namespace"`
			} `json:"namespaces"`
			Factors  Factors `json:"aggregate_factors"`
			Trifecta bool    `json:"trifecta_possible"`
			Default  string  `json:"session_default_decision"`
		} `json:"workflows"`
	}
	if err := json.Unmarshal(data, &published); err != nil {
		t.Fatal(err)
	}
	tools := map[string]packTool{}
	for _, tool := range published.Tools {
		tools[tool.Namespace] = packTool{RiskFactors: tool.Factors}
	}
	if len(published.Workflows) < 14 {
		t.Fatalf("%d workflows", len(published.Workflows))
	}
	for _, want := range published.Workflows {
		row := workflowRow{id: want.ID, row: node{problems: new([]error)}}
		for _, n := range want.Namespaces {
			row.context = append(row.context, contextRow{namespace: n.Namespace})
		}
		got := new(registered).workflow(row, tools)
		if got.Factors != want.Factors || got.Lethal != want.Trifecta || got.SessionDefault.String() != want.Default {
			t.Errorf("%s: got %+v %v %v, want %+v", want.ID, got.Factors, got.Lethal, got.SessionDefault, want)
		}
	}
}

// Who lists a namespace that has no connector learns so from the pack: what the
// row would say is null. A destructive tool is held whatever its tier says.
func TestRowsThatAreSpecial(t *testing.T) {
	s := exampleSources(t)
	edit(t, &s.Profile, `"id": "tier_4_destructive_or_exfiltration",
      "title": "Destroys or carries out",
      "description": "Something is gone afterwards, or private or untrusted text leaves.",
      "default_decision": "hold_for_tool_risk_review"`, `"id": "tier_4_destructive_or_exfiltration", "default_decision": "allow_tool_call"`)
	text, _, err := Generate(s, "")
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	var raw struct {
		Tools []struct {
			Namespace string `json:"namespace"`
			Default   string `json:"default_runtime_decision"`
		} `json:"tool_profiles"`
		Workflows []struct {
			ID         string           `json:"workflow_id"`
			Namespaces []map[string]any `json:"namespaces"`
			PolicyHash *string          `json:"gateway_policy_hash"`
		} `json:"workflow_tool_risk"`
	}
	if err := dec.Decode(&raw); err != nil {
		t.Fatal(err)
	}
	defaults := map[string]string{}
	for _, tool := range raw.Tools {
		defaults[tool.Namespace] = tool.Default
	}
	if defaults["shop.refunds"] != Hold.String() || defaults["tickets.support"] != Allow.String() {
		t.Errorf("defaults %v", defaults)
	}
	for _, w := range raw.Workflows {
		switch w.ID {
		case "write-newsletter":
			unknown := w.Namespaces[1]
			if unknown["namespace"] != "shop.events" || unknown["risk_tier"] != nil || unknown["trusted_server"] != nil || w.PolicyHash != nil {
				t.Errorf("write-newsletter: %v, policy %v", unknown, w.PolicyHash)
			}
		case "refund-order":
			// Python: sha256 of json.dumps(policy, sort_keys=True, separators=(",", ":"))
			if *w.PolicyHash != "04469d137e1b715830e56f7ca05fe654724d9e560de5c80df64a3361dfc37067" {
				t.Errorf("refund-order: policy %s", *w.PolicyHash)
			}
		}
	}
}
