package mcpserver_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// TestSearchingAmongManyTools: three tools are listed, one finds, one describes, one
// calls; a call by name works as well. All of it is governed, and sets are respected.
func TestSearchingAmongManyTools(t *testing.T) {
	tools := []governed.Tool{
		newTheirs("shop", `{"name":"weather_in","description":"The forecast for a city.","inputSchema":{"type":"object","properties":{"city":{"type":"string"}}},"later":1.0}`, `{"content":[{"type":"text","text":"sunny"}]}`),
		newTheirs("shop", `{"name":"weather_secret","description":"The forecast for a city, for the board."}`, `{"content":[{"type":"text","text":"rain"}]}`),
		newTheirs("shop", `{"name":"search_tools","description":"Searches a toolbox."}`, `{"content":[{"type":"text","text":"a hammer"}]}`),
		survey(),
	}
	for i := range 40 {
		tools = append(tools, newTheirs("shop", fmt.Sprintf(`{"name":"other_%02d","description":"Does something else."}`, i), `{"content":[]}`))
	}
	f := newFixture(t, mcpserver.Config{})
	f.server.Compose("many", mcpserver.Composition{Tools: tools})
	f.server.Compose("few", mcpserver.Composition{Tools: tools[:3]})
	f.server.Arrange(mcpserver.Endpoints{Exposure: mcpserver.Composed, Default: "many", List: mcpserver.ListSearch})
	f.server.Allot([]mcpserver.ToolSet{{Principals: []string{"board"}}, {Names: []string{"other_*", "weather_in", "search_tools", "survey"}}})
	options := person(func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
	})
	everywhere(t, f, options, func(t *testing.T, version string, client *mcp.ClientSession) {
		listed, err := client.ListTools(t.Context(), nil)
		if err != nil || len(listed.Tools) != 3 || listed.Tools[0].Name != "call_tool" || listed.Tools[1].Name != "describe_tool" || listed.Tools[2].Name != "search_tools" {
			t.Fatalf("%+v, %v", listed, err)
		}
		before := len(f.records(t))
		found := textOf(t, call(t, client, "search_tools", `{"query":"forecast of a city"}`))
		if !strings.HasPrefix(found, "weather_in: The forecast for a city.\n") || strings.Contains(found, "secret") {
			t.Error(found)
		}
		if got := textOf(t, call(t, client, "describe_tool", `{"name":"weather_in"}`)); gjson.Get(got, "later").Raw != "1.0" {
			t.Error(got)
		}
		if hidden := call(t, client, "describe_tool", `{"name":"weather_secret"}`); !hidden.IsError || strings.Contains(textOf(t, hidden), "board") {
			t.Error(textOf(t, hidden))
		}
		if got := textOf(t, call(t, client, "call_tool", `{"name":"weather_in","arguments":{"city":"Ulm"}}`)); got != "sunny" {
			t.Error(got)
		}
		if got := textOf(t, call(t, client, "weather_in", `{"city":"Ulm"}`)); got != "sunny" {
			t.Error(got)
		}
		if got := textOf(t, call(t, client, "call_tool", `{"name":"search_tools","arguments":{}}`)); got != "a hammer" {
			t.Error(got)
		}
		if got := textOf(t, call(t, client, "call_tool", `{"name":"survey","arguments":`+asks(askName)+`}`)); gjson.Get(got, "action").Str != "accept" {
			t.Error(got)
		}
		if bad := call(t, client, "search_tools", `{}`); !bad.IsError || !strings.Contains(textOf(t, bad), `"query" is required`) {
			t.Error(textOf(t, bad))
		}
		for _, unknown := range []string{"weather_secret", "call_tool"} {
			if _, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "call_tool", Arguments: map[string]any{"name": unknown}}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
				t.Errorf("%s: %v", unknown, err)
			}
		}
		var called []string
		for _, r := range f.records(t)[before:] {
			called = append(called, r.Tool)
		}
		if got := strings.Join(called, " "); got != "search_tools describe_tool describe_tool weather_in weather_in search_tools survey search_tools" {
			t.Error(got)
		}
	})
	few := httpWire(t, f.http(t).URL+"/mcp/few")
	defer few.close()
	got := exchange(t, few, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+newMeta+`}}`).Get("result.tools.#.name").Raw
	if got != `["search_tools","weather_in"]` {
		t.Errorf("a short list: %s", got)
	}
}
