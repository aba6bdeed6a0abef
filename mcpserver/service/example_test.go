package service_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/risk"
)

// A program opens a service in process, changes its configuration while it serves,
// and receives the resulting events. World is left out, so tools reach no network.
func Example() {
	ctx := context.Background()
	state, err := os.MkdirTemp("", "glovebox-state-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(state)
	cache, err := os.UserCacheDir()
	if err != nil {
		log.Fatal(err)
	}
	loaded, err := config.Load(config.Sources{Flags: map[string][]string{"specs.preset": {"dev-essentials"}}})
	if err != nil {
		log.Fatal(err)
	}
	s, err := service.Open(ctx, service.Options{
		Configuration: loaded, Version: "1.0",
		Place: service.Place{State: state, Cache: filepath.Join(cache, "glovebox-test")},
		Tell: func(e service.Event) {
			if applied, ok := e.(service.Applied); ok {
				fmt.Println("changed:", applied.Changed)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	endpoint := httptest.NewServer(s.Handler(mcpserver.HTTP{Open: true})) // requires a token, unless it listens only on loopback
	defer endpoint.Close()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "a client", Version: "1.0"}, nil).Connect(ctx, &mcp.StreamableClientTransport{Endpoint: endpoint.URL + "/mcp", DisableStandaloneSSE: true}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	call := func() {
		result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "uuid", Arguments: map[string]any{}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("refused:", result.IsError)
	}

	call()
	stricter := *loaded
	stricter.Policy.Tools = map[string]risk.Treatment{"uuid": risk.Refuse}
	if err := s.Apply(&stricter, nil); err != nil {
		log.Fatal(err)
	}
	call()
	// Output:
	// refused: false
	// changed: [policy.tools]
	// refused: true
}
