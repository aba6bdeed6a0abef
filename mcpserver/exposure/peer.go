package exposure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/glovebox-run/glovebox/catalog/nesting"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/unseen"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// peer stands between a server and the client of one call: it lets pass what the policy
// allows, says whose words they are, and keeps out what reads like an attack.
type peer struct {
	governed.Peer
	tool *Tool
}

// maxAsked is how many bytes a server's question may have. Nobody reads a longer one;
// a sampling request holds a conversation.
var maxAsked = map[string]int{"elicitation/create": 32 << 10, "sampling/createMessage": 1 << 20, "roots/list": 4 << 10}

// peer returns who answers what the server asks during a call; nil if nobody may.
func (t *Tool) peer(client governed.Peer) upstream.Peer {
	if client == nil {
		return nil
	}
	return peer{client, t}
}

// Can reports whether the client takes requests of a method, and the policy lets the
// server make them.
func (p peer) Can(method string) bool { return p.allowed(method) == nil && p.Peer.Can(method) }

// allowed returns why a server may not make a request of a client.
func (p peer) allowed(method string) error {
	var leave Leave
	switch method {
	case "elicitation/create":
		leave = p.tool.policy.Elicitation
	case "sampling/createMessage":
		leave = p.tool.policy.Sampling
	case "roots/list":
		leave = p.tool.policy.Roots
	}
	if leave != Allow {
		return fmt.Errorf("the gateway does not let this server make requests of %s", method)
	}
	return nil
}

// Request puts requests of the server to the client, all or none.
func (p peer) Request(ctx context.Context, asked ...governed.Asked) ([]json.RawMessage, error) {
	passed := make([]governed.Asked, len(asked))
	for i, a := range asked {
		params, err := p.cleared(a.Method, a.Params)
		if err != nil {
			return nil, err
		}
		passed[i] = governed.Asked{Key: a.Key, Method: a.Method, Params: params}
	}
	return p.Peer.Request(ctx, passed...)
}

// cleared returns the params of a request as the client may see them.
func (p peer) cleared(method string, params json.RawMessage) (json.RawMessage, error) {
	if err := p.allowed(method); err != nil {
		return nil, err
	}
	if len(params) > maxAsked[method] || nesting.Beyond(params, governed.MaxDepth) >= 0 {
		return nil, errors.New("the request is too large")
	}
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if fault := badResult(params); fault != "" {
		return nil, fmt.Errorf("the request cannot be read: %s", fault)
	}
	params = p.masked(params)
	if orders := ordersIn(params); len(orders) > 0 {
		if p.tool.ran != nil {
			p.tool.ran(Ran{p.tool.origin.Upstream, p.tool.origin.Tool, orders})
		}
		return nil, errors.New("the request reads like an attack and was not passed on")
	}
	if method == "elicitation/create" {
		return p.signed(params)
	}
	return params, nil
}

// signed says whose question it is, before the server's words and in ours.
func (p peer) signed(params json.RawMessage) (json.RawMessage, error) {
	words := gjson.GetBytes(params, "message").String()
	text := fmt.Sprintf("The server %q asks, during a call of %q:\n%s", p.tool.origin.Upstream, p.tool.about.Name, quoted(words))
	return sjson.SetBytes(params, "message", text)
}

// quoted marks every line as somebody else's, with invisible characters spelled out.
func quoted(words string) string {
	var b strings.Builder
	for line := range strings.Lines(words) {
		b.WriteString("> " + unseen.Spell(strings.TrimRight(line, "\r\n")) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Notify passes on a notification that belongs to the call, without what the operator
// keeps to himself.
func (p peer) Notify(method string, params json.RawMessage) {
	if badResult(params) != "" || len(ordersIn(params)) > 0 {
		return
	}
	p.Peer.Notify(method, p.masked(params))
}

// masked takes out the secrets of the connection, which the server knows.
func (p peer) masked(params json.RawMessage) json.RawMessage {
	if p.tool.current != nil {
		params = p.tool.current().JSON(params)
	}
	return p.tool.about.Secrets.JSON(params)
}
