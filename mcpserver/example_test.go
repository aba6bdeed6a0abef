package mcpserver_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// greeter is a tool as a program of its own would load one.
func greeter(ctx context.Context) (*runtime.Runtime, *runtime.Tool) {
	cache, err := os.UserCacheDir()
	if err != nil {
		log.Fatal(err)
	}
	rt, err := runtime.Open(ctx, runtime.Config{
		Engine:   jsengine.Config{CacheDir: filepath.Join(cache, "glovebox-test")},
		Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling(),
	})
	if err != nil {
		log.Fatal(err)
	}
	tool, problems := rt.Load([]byte(`{
		"name": "greet", "description": "Greets a person.",
		"params": [{"name": "person", "type": "STRING", "required": true, "testValue": "Ada"}],
		"code": "return { greeting: 'Hello, ' + person + '!' };", "codeType": "Javascript"
	}`))
	if err := problems.Err(); err != nil {
		log.Fatal(err)
	}
	return rt, tool
}

// A program serves its tools over MCP in process: the handler goes under an
// http.Server of its own, and ServeStdio speaks over a pair of pipes. The judge
// lets tools run by their level; what it wants a person asked about goes to a
// client that can ask.
func Example() {
	ctx := context.Background()
	rt, tool := greeter(ctx)
	defer rt.Close()

	server := mcpserver.New(mcpserver.Config{Version: "1.0", Calls: governed.Config{Terms: governed.Terms{
		Judge:     governed.ByLevel{Policy: risk.DefaultLevelPolicy()},
		Sanitiser: rt.Sanitiser(),
	}}})
	server.Publish(risk.Library, []governed.Tool{tool})
	endpoint := httptest.NewServer(server.Handler(mcpserver.HTTP{Open: true})) // a token, unless it listens on loopback alone
	defer endpoint.Close()
	defer server.EndSessions()

	client, err := mcp.NewClient(&mcp.Implementation{Name: "a client", Version: "1.0"}, nil).Connect(ctx, &mcp.StreamableClientTransport{Endpoint: endpoint.URL + "/mcp", DisableStandaloneSSE: true}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "greet", Arguments: map[string]string{"person": "Grace"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	// Output: {"greeting":"Hello, Grace!"}
}
