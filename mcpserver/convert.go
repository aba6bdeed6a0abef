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

// firstStateless is the first protocol version without sessions. Versions are
// dates, so they compare as strings.
const firstStateless = "2026-07-28"

// listed is a tool as tools/list shows it: for a spec its name, description and
// input schema, and nothing that a client could take for a promise.
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

// handler answers tools/call for one version of a tool. Its recover catches defects
// between the SDK and the pipeline, so that a panic ends only its own call.
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

// answer converts the result of a call to the protocol's.
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
		// Whatever failed, the answer's own members say that nothing is allowed.
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

// bug reports a defect of ours as a protocol error.
func bug(reference string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("internal error (reference %s)", reference)}
}

// origin returns what telemetry records about a request.
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

// questionKey names the one question in a result that asks for input.
const questionKey = "approval"

// elicitation is a question answered by accept, decline or cancel, with no form
// fields.
func elicitation(text string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: text, RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)}
}

// askerOf returns how a person can be asked about a request: by a result that the
// client answers by repeating the request, or while the call waits.
func askerOf(req *mcp.CallToolRequest) asker {
	if req.Params.RequestState != "" || req.Params.InputResponses != nil {
		r := &reply{state: req.Params.RequestState}
		if given, ok := req.Params.InputResponses[questionKey].(*mcp.ElicitResult); ok {
			r.action = given.Action
		}
		return asker{reply: r}
	}
	// A client that names neither forms nor URLs has forms: URLs came later.
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

// structured is the structured content beside the text. Up to 2025-11-25 it had to
// be an object; clients that old get other values only in the text.
func structured(value json.RawMessage, modern bool) any {
	if len(value) == 0 || string(value) == "null" || !modern && value[0] != '{' {
		return nil
	}
	return value
}

// progress tells a client that asked for it that its call still runs, until stop is
// called. Only the tool knows how far it is, so the number is seconds.
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
