package mcpserver

import (
	"context"
	"encoding/json"
	"runtime/debug"

	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Trial is a call that a person makes without an MCP client. It takes the way of every
// other call: the same limits, judge, questions and record, with the person as the caller.
type Trial struct {
	By        string // the person
	Tool      governed.Tool
	Arguments []byte
}

// Tried is what came of a trial.
type Tried struct {
	*governed.Result
	// Question is the id of the question that has to be answered before the same call
	// runs; empty if there is none. A trial does not wait for the answer.
	Question string
}

// Try makes a trial of an offered tool.
func (s *Server) Try(ctx context.Context, t Trial) (tried Tried) {
	defer s.answering()()
	id := governed.NewID()
	v, tool := s.offerOf(t.Tool)
	if tool == nil {
		return Tried{Result: &governed.Result{ID: id, Output: governed.Output{Failure: &governed.Failure{Kind: governed.NotCleared, Message: "it is no longer offered", Advice: "Look at the tool again."}}}}
	}
	seen := tool.observed.Begin(id, telemetry.Origin{Transport: "console"})
	defer seen.End()
	defer func() {
		if p := recover(); p != nil {
			s.config.Logger.Error("call.defect", "cid", id, "tool", t.Tool.About().Name, "cause", p, "stack", string(debug.Stack()))
			tried.Result = &governed.Result{ID: id, Output: governed.Output{Failure: &governed.Failure{Kind: governed.Internal, Message: "the call failed"}}}
		}
	}()
	asks := &rememberer{Approver: &desk{Server: s, client: func() asker { return asker{leaves: true} }, seen: seen}}
	tried.Result = s.calls.Do(ctx, governed.Request{ID: id, Tool: t.Tool, Arguments: t.Arguments, Caller: t.By, Approver: asks, Published: &v.published})
	seen.Ended(tried.Result)
	if tried.Approval == governed.Pending || tried.Approval == governed.AskedTwice {
		tried.Question = asks.id
	}
	return tried
}

// offerOf returns the view that offers a tool, and the offer.
func (s *Server) offerOf(tool governed.Tool) (*view, *offer) {
	for _, v := range s.content.all() {
		if o := v.shown.Load().tools[tool.About().Name]; o != nil && o.Tool == tool {
			return v, o
		}
	}
	return nil, nil
}

// rememberer keeps the id of the question that was asked.
type rememberer struct {
	governed.Approver
	id string
}

func (r *rememberer) Approve(ctx context.Context, q governed.Question) governed.Ruling {
	ruling := r.Approver.Approve(ctx, q)
	r.id = ruling.ID
	return ruling
}

// Definition returns an offered tool as clients get it.
func (s *Server) Definition(tool governed.Tool) (json.RawMessage, error) {
	if verbatim, ok := tool.(governed.Verbatim); ok {
		return verbatim.Listed(), nil
	}
	return json.Marshal(listed(tool))
}
