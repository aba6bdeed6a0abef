package mcpserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/eras"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// exchange is one request that a governed call answers: of a tool, a resource, a prompt
// or a completion.
type exchange struct {
	round
	*view
	tool      *offer
	method    eras.Method
	key       string // name or URI
	arguments []byte
	found     bool // by call_tool
	state     string
	given     map[string]json.RawMessage // with a repeated request: what the client was asked for
	meta      mcp.Meta
	extra     *mcp.RequestExtra
}

// bound is what a repeated request must have in common with the first.
func (x *exchange) bound() []byte {
	arguments := sha256.Sum256(x.arguments)
	return fmt.Appendf(nil, "%q %q %q %q %x", x.view.name, x.principal, x.method, x.key, arguments)
}

// do makes the call and waits for its result, or for a question of the tool's server
// that the client has to answer first.
func (x *exchange) do() (*governed.Result, *mcp.Result) {
	if _, ok := x.tool.Tool.(governed.Verbatim); !ok {
		return x.call(x.ctx, nil), nil
	}
	talk := newConversation(&x.round)
	if !x.modern() {
		defer x.ended(talk)
		return x.call(x.ctx, talk), nil
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(x.ctx))
	p := x.lot.begin(x, talk, cancel)
	go func() {
		defer cancel(nil)
		growStack()
		p.result = x.call(ctx, talk)
		x.ended(talk)
		x.lot.forget(p)
		close(p.finished)
	}()
	return p.attend(x.ctx)
}

// growStack makes room for a whole call on the stack of a new goroutine. Otherwise it grows
// in four steps, each of which copies everything so far: a tenth of the time of a call.
//
//go:noinline
func growStack() {
	var room [24 << 10]byte
	goruntime.KeepAlive(&room)
}

// resumes reports whether a request belongs to a call that waits for its client.
func (x *exchange) resumes() bool { return strings.HasPrefix(x.state, stateMark) }

// resume waits for the call that the request belongs to.
func (x *exchange) resume() (*governed.Result, *mcp.Result, error) {
	p, again, err := x.lot.resume(x)
	if err != nil {
		x.config.Logger.Warn("call.answer_refused", "principal", x.principal, "cause", err)
		return nil, nil, err
	}
	if again != nil {
		return nil, again, nil
	}
	x.tool = p.tool
	result, asked := p.attend(x.ctx)
	return result, asked, nil
}

func (x *exchange) ended(talk *conversation) {
	if lost := talk.end(); lost > 0 {
		x.config.Logger.Warn("call.notes_lost", "tool", x.tool.About().Name, "server", x.tool.About().Source, "number", lost)
	}
}

// call makes one call and observes it. Its recover catches defects between the SDK and
// the pipeline, so that a panic ends only its own call.
func (x *exchange) call(ctx context.Context, talk *conversation) (result *governed.Result) {
	id := governed.NewID()
	seen := x.tool.observed.Begin(id, x.origin())
	defer seen.End()
	defer func() {
		if p := recover(); p != nil {
			x.config.Logger.Error("call.defect", "cid", id, "tool", x.tool.About().Name, "cause", p, "stack", string(debug.Stack()))
			result = &governed.Result{ID: id, Output: governed.Output{Failure: &governed.Failure{Kind: governed.Internal, Message: "the call failed"}}}
		}
	}()
	request := governed.Request{
		ID: id, Trace: seen.Trace(), Tool: x.tool.Tool, Arguments: x.arguments, Caller: x.principal, Client: x.program(), Endpoint: x.view.name, Counted: x.counted,
		Lacks:   func(about *governed.About) []string { return x.lacks(about.Name, about.Level) },
		Entered: seen.Follow(),
		// Finding out how to ask a person is costly, and most calls do not ask.
		Approver: &desk{Server: x.Server, client: x.asker, seen: seen},
	}
	if talk != nil {
		request.Peer = talk
	}
	if x.method == eras.CallTool {
		request.Published = &x.published
	}
	result = x.calls.Do(ctx, request)
	seen.Ended(result)
	if f := result.Failure; f != nil && f.Kind == governed.Internal {
		x.config.Logger.Error("call.defect", "cid", id, "tool", x.tool.About().Name, "cause", f.Cause)
	}
	if f := result.Failure; f != nil && f.Kind == governed.NotLent {
		x.config.Logger.Error("call.not_lent", "cid", id, "principal", x.principal, "cause", f.Cause)
	}
	return result
}

// maxProgram bounds a client's name for itself, and its version, in bytes.
const maxProgram = 64

// program is what the client calls itself, name and version, made harmless. Nothing may be
// decided by it.
func (x *exchange) program() string {
	var name, version string
	if info, ok := x.meta[mcp.MetaKeyClientInfo].(map[string]any); ok {
		name, _ = info["name"].(string)
		version, _ = info["version"].(string)
	} else if x.session != nil {
		if p := x.session.InitializeParams(); p != nil && p.ClientInfo != nil {
			name, version = p.ClientInfo.Name, p.ClientInfo.Version
		}
	}
	bounded := func(text string) string {
		if len(text) > maxProgram {
			text = strings.ToValidUTF8(text[:maxProgram], "") + "…"
		}
		return glyph.Visible(strings.Join(strings.Fields(text), " "))
	}
	return strings.TrimSpace(bounded(name) + " " + bounded(version))
}

// origin returns what telemetry records about the request.
func (x *exchange) origin() telemetry.Origin {
	o := telemetry.Origin{Transport: "stdio", Meta: x.meta, Protocol: x.version}
	if x.extra != nil && x.extra.Header != nil {
		o.Transport, o.Header = "http", x.extra.Header
	}
	return o
}

// asker returns how a person can be asked about the call: by a result that the client
// answers by repeating the request, or while the call waits.
func (x *exchange) asker() asker {
	if x.state != "" || x.given != nil {
		r := replyOf(x.given[questionKey])
		r.state = x.state
		return asker{reply: &r}
	}
	// A client that names neither forms nor URLs has forms: URLs came later.
	can := x.can()
	if can == nil || can.Elicitation == nil || can.Elicitation.Form == nil && can.Elicitation.URL != nil {
		return asker{}
	}
	if x.modern() {
		return asker{later: true}
	}
	return asker{now: x.askNow}
}

// askNow asks the person at the client while the call waits.
func (r *round) askNow(ctx context.Context, put governed.Put) (reply, error) {
	var question bytes.Buffer
	plain := json.NewEncoder(&question)
	plain.SetEscapeHTML(false)
	if err := plain.Encode(elicitation(put)); err != nil {
		return reply{}, err
	}
	answer, err := r.request(ctx, "elicitation/create", bytes.TrimSpace(question.Bytes()))
	if err != nil {
		return reply{}, err
	}
	return replyOf(answer), nil
}

// replyOf reads a client's answer to a question of ours.
func replyOf(answer json.RawMessage) reply {
	return reply{action: gjson.GetBytes(answer, "action").Str, rest: gjson.GetBytes(answer, "content."+restKey).Type == gjson.True}
}
