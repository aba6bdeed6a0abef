package mcpserver

//lint:file-ignore SA1019 what is deprecated is relayed for as long as servers use it

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/eras"
	"github.com/glovebox-run/glovebox/mcpserver/internal/response"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// conversation is a governed call and the client that waits for it; it is the call's
// [governed.Peer]. A client with a session stays for the whole call. One without comes
// back with each answer, and between two rounds the call is parked; see parked.go.
type conversation struct {
	mu      sync.Mutex
	last    *round // of the client, also while it is away
	round   *round // nil while nobody waits
	over    bool
	parked  *parked // nil for a client that stays
	queue   []note
	sending bool
	idle    sync.Cond // no notification is being sent; of mu
	dropped int       // notifications that nobody got
}

// round is one request of a client that waits for the call.
type round struct {
	client
	ctx     context.Context
	session *mcp.ServerSession
	over    *response.Response             // what the request is answered with; nil if the SDK does that
	can     func() *mcp.ClientCapabilities // costly for clients without a session
	token   json.RawMessage                // for progress; nil if the client wants none
}

type note struct {
	method string
	params json.RawMessage
}

// maxNotes bounds the notifications that wait for a slow client. Progress and log
// messages are of use only while they are new.
const maxNotes = 64

func newConversation(r *round) *conversation {
	c := &conversation{last: r, round: r}
	c.idle.L = &c.mu
	return c
}

// roundOf returns the round that a request makes.
func roundOf[P mcp.Params](ctx context.Context, req *mcp.ServerRequest[P], from client) round {
	r := round{client: from, ctx: ctx, session: req.Session, can: sync.OnceValue(req.ClientCapabilities)}
	if token := req.Params.GetMeta()["progressToken"]; token != nil {
		r.token, _ = json.Marshal(token) // cannot fail: it came as JSON
	}
	return r
}

// resume makes a client that came back the one that waits.
func (c *conversation) resume(r *round) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last, c.round = r, r
}

// client returns the last round, and whether its client waits.
func (c *conversation) client() (last *round, waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last, c.round != nil
}

// capable reports whether a client takes requests of a method at all.
func (r *round) capable(method string) bool {
	can := r.can()
	switch {
	case can == nil:
		return false
	case method == "elicitation/create":
		return can.Elicitation != nil
	case method == "sampling/createMessage":
		return can.Sampling != nil
	}
	return method == "roots/list" && can.RootsV2 != nil
}

// Can implements [governed.Peer].
func (c *conversation) Can(method string) bool {
	r, _ := c.client()
	return r.capable(method)
}

// Errors of [conversation.Request]. The tool's server reads them.
var (
	errNobody = errors.New("the client does not wait for this call any more")
	errCannot = errors.New("the client does not take such requests")
)

// Request implements [governed.Peer].
func (c *conversation) Request(ctx context.Context, asked ...governed.Asked) ([]json.RawMessage, error) {
	r, waits := c.client()
	if !waits && c.parked == nil {
		return nil, errNobody
	}
	for _, a := range asked {
		if !r.takes(a.Method, a.Params) {
			return nil, errCannot
		}
	}
	if c.parked != nil {
		return c.parked.put(ctx, asked)
	}
	asking, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	answers := make([]json.RawMessage, len(asked))
	for i, a := range asked { // a client with a session is asked one thing at a time
		var err error
		if answers[i], err = r.request(asking, a.Method, a.Params); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// takes reports whether a client takes a request.
func (r *round) takes(method string, params json.RawMessage) bool {
	if !r.capable(method) {
		return false
	}
	if method != "elicitation/create" {
		return true
	}
	// A client that names neither forms nor URLs has forms: URLs came later.
	can := r.can().Elicitation
	if gjson.GetBytes(params, "mode").String() == "url" {
		return can.URL != nil
	}
	return can.Form != nil || can.URL == nil
}

// request puts one request to a client with a session.
func (r *round) request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	var answer json.RawMessage
	var err error
	if r.over != nil {
		answer, err = r.over.Request(ctx, method, params)
	} else {
		answer, err = request(ctx, r.session, method, params)
	}
	if err == nil {
		err = eras.Answer(method, answer)
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// Notify implements [governed.Peer].
func (c *conversation) Notify(method string, params json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.round == nil || len(c.queue) >= maxNotes {
		c.dropped++
		return
	}
	if method == "notifications/message" && c.round.over != nil {
		return // the client did not ask for them; see callOf
	}
	if method == "notifications/progress" {
		if c.round.token == nil {
			return // the client did not ask for it
		}
		var err error
		if params, err = sjson.SetRawBytes(params, "progressToken", c.round.token); err != nil {
			c.dropped++
			return
		}
	}
	c.queue = append(c.queue, note{method, params})
	if !c.sending {
		c.sending = true
		go c.send(c.round)
	}
}

// send sends what is queued to the client of one round.
func (c *conversation) send(r *round) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) > 0 && c.round == r {
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.mu.Unlock()
		err := notify(r.ctx, r.session, next.method, next.params)
		c.mu.Lock()
		if err != nil {
			c.dropped++
		}
	}
	c.sending = false
	c.idle.Broadcast()
}

// leave ends a round. What was queued for its client is sent first: nothing may be said
// about a request that was answered.
func (c *conversation) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.sending {
		c.idle.Wait()
	}
	c.round = nil
}

// end ends the conversation, and returns how many notifications were lost.
func (c *conversation) end() (dropped int) {
	c.leave()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	return c.dropped
}
