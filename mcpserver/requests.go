package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/eras"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Requests about resources and prompts go to their source as governed calls. Their
// params are what the SDK understood of them.

// readResource answers resources/read.
func (v *view) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (mcp.Result, error) {
	from, p := clientOf(v.Server, req), req.Params
	given, err := givenIn(p.InputResponses)
	if err != nil {
		return nil, err
	}
	x := &exchange{
		round: roundOf(ctx, req, from), view: v, method: eras.ReadResource, key: p.URI,
		state: p.RequestState, given: given, meta: p.Meta, extra: req.Extra,
	}
	s := v.shown.Load()
	r := s.sources.holder(p.URI, v.audienceOf(from.peer))
	if r == nil && !x.resumes() {
		return nil, noResource(p.URI, from)
	}
	if r != nil {
		x.tool = r.read
	}
	return x.pass(map[string]any{"uri": p.URI})
}

// codeNoResource is the error of the versions with sessions; later it is invalid params.
const codeNoResource = -32002

// noResource says that there is no resource with a URI, for this client.
func noResource(uri string, from client) error {
	code := int64(codeNoResource)
	if from.modern() {
		code = jsonrpc.CodeInvalidParams
	}
	data, _ := json.Marshal(map[string]string{"uri": uri}) // cannot fail: strings
	return &jsonrpc.Error{Code: code, Message: "Resource not found", Data: data}
}

// getPrompt answers prompts/get.
func (v *view) getPrompt(ctx context.Context, req *mcp.GetPromptRequest) (mcp.Result, error) {
	from, p := clientOf(v.Server, req), req.Params
	given, err := givenIn(p.InputResponses)
	if err != nil {
		return nil, err
	}
	x := &exchange{
		round: roundOf(ctx, req, from), view: v, method: eras.GetPrompt, key: p.Name,
		state: p.RequestState, given: given, meta: p.Meta, extra: req.Extra,
	}
	r := v.shown.Load().sources.prompts[p.Name]
	if r != nil && (r.get == nil || !v.audienceOf(from.peer).sees(r.Name, p.Name)) {
		r = nil
	}
	if r == nil && !x.resumes() {
		return nil, invalid(fmt.Sprintf("unknown prompt %q", p.Name))
	}
	if r != nil {
		x.tool = r.get
	}
	params := map[string]any{"name": p.Name}
	if p.Arguments != nil {
		params["arguments"] = p.Arguments
	}
	return x.pass(params)
}

// completeArgument answers completion/complete.
func (v *view) completeArgument(ctx context.Context, req *mcp.CompleteRequest) (mcp.Result, error) {
	from, p := clientOf(v.Server, req), req.Params
	if p.Ref == nil {
		return nil, invalid(`"ref" is missing`)
	}
	x := &exchange{round: roundOf(ctx, req, from), view: v, method: eras.Complete, key: p.Ref.Name + p.Ref.URI, meta: p.Meta, extra: req.Extra}
	s := v.shown.Load()
	var r *relayed
	switch p.Ref.Type {
	case "ref/prompt":
		r = s.sources.prompts[p.Ref.Name]
	case "ref/resource":
		for _, t := range s.sources.templates {
			if t.text == p.Ref.URI {
				r = t.of
			}
		}
		if r == nil {
			r = s.sources.resources[p.Ref.URI]
		}
	}
	if r == nil || r.complete == nil || !v.audienceOf(from.peer).sees(r.Name, x.key) {
		return nil, invalid(fmt.Sprintf("nothing completes the arguments of %q", x.key))
	}
	x.tool = r.complete
	params := map[string]any{"ref": p.Ref, "argument": p.Argument}
	if p.Context != nil {
		params["context"] = p.Context
	}
	return x.pass(params)
}

// pass makes the request with params and passes on the result.
func (x *exchange) pass(params map[string]any) (mcp.Result, error) {
	var err error
	if x.arguments, err = json.Marshal(params); err != nil {
		return nil, err
	}
	var result *governed.Result
	var asked *mcp.Result
	if x.resumes() {
		result, asked, err = x.resume()
	} else {
		result, asked = x.do()
	}
	switch {
	case err != nil:
		return nil, err
	case asked != nil:
		return *asked, nil
	case result.Question != nil:
		return inputRequired(x.method, approval(result.Question), result.Question.State, x.about), nil
	case result.Failure != nil:
		return nil, x.protocolError(result)
	}
	text, err := eras.Client{Version: x.version, Server: []byte(x.about)}.Result(x.method, result.Value)
	if err != nil {
		x.config.Logger.Warn("call.result_dropped", "cid", result.ID, "tool", x.tool.About().Name, "server", x.tool.About().Source, "cause", err)
		result.Failure = &governed.Failure{Kind: governed.OutputBlocked, Message: err.Error()}
		return nil, x.protocolError(result)
	}
	return rawResult{text: text}, nil
}

// protocolError says why a request has no result. Only results of tools can be errors
// that a model reads.
func (x *exchange) protocolError(r *governed.Result) error {
	if r.Failure.Kind == governed.Internal {
		return bug(r.ID)
	}
	if err := theirError(r.Failure, x.client); err != nil {
		return err
	}
	code := int64(jsonrpc.CodeInternalError)
	if r.Failure.Kind == governed.InvalidArguments {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: failureText(x.tool.About().Name, r)}
}

// inputRequired is a result that asks the client.
func inputRequired(method eras.Method, asked map[string]inputRequest, state, about string) mcp.Result {
	said := struct {
		Meta          json.RawMessage         `json:"_meta"`
		Content       *[]textContent          `json:"content,omitempty"`
		RequestState  string                  `json:"requestState"`
		ResultType    string                  `json:"resultType"`
		InputRequests map[string]inputRequest `json:"inputRequests"`
	}{json.RawMessage("{" + about + "}"), nil, state, "input_required", asked}
	if method == eras.CallTool {
		said.Content = &[]textContent{} // clients that check results want it in each
	}
	text, err := json.Marshal(said)
	if err != nil {
		panic(err) // cannot fail: params are JSON
	}
	return rawResult{text: text}
}

var taskMethods = []string{"tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tasks/update"}

var errTasks = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "tasks are not relayed: call the tool without a task and wait for its result"}

// refuseTasks refuses what the SDK has no words for. Clients use tasks only with a
// server that says it has them, so tools keep what they say about tasks.
func refuseTasks(sdk *mcp.Server) {
	for _, method := range taskMethods {
		err := mcp.AddReceivingCustomMethod(sdk, method, func(context.Context, *mcp.ServerSession, *taskParams) (*mcp.ResultBase, error) {
			return nil, errTasks
		})
		if err != nil {
			panic(err) // cannot happen: the SDK has no such methods
		}
	}
}

type taskParams struct{ mcp.ParamsBase }
