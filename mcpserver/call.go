package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/admission"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// pipeline is how calls are made here: as the operator wants them, shared out among
// the clients, and no more of them once the server stops.
func (s *Server) pipeline() *governed.Pipeline {
	config := s.config.Calls
	config.Enter, config.Slot, config.Current = s.enter, s.slot, s.published.Of
	return governed.New(config)
}

// enter admits a call, unless its caller sends too much or the server is draining.
func (s *Server) enter(ctx context.Context, caller string, counted bool) (context.Context, func(), *governed.Failure) {
	if !counted {
		if err := s.gate.Take(caller, 1); err != nil {
			return nil, nil, throttled(err)
		}
	}
	leave, err := s.begin()
	if err != nil {
		return nil, nil, &governed.Failure{Kind: governed.Stopping, Message: "the server is stopping", Advice: "Try again later.", Cause: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stopping := context.AfterFunc(s.ctx, func() { cancel(errStopped) })
	return ctx, func() {
		stopping()
		cancel(nil)
		leave()
	}, nil
}

// slot waits for a call's turn to run.
func (s *Server) slot(ctx context.Context, caller string) (func(), *governed.Failure) {
	free, err := s.gate.Slot(ctx, caller)
	if err == nil {
		return free, nil
	}
	if errors.As(err, new(*admission.Refusal)) {
		return nil, throttled(err)
	}
	return nil, governed.WaitFailure(err)
}

func throttled(err error) *governed.Failure {
	return &governed.Failure{Kind: governed.Throttled, Message: err.Error(), Cause: err}
}

// call makes one call and observes it.
func (s *Server) call(ctx context.Context, tool governed.Tool, req *mcp.CallToolRequest, who peer, id string, seen *telemetry.Call) *governed.Result {
	result := s.calls.Do(ctx, governed.Request{
		ID: id, Tool: tool, Arguments: req.Params.Arguments, Caller: who.principal, Counted: who.counted,
		Lacks: func(about *governed.About) []string { return who.lacks(about.Name, about.Level) },
		// How a person can be asked costs to find out, and most calls ask nobody.
		Approver: &desk{Server: s, client: func() asker { return askerOf(req) }, seen: seen},
	})
	seen.Ended(result)
	if f := result.Failure; f != nil && f.Kind == governed.Internal {
		s.config.Logger.Error("a defect of ours", "cid", id, "tool", tool.About().Name, "cause", f.Cause)
	}
	if f := result.Failure; f != nil && f.Kind == governed.NotLent {
		s.config.Logger.Error("nothing could be lent", "cid", id, "principal", who.principal, "cause", f.Cause)
	}
	return result
}
