package main

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// papers is how many tools of the promise server are approved and revoked, one after the other.
const papers = 200

// promiseServer is an MCP server with tools that a gateway has something to promise about:
// burn, which somebody has to approve, and which writes down each call in the file EFFECTS;
// send, which reaches outside; a letter and papers, which anybody can have written.
func promiseServer() {
	effects, err := os.OpenFile(os.Getenv("EFFECTS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	type number struct {
		N string `json:"n" jsonschema:"which one"`
	}
	type page struct {
		URL string `json:"url" jsonschema:"the address that is told"`
	}
	no, yes := false, true
	said := func(text string) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	}
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no}
	s := mcp.NewServer(&mcp.Implementation{Name: "promise", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "burn", Description: "Burns one letter.", Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &no}},
		func(_ context.Context, _ *mcp.CallToolRequest, in number) (*mcp.CallToolResult, any, error) {
			// One write: a process that is killed has written the line or has not.
			if _, err := fmt.Fprintln(effects, in.N); err != nil {
				return nil, nil, err
			}
			return said("burnt " + in.N)
		})
	mcp.AddTool(s, &mcp.Tool{Name: "send", Description: "Posts a message to a web address.", Annotations: &mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &yes}},
		func(_ context.Context, _ *mcp.CallToolRequest, in page) (*mcp.CallToolResult, any, error) {
			return said("sent to " + in.URL)
		})
	for n := -1; n < papers; n++ {
		name := fmt.Sprint("paper_", n)
		if n < 0 {
			name = "letter"
		}
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Reads one paper.", Annotations: reads},
			func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				return said("this is " + name)
			})
	}
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// natsMember is one member of a cluster of NATS.
func natsMember() {
	if err := natstest.RunMember(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
