package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/eras"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// rawResult is a result whose text is complete. The SDK's own result types decode what
// another server sent and lose members that they do not know.
type rawResult struct {
	*mcp.ResultBase // nil; what makes a type a result
	text            json.RawMessage
}

// MarshalJSON implements [json.Marshaler].
func (r rawResult) MarshalJSON() ([]byte, error) { return r.text, nil }

// signed says that a result has what the SDK would add to its _meta.
var signed = map[string]any{mcp.MetaKeyServerInfo: nil}

// GetMeta implements [mcp.Result].
func (r rawResult) GetMeta() map[string]any { return signed }

// SetMeta implements [mcp.Result]. The text has its _meta already.
func (r rawResult) SetMeta(map[string]any) {}

// toolResult is the result of one of our own tools, in the order of the SDK's.
type toolResult struct {
	Meta              json.RawMessage `json:"_meta,omitempty"`
	Content           []textContent   `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
	ResultType        string          `json:"resultType,omitempty"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// inputRequest is a question that the client answers by repeating its request.
type inputRequest struct {
	Method string `json:"method"`
	Params any    `json:"params"`
}

// say makes text the content.
func (r *toolResult) say(text string) { r.Content = []textContent{{"text", text}} }

func (r *toolResult) raw() (mcp.Result, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return rawResult{text: text}, nil
}

// errInvalidParams is the SDK's answer to a cursor that is not its own.
var errInvalidParams = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params"}

// verbatim passes on the result of another server's tool.
func (v *view) verbatim(tool *offer, r *governed.Result, from client) (mcp.Result, error) {
	text, err := eras.Client{Version: from.version, Server: []byte(v.about)}.Result(eras.CallTool, r.Value)
	if err == nil {
		return rawResult{text: text}, nil
	}
	v.config.Logger.Warn("call.result_dropped", "cid", r.ID, "tool", tool.About().Name, "server", tool.About().Source, "cause", err)
	r.Failure = &governed.Failure{Kind: governed.OutputBlocked, Message: err.Error()}
	said := toolResult{IsError: true}
	if from.modern() {
		said.Meta, said.ResultType = json.RawMessage("{"+v.about+"}"), "complete"
	}
	said.say(failureText(tool.About().Name, r))
	return said.raw()
}

// theirError returns the protocol error with which another server answered, or nil.
func theirError(f *governed.Failure, from client) error {
	if f.Verbatim == nil {
		return nil
	}
	said := &jsonrpc.Error{}
	if err := json.Unmarshal(f.Verbatim, said); err != nil {
		return nil
	}
	// These are about the connection, and it has another one than our client.
	switch said.Code {
	case mcp.CodeMissingRequiredClientCapabilities:
		// The server was told what this client can do, so this is about the client.
		if !from.modern() {
			said.Code, said.Data = jsonrpc.CodeInternalError, nil
		}
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound,
		mcp.CodeHeaderMismatch, mcp.CodeUnsupportedProtocolVersion:
		said.Code, said.Data = jsonrpc.CodeInternalError, nil
	}
	return said
}
