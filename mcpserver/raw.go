package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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

// toolResult is the result of one of our own tools.
type toolResult struct {
	Meta              json.RawMessage
	Text              string // the content
	StructuredContent json.RawMessage
	IsError           bool
	ResultType        string
}

// textContent is a text among the content of other results.
type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// inputRequest is a question that the client answers by repeating its request.
type inputRequest struct {
	Method string `json:"method"`
	Params any    `json:"params"`
}

var errNoJSON = errors.New("the structured content is not JSON")

// raw writes the result. encoding/json takes four times as long: it copies the text,
// checks and compacts the structured content, and looks at both for HTML.
func (r *toolResult) raw() (mcp.Result, error) {
	text := append(make([]byte, 0, len(r.Meta)+len(r.Text)+len(r.Text)/8+len(r.StructuredContent)+128), '{')
	if len(r.Meta) > 0 {
		text = append(append(append(text, `"_meta":`...), r.Meta...), ',')
	}
	text = append(appendQuoted(append(text, `"content":[{"type":"text","text":`...), r.Text), `}]`...)
	if value := jsontext.Value(r.StructuredContent); len(value) > 0 {
		if !value.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			return nil, errNoJSON
		}
		if bytes.ContainsAny(value, "\r\n") { // which would end the message on standard output
			value = value.Clone()
			if err := value.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
				return nil, err
			}
		}
		text = append(append(text, `,"structuredContent":`...), value...)
	}
	if r.IsError {
		text = append(text, `,"isError":true`...)
	}
	if r.ResultType != "" {
		text = appendQuoted(append(text, `,"resultType":`...), r.ResultType)
	}
	return rawResult{text: append(text, '}')}, nil
}

// appendQuoted appends a string of JSON. Bytes that are not UTF-8 become U+FFFD.
func appendQuoted(to []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	to = append(to, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		to = append(to, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			to = append(to, '\\', c)
		case '\n':
			to = append(to, `\n`...)
		case '\r':
			to = append(to, `\r`...)
		case '\t':
			to = append(to, `\t`...)
		default:
			to = fmt.Appendf(to, `\u%04x`, c)
		}
	}
	return append(append(to, s[from:]...), '"')
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
	said.Text = failureText(tool.About().Name, r)
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
