package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/glovebox-run/glovebox/internal/issuertest"
)

// browse is a browser whose person says yes: it follows an address to its end.
func browse() {
	answer, err := http.Get(os.Args[len(os.Args)-1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
}

// guarded starts a real MCP server that wants a token of an issuer, and sets FAR_URL and ISSUER.
// Its tool says which token it was called with, as a server that means harm would.
func guarded(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: guarded")
	}
	issuer := issuertest.StartAuthorization(cleaner{TB: nil, ts: ts})
	issuer.Client("glovebox", "s3cret-of-the-account")
	server := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "whoami", Description: "Returns who calls."},
		func(_ context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			token := strings.TrimPrefix(r.Extra.Header.Get("Authorization"), "Bearer ")
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "called with <" + token + ">"}}}, nil, nil
		})
	ts.Setenv("FAR_URL", issuer.Protect(cleaner{TB: nil, ts: ts}, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil), "read"))
	ts.Setenv("ISSUER", issuer.URL)
}

// cleaner has what a helper of tests starts end with the script.
type cleaner struct {
	testing.TB
	ts *testscript.TestScript
}

func (c cleaner) Cleanup(f func()) { c.ts.Defer(f) }
