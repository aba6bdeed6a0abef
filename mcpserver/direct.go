package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/response"
	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// direct answers an ordinary tools/call over HTTP without the SDK, which decodes each
// message up to nine times, every time through a new buffer of 32 KiB: 210 KB of garbage
// a call with sessions, 470 KB without. A request that is in any way unusual is the SDK's,
// which says what is wrong with it.
func (v *view) direct(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v.follow(w, r) {
			return
		}
		body, ok := r.Body.(*received)
		if !ok || !ordinary(r, body) {
			next.ServeHTTP(w, r)
			return
		}
		m := &body.Messages[0]
		seat := v.seats.get(r.Header.Get("Mcp-Session-Id"))
		if seat != nil && (seat.Principal() != peerIn(r.Context()).principal || r.Context().Value(liveKey{}) == nil) {
			seat = nil // not its session, or it has just ended: next says so
		}
		switch {
		case seat != nil && v.pending.Answer(seat.id, m), seat != nil && seat.cancel(m):
			w.WriteHeader(http.StatusAccepted)
			return
		case m.Method == "tools/call" && m.Request():
			if req := v.callOf(r, m, seat); req != nil {
				v.directCall(w, r, m, req, seat)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// ordinary reports whether a request is one message in a form that every server
// accepts.
func ordinary(r *http.Request, body *received) bool {
	if r.Method != http.MethodPost || body.Batch || len(body.Messages) != 1 || body.Escapes() || r.Header.Get("Last-Event-ID") != "" {
		return false
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	accepts := strings.Join(r.Header.Values("Accept"), ",")
	return err == nil && kind == "application/json" && strings.Contains(accepts, "application/json") && strings.Contains(accepts, "text/event-stream")
}

// callOf returns the request as the SDK would hand it on, or nil for a request that is
// left to the SDK. seat is the client's session, nil without.
func (v *view) callOf(r *http.Request, m *wire.Message, seat *seat) *mcp.CallToolRequest {
	tool := v.find(m.Tool, peerIn(r.Context()))
	if tool == nil {
		return nil
	}
	meta, plain := paramsOf(m)
	if !plain {
		return nil
	}
	req := &mcp.CallToolRequest{
		Params: &mcp.CallToolParamsRaw{Name: m.Tool, Arguments: m.Arguments},
		Extra:  &mcp.RequestExtra{TokenInfo: auth.TokenInfoFromContext(r.Context()), Header: r.Header},
	}
	if meta.Exists() && json.Unmarshal([]byte(meta.Raw), &req.Params.Meta) != nil {
		return nil
	}
	version := r.Header.Get("Mcp-Protocol-Version")
	if version >= firstStateless {
		if !stateless(r, m, req.Params.Meta) {
			return nil
		}
		return req
	}
	if seat == nil || !seat.initialized.Load() || m.Version != "" || version != "" && !slices.Contains(mcp.SupportedProtocolVersions(), version) {
		return nil
	}
	if _, theirs := tool.Tool.(governed.Verbatim); theirs && seat.logs.Load() {
		return nil // only the SDK knows the level that the client wants
	}
	req.Session = seat.session()
	return req
}

// paramsOf returns the _meta of a call. plain is false for answers to our questions, and
// for calls whose progress somebody follows. Arguments may be long, so the params are read
// once.
func paramsOf(m *wire.Message) (meta gjson.Result, plain bool) {
	plain = true
	gjson.GetBytes(m.Raw, "params").ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "_meta":
			meta = value
			plain = !value.Get("progressToken").Exists()
		case "inputResponses", "requestState":
			plain = false
		}
		return plain
	})
	return meta, plain
}

// stateless reports whether headers and _meta of a call are what the protocol without
// sessions demands. Only what is surely right counts.
func stateless(r *http.Request, m *wire.Message, meta mcp.Meta) bool {
	if version := r.Header.Get("Mcp-Protocol-Version"); version != m.Version || !slices.Contains(mcp.SupportedProtocolVersions(), version) {
		return false
	}
	if r.Header.Get("Mcp-Method") != m.Method || r.Header.Get("Mcp-Name") != m.Tool || m.Tool == "" {
		return false
	}
	if _, logs := meta["io.modelcontextprotocol/logLevel"]; logs {
		return false
	}
	if info, named := meta[mcp.MetaKeyClientInfo]; named {
		info, ok := info.(map[string]any)
		if !ok || !isString(info["name"]) || !isString(info["version"]) {
			return false
		}
	}
	can, ok := meta[mcp.MetaKeyClientCapabilities].(map[string]any)
	if !ok {
		return false
	}
	for name, value := range can {
		if _, ok := value.(map[string]any); !ok && name != "" {
			return false
		}
	}
	return true
}

func isString(v any) bool { _, ok := v.(string); return ok }

// directCall makes a call and writes its answer. With sessions a client that hangs up
// has not cancelled its call; without, it has.
func (v *view) directCall(w http.ResponseWriter, r *http.Request, m *wire.Message, req *mcp.CallToolRequest, seat *seat) {
	ctx, asks := r.Context(), ""
	if seat != nil {
		var end func()
		ctx, end = seat.call(context.WithoutCancel(ctx), m.ID.Key())
		defer end()
		asks = seat.id
	}
	over := response.New(w, r, m.ID, &v.pending, asks)
	if seat != nil {
		over.Keep(v.kept.Begin(asks), r.Header.Get("Mcp-Protocol-Version") >= firstPrimed)
	}
	result, err := v.callTool(ctx, req, over)
	if err == nil {
		var text []byte
		if text, err = textOf(result); err == nil {
			_ = over.Result(text) // an error means that the client is gone
			return
		}
	}
	problem := (*jsonrpc.Error)(nil)
	if !errors.As(err, &problem) {
		problem = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	status := http.StatusOK
	if seat == nil {
		status = statusOf(problem.Code)
	}
	_ = over.Error(status, problem.Code, problem.Message, problem.Data)
}

// textOf returns a result as JSON. Ours are already.
func textOf(result mcp.Result) ([]byte, error) {
	if raw, ok := result.(rawResult); ok {
		return raw.text, nil
	}
	return json.Marshal(result)
}

// statusOf returns the HTTP status of an error in the protocol without sessions.
func statusOf(code int64) int {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case jsonrpc.CodeInvalidParams, mcp.CodeUnsupportedProtocolVersion, mcp.CodeMissingRequiredClientCapabilities:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
