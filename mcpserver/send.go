package mcpserver

//lint:file-ignore SA1019 what is deprecated is relayed for as long as servers use it

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

// The SDK sends a session only what its own types hold, and reads of an answer only what
// they know. What a client answers is carried past them, see [wire.Carried]. A message of another server
// travels through one of its methods as a Go value in _meta, and the sending middleware
// puts it in the place of the params.

// outgoing is a message to a client, as its server sent it.
type outgoing struct {
	method string
	params json.RawMessage
	result mcp.Result // of a request
}

const outgoingKey = "glovebox/outgoing" // in _meta; it never leaves the process

// rawParams are params whose text is complete.
type rawParams struct {
	mcp.ParamsBase
	text json.RawMessage
}

// MarshalJSON implements [json.Marshaler].
func (p *rawParams) MarshalJSON() ([]byte, error) { return p.text, nil }

// sendRaw is the sending middleware.
func sendRaw(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		params := req.GetParams()
		if params == nil {
			return next(ctx, method, req)
		}
		out, ok := params.GetMeta()[outgoingKey].(*outgoing)
		if !ok {
			return next(ctx, method, req)
		}
		result, err := next(ctx, out.method, &mcp.ServerRequest[*rawParams]{Session: req.GetSession().(*mcp.ServerSession), Params: &rawParams{text: out.params}})
		if err != nil || result == nil {
			return nil, err
		}
		out.result = result
		return &mcp.ListRootsResult{}, nil // what its method expects
	}
}

// request puts a request to the client of a session, on the stream of the request that
// ctx belongs to. The result is as the client wrote it.
func request(ctx context.Context, session *mcp.ServerSession, method string, params json.RawMessage) (json.RawMessage, error) {
	out := &outgoing{method: method, params: params}
	if _, err := session.ListRoots(ctx, &mcp.ListRootsParams{Meta: mcp.Meta{outgoingKey: out}}); err != nil {
		return nil, err
	}
	result, ok := wire.Carried(out.result.GetMeta())
	if !ok {
		return nil, errors.New("the client's answer is no object")
	}
	return result, nil
}

// notify sends a notification to the client of a session. A log message below the level
// that the client wants is left out.
func notify(ctx context.Context, session *mcp.ServerSession, method string, params json.RawMessage) error {
	meta := mcp.Meta{outgoingKey: &outgoing{method: method, params: params}}
	if method == "notifications/message" {
		return session.Log(ctx, &mcp.LoggingMessageParams{Meta: meta, Level: mcp.LoggingLevel(gjson.GetBytes(params, "level").String())})
	}
	return session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{Meta: meta})
}

// givenIn returns what a client answered to a result that asked it, as it was written.
func givenIn(of mcp.InputResponseMap) (map[string]json.RawMessage, error) {
	carrier, ok := of[wire.CarriedKey].(*mcp.ListRootsResult)
	if !ok {
		return nil, nil
	}
	text, ok := wire.Carried(carrier.Meta)
	var given map[string]json.RawMessage
	if !ok || !jsontext.Value(text).IsValid() || json.Unmarshal(text, &given) != nil {
		return nil, errKind
	}
	return given, nil
}
