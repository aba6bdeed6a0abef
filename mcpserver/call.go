package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

// clearanceTime is how long a clearance holds: it is checked right after it is
// made, so this only has to outlast a busy scheduler.
const clearanceTime = time.Minute

// request is one tools/call without anything of the SDK.
type request struct {
	arguments []byte // as they arrived
	caller    string // who asks, for the record
}

// answer is what a client gets. Either bug is set, or text.
type answer struct {
	text    string
	value   json.RawMessage // what text says, as JSON; nil when it says nothing more
	isError bool
	// bug is the reference of a defect of ours, which is the protocol's to report
	// and not the tool's.
	bug string
}

func refused(text string) answer { return answer{text: text, isError: true} }

// call judges one call, runs it if it may run, and answers. It is recorded
// either way.
func (s *Server) call(ctx context.Context, tool *runtime.Tool, q request) answer {
	leave, err := s.enter(ctx)
	if err != nil {
		return refused(fmt.Sprintf("The tool %q was not run: the server is stopping. Try again later.", tool.Spec().Name()))
	}
	defer leave()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(errStopped) })()

	verdict, reason := s.config.Policy.Judge(tool.Level(), tool.Spec().HumanInTheLoop().Mode)
	decision := tool.Decide(verdict, reason, q.arguments)
	return s.run(ctx, tool, q, decision, decision.Clear(time.Now().Add(clearanceTime)))
}

// run invokes the tool with a clearance that may be none, in which case the
// runtime refuses the call and writes that down.
func (s *Server) run(ctx context.Context, tool *runtime.Tool, q request, decision risk.Decision, clearance risk.Clearance) answer {
	in := s.config.Base
	in.Arguments, in.Caller, in.Clearance = q.arguments, q.caller, clearance
	in.Decision = decision.Verdict().String() + ": " + decision.Reason()
	result := tool.Call(ctx, in)
	f := result.Failure
	switch {
	case f == nil:
		return answer{text: tool.Text(result), value: result.Value}
	case f.Kind == runtime.NotCleared:
		return refused(notRun(tool, decision))
	case f.Kind == runtime.Internal:
		s.config.Logger.Error("a defect of ours", "tool", tool.Spec().Name(), "reference", result.ID, "cause", f.Cause)
		return answer{bug: result.ID}
	}
	return refused(failureText(tool.Spec().Name(), f, result.ID))
}
