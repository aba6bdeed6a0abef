package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/admission"
	"github.com/glovebox-run/glovebox/mcpserver/riskcontract"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

// offerContract offers the tools of the contract, if there is one. They run no
// code of others, so nobody is asked about them and the record has none of their
// calls; the log does.
func (s *Server) offerContract() {
	if s.config.Contract == nil {
		return
	}
	no := false
	for _, tool := range riskcontract.Tools() {
		s.contractTools = append(s.contractTools, tool)
		s.sdk.AddTool(&mcp.Tool{
			Name: tool.Name, Title: tool.Title, Description: tool.Description, InputSchema: tool.Schema,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no},
		}, s.contractHandler(tool))
	}
}

// reserved reports whether a name is that of one of our own tools.
func (s *Server) reserved(name string) bool {
	return slices.ContainsFunc(s.contractTools, func(t riskcontract.Tool) bool { return t.Name == name })
}

// contractHandler answers calls of one tool. Whatever goes wrong, the answer says
// that the call it was asked about is not allowed.
func (s *Server) contractHandler(tool riskcontract.Tool) mcp.ToolHandler {
	observed := s.config.Telemetry.Builtin(tool.Name, risk.L0)
	return func(_ context.Context, req *mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		id := runtime.NewID()
		seen := observed.Begin(id, origin(req))
		defer func() {
			defer seen.End()
			if p := recover(); p != nil {
				seen.Ended(telemetry.Internal, "panic")
				s.config.Logger.Error("a defect of ours", "cid", id, "tool", tool.Name, "cause", p)
				result, err = denied(riskcontract.Failure("internal", fmt.Sprintf("internal error (reference %s)", id))), nil
			}
		}()
		who := s.peerOf(req)
		if err := s.count(request{peer: who}); err != nil {
			seen.Ended(telemetry.Throttled, string(admission.TooFast))
			return denied(riskcontract.Failure("refused", err.Error())), nil
		}
		if lacks := who.lacks(tool.Name, risk.L0); len(lacks) > 0 {
			seen.Ended(telemetry.Denied, "scope")
			return denied(riskcontract.Failure("refused", "the access token lacks the scope "+strings.Join(lacks, " "))), nil
		}
		text, failed := tool.Answer(s.config.Contract, req.Params.Arguments)
		if failed {
			seen.Ended(telemetry.Invalid, string(runtime.InvalidArguments))
			return denied(text), nil
		}
		s.config.Logger.Info("the contract was asked", "cid", id, "tool", tool.Name, "principal", who.principal)
		seen.Ended(telemetry.OK, "")
		return contractResult(text), nil
	}
}

func contractResult(text json.RawMessage) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: text}
}

func denied(text json.RawMessage) *mcp.CallToolResult {
	r := contractResult(text)
	r.IsError = true
	return r
}
