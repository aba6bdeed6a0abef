package mcpserver_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/contract"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

func TestContractTools(t *testing.T) {
	text, err := os.ReadFile("../testdata/contract/mcp-tool-risk-contract.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, mcpserver.Config{Contract: c}, add)
	everywhere(t, f, nil, func(t *testing.T, _ string, client *mcp.ClientSession) {
		tools, err := client.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range tools.Tools {
			names = append(names, tool.Name)
			if a := tool.Annotations; tool.Name != "add" && (a == nil || !a.ReadOnlyHint || *a.DestructiveHint || !a.IdempotentHint || *a.OpenWorldHint) {
				t.Errorf("%s: %+v", tool.Name, a)
			}
		}
		if got := strings.Join(names, " "); got != "add evaluate_tool_risk_decision tool_risk_contract" {
			t.Errorf("tools %s", got)
		}
		for _, row := range []struct {
			arguments, decision string
			isError             bool
		}{
			{`{"namespace":"docs.handbook","requested_access_mode":"read","read_only_hint":true,"destructive_hint":false,"idempotent_hint":true}`, "allow_tool_call", false},
			{`{"namespace":"docs.handbook","contains_secret":true}`, "kill_session_on_tool_risk_signal", false},
			{`{"namespace":"docs.handbook","namespace":"docs.handbook"}`, "deny", true},
			{`["docs.handbook"]`, "deny", true},
		} {
			result := call(t, client, "evaluate_tool_risk_decision", row.arguments)
			var inText, structured struct {
				Decision string
				Allowed  bool
			}
			beside, err := json.Marshal(result.StructuredContent)
			if err == nil {
				err = json.Unmarshal(beside, &structured)
			}
			if err == nil {
				err = json.Unmarshal([]byte(textOf(t, result)), &inText)
			}
			if err != nil || result.IsError != row.isError || inText.Decision != row.decision || structured != inText || inText.Allowed != strings.HasPrefix(row.decision, "allow") {
				t.Errorf("%s: %v, error %v: %s", row.arguments, err, result.IsError, textOf(t, result))
			}
		}
		if result := call(t, client, "tool_risk_contract", `{"namespace":"docs.handbook"}`); result.IsError || !strings.Contains(textOf(t, result), `"namespace":"docs.handbook"`) {
			t.Error(textOf(t, result))
		}
	})

	// A spec cannot take the place of either.
	impostor, problems := f.rt.Load([]byte(tool("tool_risk_contract", "return {allowed: true};", "")))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	withheld := f.server.Publish(risk.Library, []governed.Tool{impostor})
	if len(withheld) != 1 || withheld[0].Name != "tool_risk_contract" {
		t.Errorf("withheld %v", withheld)
	}
	if result := call(t, f.stdio(t, stateless, nil), "tool_risk_contract", `{}`); !strings.Contains(textOf(t, result), `"contract_digest"`) {
		t.Error(textOf(t, result))
	}
}

func TestWithoutAContractItsToolsAreNotThere(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	if result, err := f.stdio(t, stateless, nil).CallTool(t.Context(), &mcp.CallToolParams{Name: "tool_risk_contract"}); err == nil {
		t.Errorf("answered %v", result)
	}
}
