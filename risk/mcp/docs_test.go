package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/risk/mcp/request"
	"github.com/glovebox-run/glovebox/risk/shadow"
)

// verdict is what a profile makes of the input of a vector row, as text.
type verdict func(p mcp.Profile, raw json.RawMessage) string

var verdicts = map[string]verdict{
	"server_risk": func(p mcp.Profile, raw json.RawMessage) string {
		r, err := request.ScoreServer(p, raw)
		return fmt.Sprint(r.Chip(), r.Points, err)
	},
	"tool_risk": func(p mcp.Profile, raw json.RawMessage) string {
		r, err := request.ScoreTool(p, raw, mcp.ToolContext{})
		return fmt.Sprint(r.Chip(), r.Points, err)
	},
	"host_class": func(p mcp.Profile, raw json.RawMessage) string {
		var in struct {
			Transport mcp.Transport
			URL       string
		}
		err := json.Unmarshal(raw, &in)
		return fmt.Sprint(mcp.ClassifyHost(p, in.Transport, in.URL), err)
	},
	"auth_class": func(p mcp.Profile, raw json.RawMessage) string {
		var in struct {
			Word       string          `json:"catalog_auth"`
			Issuer     string          `json:"issuer_uri"`
			Connection json.RawMessage `json:"connection"`
			Text       string          `json:"connection_text"`
		}
		err := json.Unmarshal(raw, &in)
		auth, url := mcp.ConnectionAuth(p, append(in.Connection, in.Text...))
		return fmt.Sprint(mcp.CatalogAuth(p, in.Word, in.Issuer), auth, url, err)
	},
	"composer": func(p mcp.Profile, raw json.RawMessage) string {
		if c, err := request.ScoreComposition(p, raw); err == nil {
			return c.Chip()
		}
		var in struct {
			Server  any
			Level   mcp.Level
			HITL    bool        `json:"human_in_the_loop"`
			Members []mcp.Level `json:"member_levels"`
			Sandbox risk.Level  `json:"sandbox_level"`
			JS      risk.Level  `json:"internal_js_level"`
			Asks    bool        `json:"requires_approval"`
			Clean   bool        `json:"description_clean"`
		}
		err := json.Unmarshal(raw, &in)
		text := fmt.Sprint(mcp.Mitigate(p, in.Level, in.HITL), mcp.Aggregate(p, in.Members), err)
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(raw, &fields)
		switch {
		case fields["sandbox_level"] != nil:
			_, effective := mcp.BuiltInTool(p, in.Sandbox, in.Asks, in.Clean)
			text += effective.String()
		case fields["internal_js_level"] != nil:
			inherent, _ := mcp.BuiltInTool(p, in.JS, false, false)
			text += inherent.String()
		case string(fields["server"]) == "null":
			text += mcp.UnknownServer(p).String()
		}
		return text
	},
	"shadowing": func(p mcp.Profile, raw json.RawMessage) string {
		var in struct {
			Compositions []shadow.Composition
			Check        string
		}
		err := json.Unmarshal(raw, &in)
		var rules []string
		for _, f := range shadow.Check(p, in.Compositions, in.Check) {
			if f.Refuses {
				rules = append(rules, f.Rule)
			}
		}
		return fmt.Sprint(slices.Compact(rules), err)
	},
}

var documented = regexp.MustCompile("`((?:server_risk|tool_risk|host_class|auth_class|composer|shadowing)/[^`]+)`")

// The page on profiles names every bundled vector that the default profile
// answers differently, and no other.
func TestTheDocsNameEveryVectorThatChanges(t *testing.T) {
	changed := map[string]bool{}
	data, err := os.ReadFile(vectors.Testdata("vectors", "reference-behaviour.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		var row struct {
			Area, Name string
			Input      json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		of := verdicts[row.Area]
		if of == nil {
			continue
		}
		seen[row.Area] = true
		if of(mcp.Default, row.Input) != of(mcp.Reference, row.Input) {
			changed[row.Area+"/"+row.Name] = true
		}
	}
	for area := range verdicts {
		if !seen[area] {
			t.Errorf("no row of area %s", area)
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "risk-profiles.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range documented.FindAllSubmatch(page, -1) {
		if name := string(match[1]); !changed[name] {
			t.Errorf("the page names %s, which does not change", name)
		}
	}
	for name := range changed {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("the page does not name %s", name)
		}
	}
}

// The page on levels has the table of classes as the code has it.
func TestTheDocsShowTheLevelOfEveryClass(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "mcp-risk.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range capability.Rows() {
		level := mcp.CapabilityLevel(row.Class).String()
		if level == "L1" {
			level = "-" // below what a tool without evidence has
		}
		if line := fmt.Sprintf("| %s | `%s` | %s | %s |\n", row.ID, row.Name, level, row.Summary); !strings.Contains(string(page), line) {
			t.Errorf("the page has no line %q", line)
		}
	}
}
