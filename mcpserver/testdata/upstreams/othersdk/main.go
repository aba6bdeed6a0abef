// Othersdk is an MCP server on another Go SDK than Glovebox uses, over standard
// input and output.
package main

import (
	"context"
	"log"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("othersdk", "1.0")
	s.AddTool(mcp.NewTool("reverse_words",
		mcp.WithDescription("Returns the words of a text in reverse order."),
		mcp.WithString("text", mcp.Required(), mcp.Description("The text.")),
		mcp.WithReadOnlyHintAnnotation(true), mcp.WithDestructiveHintAnnotation(false), mcp.WithOpenWorldHintAnnotation(false),
	), func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := request.RequireString("text")
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		words := strings.Fields(text)
		for i, j := 0, len(words)-1; i < j; i, j = i+1, j-1 {
			words[i], words[j] = words[j], words[i]
		}
		return mcp.NewToolResultText(strings.Join(words, " ")), nil
	})
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
