package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// call makes one call and observes it.
func (s *Server) call(ctx context.Context, tool governed.Tool, req *mcp.CallToolRequest, who peer, id string, seen *telemetry.Call) *governed.Result {
	result := s.calls.Do(ctx, governed.Request{
		ID: id, Tool: tool, Arguments: req.Params.Arguments, Caller: who.principal, Counted: who.counted,
		Lacks: func(about *governed.About) []string { return who.lacks(about.Name, about.Level) },
		// Finding out how to ask a person is costly, and most calls do not ask.
		Approver: &desk{Server: s, client: func() asker { return askerOf(req) }, seen: seen},
	})
	seen.Ended(result)
	if f := result.Failure; f != nil && f.Kind == governed.Internal {
		s.config.Logger.Error("a defect of ours", "cid", id, "tool", tool.About().Name, "cause", f.Cause)
	}
	if f := result.Failure; f != nil && f.Kind == governed.NotLent {
		s.config.Logger.Error("nothing could be lent", "cid", id, "principal", who.principal, "cause", f.Cause)
	}
	return result
}
