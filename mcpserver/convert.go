package mcpserver

//lint:file-ignore SA1019 what is deprecated is relayed for as long as servers use it

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/eras"
	"github.com/glovebox-run/glovebox/mcpserver/internal/response"
	"github.com/glovebox-run/glovebox/mcpserver/internal/riskcontract"
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

// client is the sender of one request, and what it understands.
type client struct {
	peer
	version string // of the protocol
}

func (c client) modern() bool { return c.version >= firstStateless }

// clientOf returns the sender of a request.
func clientOf[P mcp.Params](s *Server, req *mcp.ServerRequest[P]) client {
	return client{s.peerOf(req.Session, req.Extra), versionOf(req)}
}

// lastSessions is the last protocol version with sessions, and the one that a client
// gets which asks for one that we do not know.
const lastSessions = "2025-11-25"

// versionOf returns the protocol version of a request.
func versionOf[P mcp.Params](req *mcp.ServerRequest[P]) string {
	version := req.ProtocolVersion()
	if version < firstStateless && slices.Contains(mcp.SupportedProtocolVersions(), version) {
		return version
	}
	if meta := req.Params.GetMeta(); meta[mcp.MetaKeyProtocolVersion] == version {
		return version
	}
	return lastSessions
}

// cursorOf returns the cursor of a list request, whose params may be missing.
func cursorOf[T any, P interface {
	*T
	mcp.Params
}](req *mcp.ServerRequest[P], cursor func(P) string) string {
	if req.Params == nil {
		req.Params = new(T)
	}
	return cursor(req.Params)
}

// serve answers the requests about what the view offers. The SDK's own handlers would
// decode each definition and refuse the odd ones with a panic.
func (v *view) serve(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch req := req.(type) {
		case *mcp.ListToolsRequest:
			cursor := cursorOf(req, func(p *mcp.ListToolsParams) string { return p.Cursor })
			return v.list(method, cursor, clientOf(v.Server, req))
		case *mcp.ListResourcesRequest:
			cursor := cursorOf(req, func(p *mcp.ListResourcesParams) string { return p.Cursor })
			return v.list(method, cursor, clientOf(v.Server, req))
		case *mcp.ListResourceTemplatesRequest:
			cursor := cursorOf(req, func(p *mcp.ListResourceTemplatesParams) string { return p.Cursor })
			return v.list(method, cursor, clientOf(v.Server, req))
		case *mcp.ListPromptsRequest:
			cursor := cursorOf(req, func(p *mcp.ListPromptsParams) string { return p.Cursor })
			return v.list(method, cursor, clientOf(v.Server, req))
		case *mcp.CallToolRequest:
			return v.callTool(ctx, req, nil)
		case *mcp.ReadResourceRequest:
			return v.readResource(ctx, req)
		case *mcp.GetPromptRequest:
			return v.getPrompt(ctx, req)
		case *mcp.CompleteRequest:
			return v.completeArgument(ctx, req)
		case *mcp.ServerRequest[*mcp.SetLoggingLevelParams]:
			if err := v.setLevel(req.Session, string(req.Params.Level)); err != nil {
				return nil, err
			}
		}
		result, err := next(ctx, method, req)
		if err != nil { // the SDK returns a nil pointer of the result's type with it
			return nil, err
		}
		switch result := result.(type) { // the SDK knows less of what there is
		case *mcp.InitializeResult:
			result.Capabilities = v.capabilities()
		case *mcp.DiscoverResult:
			result.Capabilities = v.capabilities()
		}
		return result, nil
	}
}

