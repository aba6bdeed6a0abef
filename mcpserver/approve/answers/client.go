package answers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/internal/wildcard"
)

// Client asks a [Handler]. Ask sends a request for a path and decodes the answer; any
// answer other than success is a Problem.
type Client struct {
	Ask func(ctx context.Context, method, path string, body io.Reader, into any) error
}

// Yes says how far an approval goes beyond the one call.
type Yes struct {
	// Rest is what the question offers for the rest of the task.
	Rest bool
	// For allows further calls for this long; zero allows none. Same limits them to the
	// same arguments.
	For  time.Duration
	Same bool
}

// Of narrows a list to tools and principals by patterns, in which * is any characters;
// empty is all.
type Of struct{ Tool, Principal string }

func (o Of) matches(tool, principal string) bool {
	return (o.Tool == "" || wildcard.Match(o.Tool, tool)) && (o.Principal == "" || wildcard.Match(o.Principal, principal))
}

// Approvals returns the questions in a state, or all of them if state is empty.
func (c Client) Approvals(ctx context.Context, state approve.State, of Of) (all []approve.Entry, err error) {
	err = c.Ask(ctx, http.MethodGet, "/approvals?state="+url.QueryEscape(string(state)), nil, &all)
	return slices.DeleteFunc(all, func(e approve.Entry) bool { return !of.matches(e.Tool, e.Principal) }), err
}

// Approval returns one question.
func (c Client) Approval(ctx context.Context, id string) (e approve.Entry, err error) {
	if !isID(id) {
		return e, noSuch(approve.ErrNoSuch, id)
	}
	return e, c.Ask(ctx, http.MethodGet, "/approvals/"+id, nil, &e)
}

// Approve says yes to a question and returns it. The connection says who the person is.
func (c Client) Approve(ctx context.Context, id string, y Yes, note string) (approve.Entry, error) {
	yes := true
	r := resolution{Approve: &yes, Rest: y.Rest, Same: y.Same, Note: note}
	if y.For != 0 {
		r.For = y.For.String()
	}
	return c.resolve(ctx, id, r)
}

// Deny says no to a question and returns it.
func (c Client) Deny(ctx context.Context, id, note string) (approve.Entry, error) {
	no := false
	return c.resolve(ctx, id, resolution{Approve: &no, Note: note})
}

func (c Client) resolve(ctx context.Context, id string, r resolution) (e approve.Entry, err error) {
	if !isID(id) {
		return e, noSuch(approve.ErrNoSuch, id)
	}
	body, err := json.Marshal(r)
	if err != nil {
		return e, err
	}
	return e, c.Ask(ctx, http.MethodPost, "/approvals/"+id, strings.NewReader(string(body)), &e)
}

// Rules returns all rules.
func (c Client) Rules(ctx context.Context, of Of) (all []approve.Rule, err error) {
	err = c.Ask(ctx, http.MethodGet, "/rules", nil, &all)
	return slices.DeleteFunc(all, func(r approve.Rule) bool { return !of.matches(r.Tool, r.Principal) }), err
}

// RevokeRule ends a rule.
func (c Client) RevokeRule(ctx context.Context, id string) (r approve.Rule, err error) {
	if !isID(id) {
		return r, noSuch(approve.ErrNoRule, id)
	}
	return r, c.Ask(ctx, http.MethodDelete, "/rules/"+id, nil, &r)
}

func noSuch(err error, id string) error {
	return Problem{Unknown, fmt.Sprintf("%v: %q", err, id)}
}
