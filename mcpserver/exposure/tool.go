package exposure

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/definition"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Tool is one tool of another server as it is offered, or one of the requests by which
// its resources and prompts are read. It implements [governed.Verbatim]. Only [Admit]
// makes one.
type Tool struct {
	id        identity
	about     governed.About
	origin    Origins
	def       *definition.Definition // nil for a request that is no tool's
	listed    json.RawMessage
	method    string // of the request to the server
	caller    Caller
	fresh     func(context.Context) error
	accepted  func(context.Context, Origins) error
	ran       func(Ran)
	current   func() *egress.Masker
	policy    Policy
	arguments arguments
	// withdrawn is set when a newer offer does not have this version any more.
	withdrawn atomic.Bool
}

// Origins say where a tool comes from and how its level came about.
type Origins struct {
	Upstream, Tool, Transport string
	Set                       string // the first set that offers it
	Server                    mcp.ServerRisk
	Publish                   mcp.ToolRisk
	Composed                  mcp.ComposedRisk
	Final                     mcp.Level // after the credit for approval
	Pin                       string
	Approve                   bool
}

// Ran is what is told about a call that reached a server.
type Ran struct {
	Upstream, Tool string
	// Orders are the texts in the answer that read like orders to the model.
	Orders []governed.Order
}

var _ governed.Verbatim = (*Tool)(nil)

// About implements [governed.Tool].
func (t *Tool) About() *governed.About { return &t.about }

// Listed implements [governed.Verbatim]: the server's definition with our name and
// description.
func (t *Tool) Listed() json.RawMessage { return t.listed }

// Origin returns where the tool comes from.
func (t *Tool) Origin() Origins { return t.origin }

// Unchecked returns why the gateway does not check arguments, or "".
func (t *Tool) Unchecked() string { return t.arguments.Unchecked() }

// Telemetry returns what is reported about its calls.
func (t *Tool) Telemetry() telemetry.Upstream {
	o := t.origin
	return telemetry.Upstream{
		Alias: t.about.Name, Server: o.Upstream, Tool: o.Tool, Transport: o.Transport,
		CompositionID: setID(o.Set), CompositionName: setID(o.Set),
		OfServer: o.Server.Level, OfTool: o.Publish.Level, Final: o.Final, FloorTrigger: o.Composed.Trigger.ID,
	}
}

func setID(id string) string {
	if id == Exposed {
		return exposedID
	}
	return id
}

// Check implements [governed.Tool].
func (t *Tool) Check(arguments []byte) (json.RawMessage, catalog.Problems) {
	return t.arguments.check(arguments)
}

// Run implements [governed.Tool].
func (t *Tool) Run(ctx context.Context, permit *governed.Permit) (out governed.Output) {
	if err := permit.Check(t.about.Hash); err != nil {
		out.Failure = &governed.Failure{Kind: governed.NotCleared, Message: "the call was not cleared", Cause: err}
		return out
	}
	if out.Failure = t.holds(ctx); out.Failure != nil {
		return out
	}
	params, err := t.params(permit.Arguments)
	if err != nil {
		out.Failure = &governed.Failure{Kind: governed.InvalidArguments, Message: "the arguments cannot be sent", Cause: err}
		return out
	}
	raw, err := t.caller.Call(ctx, upstream.Request{Method: t.method, Params: params, Peer: t.peer(permit.Peer)})
	if t.current != nil {
		raw = t.current().JSON(raw)
	}
	if err != nil {
		out.Failure = t.failed(err)
		out.Orders = t.judgeError(out.Failure)
	} else {
		out.Value, out.Orders, out.Failure = t.received(raw)
	}
	if t.ran != nil {
		t.ran(Ran{t.origin.Upstream, t.origin.Tool, out.Orders})
	}
	return out
}

// holds refuses a call of a definition that no longer counts. Only when the server said
// that its tools changed does this wait for it.
func (t *Tool) holds(ctx context.Context) *governed.Failure {
	if t.fresh != nil {
		if err := t.fresh(ctx); err != nil {
			if ctx.Err() != nil {
				return t.failed(ctx.Err())
			}
			return &governed.Failure{Kind: governed.UpstreamUnreachable, Message: "its server said that it changed, and cannot be asked how", Cause: err}
		}
	}
	if t.withdrawn.Load() || t.caller == nil {
		return noLongerOffered(nil)
	}
	if t.accepted == nil {
		return nil
	}
	err := t.accepted(ctx, t.origin)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ledger.ErrNotAccepted):
		return noLongerOffered(err)
	case ctx.Err() != nil:
		return t.failed(ctx.Err())
	}
	return &governed.Failure{
		Kind: governed.NotCleared, Cause: err,
		Message: "whether it is still offered and its definition accepted cannot be found out, because the cluster that keeps the pins does not answer",
		Advice:  "That passes. The same call can be made again in a few seconds.",
	}
}

func noLongerOffered(cause error) *governed.Failure {
	return &governed.Failure{Kind: governed.NotCleared, Message: "it is no longer offered as it was listed", Advice: "List the tools again.", Cause: cause}
}

// params are those of the request: the arguments as they came, under the name that the
// server knows.
func (t *Tool) params(arguments json.RawMessage) (json.RawMessage, error) {
	if t.def == nil {
		return arguments, nil
	}
	name, err := json.Marshal(t.origin.Tool)
	if err != nil {
		return nil, err
	}
	params := make([]byte, 0, len(name)+len(arguments)+24)
	params = append(params, `{"name":`...)
	params = append(params, name...)
	params = append(params, `,"arguments":`...)
	params = append(params, arguments...)
	return append(params, '}'), nil
}
