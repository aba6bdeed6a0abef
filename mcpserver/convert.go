package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/riskcontract"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// firstStateless is the protocol version that did away with sessions. Versions
// are dates, so they compare as texts.
const firstStateless = "2026-07-28"

// listed is a tool as tools/list shows it: of a spec name, description and input
// schema, and nothing that a client could take for a promise.
func listed(tool governed.Tool) *mcp.Tool {
	switch tool := tool.(type) {
	case *runtime.Tool:
		e := tool.Spec().Entry()
		return &mcp.Tool{Name: e.Name, Description: e.Description, InputSchema: e.InputSchema}
	case *riskcontract.Tool:
		no := false
		return &mcp.Tool{
			Name: tool.About().Name, Title: tool.Title, Description: tool.Description, InputSchema: tool.Schema,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no},
		}
	}
	return &mcp.Tool{Name: tool.About().Name, InputSchema: json.RawMessage(`{"type":"object"}`)}
}

// handler answers tools/call for one version of a tool. The recover is for defects
// on the way to the pipeline and back; it ends one call.
func (s *Server) handler(tool governed.Tool) mcp.ToolHandler {
	observed := s.config.Telemetry.Tool(tool)
	return func(ctx context.Context, req *mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		id := governed.NewID()
		seen := observed.Begin(id, origin(req))
		defer seen.End()
		defer func() {
			if p := recover(); p != nil {
				s.config.Logger.Error("a defect of ours", "cid", id, "tool", tool.About().Name, "cause", p, "stack", string(debug.Stack()))
				result, err = nil, bug(id)
			}
		}()
		defer s.progress(ctx, req)()
		return answer(tool, s.call(ctx, tool, req, s.peerOf(req), id, seen), modern(req))
	}
}

// answer is what came of a call as the protocol has it.
func answer(tool governed.Tool, r *governed.Result, modern bool) (*mcp.CallToolResult, error) {
	if r.Question != nil {
		return &mcp.CallToolResult{
			Content:       []mcp.Content{}, // nil would be null, which is no content
			InputRequests: mcp.InputRequestMap{questionKey: elicitation(r.Question.Text)}, RequestState: r.Question.State,
		}, nil
	}
	var text string
	value := r.Value
	switch of := tool.(type) {
	case *riskcontract.Tool:
		// Its answers say in their own members that nothing is allowed, whatever failed.
		if r.Failure != nil {
			value = riskcontract.Failure(r.Failure, r.ID)
		}
		text = string(value)
	default:
		if r.Failure != nil && r.Failure.Kind == governed.Internal {
			return nil, bug(r.ID)
		}
		switch spec, _ := of.(*runtime.Tool); {
		case r.Failure != nil:
			text, value = failureText(tool.About().Name, r), nil
		case spec != nil:
			text = spec.Text(r)
		default:
			text = string(value)
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: structured(value, modern), IsError: r.Failure != nil}, nil
}

// bug is a defect of ours as the protocol reports one.
func bug(reference string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("internal error (reference %s)", reference)}
}

// origin is what telemetry wants to know of a request.
func origin(req *mcp.CallToolRequest) telemetry.Origin {
	o := telemetry.Origin{Transport: "stdio", Meta: req.Params.Meta}
	if req.Extra != nil && req.Extra.Header != nil {
		o.Transport, o.Header = "http", req.Extra.Header
	}
	if p := req.Session.InitializeParams(); p != nil {
		o.Protocol = p.ProtocolVersion
	}
	return o
}

// modern reports whether a request speaks the stateless protocol.
func modern(req *mcp.CallToolRequest) bool {
	p := req.Session.InitializeParams()
	return p != nil && p.ProtocolVersion >= firstStateless
}

// questionKey names the one question in a result that asks.
const questionKey = "approval"

// elicitation is a question that is answered by accepting, declining or
// cancelling: there is nothing to fill in.
func elicitation(text string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: text, RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)}
}

// askerOf says how a person can be asked about a request: by a result that the
// client answers with the request again, or while the call waits.
func askerOf(req *mcp.CallToolRequest) asker {
	if req.Params.RequestState != "" || req.Params.InputResponses != nil {
		r := &reply{state: req.Params.RequestState}
		if given, ok := req.Params.InputResponses[questionKey].(*mcp.ElicitResult); ok {
			r.action = given.Action
		}
		return asker{reply: r}
	}
	// A client that says nothing about forms has them: URLs came later.
	can := req.ClientCapabilities()
	if can == nil || can.Elicitation == nil || can.Elicitation.Form == nil && can.Elicitation.URL != nil {
		return asker{}
	}
	if modern(req) {
		return asker{later: true}
	}
	return asker{now: func(ctx context.Context, text string) (string, error) {
		given, err := req.Session.Elicit(ctx, elicitation(text))
		if err != nil {
			return "", err
		}
		return given.Action, nil
	}}
}

// structured is the value beside the text. Until 2025-11-25 it had to be an
// object; other values then are in the text alone.
func structured(value json.RawMessage, modern bool) any {
	if len(value) == 0 || string(value) == "null" || !modern && value[0] != '{' {
		return nil
	}
	return value
}

// progress tells a client that asked for it, until stop is called, that its call
// still runs. How far it is only the tool knows, so the number is seconds.
func (s *Server) progress(ctx context.Context, req *mcp.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		started := time.Now()
		tick := time.NewTicker(s.config.ProgressEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				params := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: time.Since(started).Seconds(), Message: "running"}
				if err := req.Session.NotifyProgress(ctx, params); err != nil {
					return // the client is gone; the call's context says so too
				}
			}
		}
	}()
	// Nothing may be said about a call that was answered, so wait.
	return func() { cancel(); <-ended }
}
