package upstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
)

// RPCError is an error that the server answered; its words are the server's.
type RPCError = session.RPCError

// Kind is why a request failed.
type Kind string

const (
	Unavailable  Kind = "unavailable"  // it cannot be reached, or is not tried again yet
	Busy         Kind = "busy"         // too many requests at once
	Timeout      Kind = "timeout"      // it did not answer in time
	Broken       Kind = "broken"       // the connection ended in between
	Protocol     Kind = "protocol"     // what it answered is not MCP
	Unauthorized Kind = "unauthorized" // it wants a login, or another one
	Gone         Kind = "gone"         // the upstream was closed or removed
)

// Error is why a request to an upstream failed without an answer.
type Error struct {
	Upstream string
	Kind     Kind
	// MayHaveRun is set if the server may have acted on the request.
	MayHaveRun bool
	// RetryAt is when the next try makes sense; zero if that is not known.
	RetryAt time.Time
	Err     error // may hold words of the server
}

func (e *Error) Error() string {
	text := fmt.Sprintf("upstream %s: %s", e.Upstream, e.Kind)
	if e.MayHaveRun {
		text += "; the call may have run"
	}
	if !e.RetryAt.IsZero() {
		text += "; next try at " + e.RetryAt.UTC().Format(time.TimeOnly) + " UTC"
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// wrap makes an Error of what a session reports; errors that a server answered and
// cancellations stay as they are.
func (u *Upstream) wrap(err error, method string) error {
	ours, rpc, wire := (*Error)(nil), (*RPCError)(nil), (*transport.Error)(nil)
	switch {
	case err == nil || errors.As(err, &ours) || errors.As(err, &rpc):
		return err
	}
	e := &Error{Upstream: u.config.Name, Kind: Protocol, MayHaveRun: !transport.Unsent(err) && !onlyReads(method), Err: err}
	switch {
	case loginWanted(err):
		e.Kind, e.MayHaveRun = Unauthorized, false
	case errors.Is(err, context.DeadlineExceeded):
		e.Kind = Timeout
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &wire):
		e.Kind = map[transport.Kind]Kind{
			transport.Closed:       Broken,
			transport.Unreachable:  Unavailable,
			transport.Status:       Unavailable,
			transport.Unauthorized: Unauthorized,
			transport.SessionGone:  Broken,
			transport.Malformed:    Protocol,
			transport.Stalled:      Broken,
		}[wire.Kind]
		if e.Kind == Unauthorized {
			e.Err = fmt.Errorf("%w; %s", err, u.config.wayIn())
		}
		if refused := (*netguard.Refusal)(nil); errors.As(err, &refused) && (refused.Reason == netguard.LiteralPrivate || refused.Reason == netguard.ResolvedPrivate) {
			e.Err = fmt.Errorf("%w; a server on this machine or in a private network is reached with --allow-private (allow_private in the configuration)", err)
		}
		if wire.RetryAfter > 0 {
			e.RetryAt = u.options.Now().Add(wire.RetryAfter)
		}
	}
	return e
}

// onlyReads reports whether a request can be made twice.
func onlyReads(method string) bool {
	switch method {
	case "tools/list", "resources/list", "resources/templates/list", "prompts/list", "resources/read", "prompts/get", "completion/complete", "ping", "server/discover":
		return true
	}
	return false
}
