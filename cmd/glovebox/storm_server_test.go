package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stormServer is an MCP server that writes down each call that it runs: storm-server FILE
// serves standard streams, storm-server FILE ADDRESS streamable HTTP.
func stormServer() {
	type input struct {
		Call   string `json:"call"`
		Before int    `json:"before" jsonschema:"milliseconds of work before the effect"`
		After  int    `json:"after" jsonschema:"milliseconds of work after the effect"`
	}
	effects, err := os.OpenFile(os.Args[1], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	no := false
	s := mcp.NewServer(&mcp.Implementation{Name: "storm", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "count", Description: "Counts one call.", Annotations: &mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no}},
		func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			time.Sleep(time.Duration(in.Before) * time.Millisecond)
			// One write: a process that is killed has written the line or has not.
			if _, err := fmt.Fprintln(effects, in.Call); err != nil {
				return nil, nil, err
			}
			time.Sleep(time.Duration(in.After) * time.Millisecond)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Call}}}, nil, nil
		})
	if len(os.Args) > 2 {
		err = http.ListenAndServe(os.Args[2], mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	} else {
		err = s.Run(context.Background(), &mcp.StdioTransport{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
