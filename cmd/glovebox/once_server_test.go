package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

// onceServer is a server that may run only once. It holds a lock of the kernel as long as
// it lives, and writes its start, and what it is called with, into the folder ONCE.
func onceServer() {
	folder, number := os.Getenv("ONCE"), os.Getenv("GLOVEBOX_FENCING_NUMBER")
	note := func(format string, args ...any) {
		f, err := os.OpenFile(filepath.Join(folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = fmt.Fprintf(f, format+"\n", args...)
			f.Close()
		}
		if err != nil {
			panic(err)
		}
	}
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		panic(err)
	}
	defer lock.Close()
	if err := osfile.TryLock(lock); err != nil {
		note("overlap %s", number)
	}
	note("start %s", number)
	type input struct {
		ID  int  `json:"id" jsonschema:"which one"`
		Ask bool `json:"ask,omitempty" jsonschema:"ask the person"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "once", Version: "1"}, nil)
	closed := false
	mcp.AddTool(s, &mcp.Tool{Name: "take", Description: "Takes a number.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &closed, OpenWorldHint: &closed}},
		func(ctx context.Context, r *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			note("call %s %d", number, in.ID)
			said := "taken"
			if in.Ask {
				answer, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "really?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}})
				if err != nil {
					return nil, nil, err
				}
				said = "the person said " + answer.Action
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("%s by %s: %d <&> done", said, number, in.ID)}}}, nil, nil
		})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
