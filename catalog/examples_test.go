package catalog_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/lint"
	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/glovebox-run/glovebox/risk"
)

// The eight examples of the format's document, completed with bodies that work.
func TestExamples(t *testing.T) {
	naver := map[string]string{"NAVER_CLIENT_ID": "id", "NAVER_CLIENT_SECRET": "secret"}
	for _, tc := range []struct {
		name      string
		level     risk.Level
		posture   catalog.Posture
		published catalog.State // once the draft flag is down and the Local Pass is on record
		arguments string        // of the Local Pass
		schema    string        // on the wire
		warnings  []string
	}{
		{"base64", risk.L0, catalog.Posture{}, catalog.Active,
			`{"text":"hello world","mode":"encode"}`,
			`{"type":"object","properties":{"text":{"type":"string","description":"What to turn"},"mode":{"type":"string","description":"'encode' or 'decode'"}},"required":["text"]}`, nil},
		{"getUpbitTicker", risk.L3, catalog.Posture{Network: catalog.NetworkAllowlist, Hosts: []string{"api.upbit.com"}}, catalog.Active,
			`{"markets":"KRW-BTC,KRW-ETH"}`, "", nil},
		{"searchNaver", risk.L3, catalog.Posture{Network: catalog.NetworkAllowlist, Hosts: []string{"openapi.naver.com"}}, catalog.MissingRequirements,
			`{"query":"스프링 AI"}`, "", nil},
		{"extractPageContent", risk.L3, catalog.Posture{Network: catalog.NetworkStrict}, catalog.Active,
			`{"url":"https://example.com"}`, "", nil},
		{"readTextFile", risk.L3, catalog.Posture{FileRead: true}, catalog.Active,
			`{"path":"README.md"}`, "", nil},
		{"writeTextFile", risk.L4, catalog.Posture{FileWrite: true}, catalog.Active,
			`{"path":"notes.txt","content":"hello"}`, "", nil},
		{"evalExpression", risk.L0, catalog.Posture{}, catalog.Active,
			`{"expr":"x + 2 * y","variables":{"x":3,"y":4}}`,
			`{"type":"object","properties":{"expr":{"type":"string","description":"Numbers, variables, + - * / % ^ and brackets"},"variables":{"type":"object","description":"Values by name, e.g. {\"x\":3,\"y\":4}"}},"required":["expr"]}`, nil},
		{"experimentalThing", risk.L0, catalog.Posture{}, catalog.Active,
			`{}`, `{"type":"object","properties":{}}`, []string{"description-missing", "category-missing"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			data, err := os.ReadFile(vectors.Testdata("specs", "examples", tc.name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			spec, problems := catalog.Parse(data)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			posture, safety, problems := spec.Resolve(catalog.DefaultBaseline(), catalog.NoCeiling(), catalog.SourceBuiltin)
			if len(problems) > 0 || !slices.Equal(posture.Hosts, tc.posture.Hosts) || posture.Network != tc.posture.Network ||
				posture.FileRead != tc.posture.FileRead || posture.FileWrite != tc.posture.FileWrite || posture.Destructive {
				t.Errorf("posture %+v, %v", posture, problems)
			}
			if level := risk.PostureLevel(posture); level != tc.level {
				t.Errorf("level %v, want %v", level, tc.level)
			}
			if safety.Runtime.ID != catalog.RuntimeID || safety.Capabilities.Network.Mode != tc.posture.Network.String() {
				t.Errorf("%+v", safety)
			}
			empty := func(string) (string, bool) { return "", false }
			if spec.Draft() && spec.State(true, empty) != catalog.Draft {
				t.Error("a draft is published")
			}
			passed, _ := spec.With("draft", false)
			if got := passed.State(true, empty); got != tc.published {
				t.Errorf("state %v, want %v", got, tc.published)
			}
			if got := passed.State(true, func(name string) (string, bool) { v, ok := naver[name]; return v, ok }); got != catalog.Active {
				t.Errorf("state %v with everything set", got)
			}
			if got, problems := spec.TestArguments(); string(got) != tc.arguments || problems != nil {
				t.Errorf("Local Pass arguments %s, %v", got, problems)
			}
			entry := spec.Entry()
			if entry.Name != tc.name || tc.schema != "" && string(entry.InputSchema) != tc.schema {
				t.Errorf("%s", entry.InputSchema)
			}
			var warnings []string
			for _, w := range lint.Check(spec, nil) {
				warnings = append(warnings, w.Rule)
			}
			if !slices.Equal(warnings, tc.warnings) {
				t.Errorf("warnings %q", warnings)
			}
		})
	}
}

// What a model sends as text because it cannot nest arrives as an object.
func TestObjectInAString(t *testing.T) {
	data, err := os.ReadFile(vectors.Testdata("specs", "examples", "evalExpression.json"))
	if err != nil {
		t.Fatal(err)
	}
	spec, _ := catalog.Parse(data)
	got, problems := spec.CheckArguments([]byte(`{"variables":"{\"x\":1}","expr":"x"}`))
	var decoded struct {
		Expr      string
		Variables map[string]int
	}
	if problems != nil || json.Unmarshal(got, &decoded) != nil || decoded.Variables["x"] != 1 {
		t.Errorf("%s, %v", got, problems)
	}
}
