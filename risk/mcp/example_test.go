package mcp_test

import (
	"fmt"

	"github.com/glovebox-run/glovebox/risk/mcp"
)

// A definition is scored as it came over the wire. What an unknown server says in
// its own favour counts for nothing.
func Example() {
	server := mcp.ScoreServer(mcp.Default, mcp.Server{
		Transport: mcp.StreamableHTTP, URL: "https://mcp.example.com/mcp", Auth: mcp.AuthOAuthStandard,
		Origin: mcp.Cataloged, Signals: mcp.CommunityCurated,
	})
	definition := []byte(`{"name": "archive_mail", "description": "Moves messages that match a query to the archive.",
		"inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}`)
	facts, err := mcp.ReadTool(mcp.Default, definition, mcp.ToolContext{})
	if err != nil {
		fmt.Println(err)
		return
	}
	composed := mcp.Compose(mcp.Default, server, mcp.ScoreTool(mcp.Default, facts))
	fmt.Print(composed.Explain())
	fmt.Println("with a person who approves every call:", mcp.Mitigate(mcp.Default, composed.Level, true))
	// Output:
	// L4 - High, score 3
	// server: L2 - Low, score 1 (default profile)
	//   transport  0/1  +0  the host is public and reached over TLS
	//   auth       0/2  +0  authentication: oauth standard
	//   trust      1/2  +1  the catalog marks it as curated by the community
	//   doc        0/2  +0  documented and in use
	// tool: L3 - Moderate, score 2 (default profile)
	//   capability  2    +2  sends something to people or to another service: "archive mail" in /name (K09 R21)
	//                    +0  creates or changes something: "archive" in /name (K07 R22)
	//   declared    0/1  +0  read-only by the word of a server that nobody vouches for
	//   doc         0/3  +0  documented
	// with a person who approves every call: L3
}