// callTool answers tools/call. over is what the answer is written to, nil if the SDK
// does that.
func (v *view) callTool(ctx context.Context, req *mcp.CallToolRequest, over *response.Response) (mcp.Result, error) {
	from := clientOf(v.Server, req)
	given, err := givenIn(req.Params.InputResponses)
	if err != nil {
		return nil, err
	}
	x := exchange{
		round: roundOf(ctx, req, from), view: v, method: eras.CallTool, key: req.Params.Name, arguments: req.Params.Arguments,
		state: req.Params.RequestState, given: given, meta: req.Params.Meta, extra: req.Extra,
	}
	x.over = over
	if err := x.unwrap(); err != nil {
		return nil, err
	}
	if !x.resumes() {
		if !x.found {
			x.tool = v.finder(x.key, from.peer)
		}
		if x.tool == nil {
			x.tool = v.find(x.key, from.peer)
		}
		if x.tool == nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", x.key)}
		}
		if _, ok := x.tool.Tool.(governed.Verbatim); !ok {
			defer v.progress(ctx, req)() // the tool itself says nothing
		}
	}
	name, err := x.named()
	switch {
	case err != nil:
		return nil, err
	case name != "":
		return x.again(name)
	}
	return x.result()
}

// result makes the call, or waits for the one that the request belongs to.
func (x *exchange) result() (mcp.Result, error) {
	var result *governed.Result
	var asked *mcp.Result
	if x.resumes() {
		var err error
		if result, asked, err = x.resume(); err != nil {
			return nil, err
		}
	} else {
		result, asked = x.do()
	}
	if asked != nil {
		return *asked, nil
	}
	return x.answer(x.tool, result, x.client)
}

// answer converts the result of a call to the protocol's.
func (v *view) answer(tool *offer, r *governed.Result, from client) (mcp.Result, error) {
	if r.Question != nil {
		return inputRequired(eras.CallTool, approval(r.Question), r.Question.State, v.about), nil
	}
	said := toolResult{IsError: r.Failure != nil}
	if from.modern() {
		said.Meta, said.ResultType = json.RawMessage("{"+v.about+"}"), "complete"
	}
	value := r.Value
	switch of := tool.Tool.(type) {
	case *riskcontract.Tool:
		// Whatever failed, the answer's own members say that nothing is allowed.
		if r.Failure != nil {
			value = riskcontract.Failure(r.Failure, r.ID)
		}
		said.Text = string(value)
	case governed.Verbatim:
		if r.Failure == nil {
			return v.verbatim(tool, r, from)
		}
		if err := theirError(r.Failure, from); err != nil {
			return nil, err
		}
		value = nil
		said.Text = failureText(tool.About().Name, r)
	default:
		spec, _ := of.(*runtime.Tool)
		switch {
		case r.Failure != nil:
			value = nil
			said.Text = failureText(tool.About().Name, r)
		case spec != nil:
			said.Text = spec.Text(r)
		default:
			said.Text = string(value)
		}
	}
	if _, ours := tool.Tool.(*riskcontract.Tool); !ours && r.Failure != nil && r.Failure.Kind == governed.Internal {
		return nil, bug(r.ID)
	}
	said.StructuredContent = structured(value, from.modern())
	return said.raw()
}

// bug reports a defect of ours as a protocol error.
func bug(reference string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("internal error (reference %s)", reference)}
}

// questionKey names the one question in a result that asks for input.
const questionKey = "approval"

// restKey names the one field that a question may have.
const restKey = "rest"

// elicitation is a question answered by accept, decline or cancel. Its form is empty, or
// has one box to tick if a yes may be for the rest of the task as well.
func elicitation(put governed.Put) *mcp.ElicitParams {
	f := form{Type: "object", Properties: map[string]any{}}
	if put.Rest != "" {
		f.Properties[restKey] = map[string]any{"type": "boolean", "title": "And the rest of this task", "description": "Allow as well: " + put.Rest, "default": false}
	}
	return &mcp.ElicitParams{Mode: "form", Message: put.Text, RequestedSchema: f}
}

// form is the schema of an answer's fields.
type form struct {
	Type       string         `json:"type"`
	Properties map[string]any `json:"properties"`
}

// approval is our own question in a result that asks the client.
func approval(q *governed.Put) map[string]inputRequest {
	return map[string]inputRequest{questionKey: {"elicitation/create", elicitation(*q)}}
}

// structured is the structured content beside the text. Up to 2025-11-25 it had to
// be an object; clients that old get other values only in the text.
func structured(value json.RawMessage, modern bool) json.RawMessage {
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
