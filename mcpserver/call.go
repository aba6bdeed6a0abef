package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/admission"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// clearanceTime is how long a clearance holds: it is checked right after it is
// made, so this only has to outlast a busy scheduler.
const clearanceTime = time.Minute

// request is one tools/call without anything of the SDK.
type request struct {
	id        string // correlates the record with what else is said of the call
	arguments []byte // as they arrived
	peer             // who calls
	// asker is how a person can be asked; finding out costs, and most calls ask
	// nobody.
	asker func() asker
	seen  *telemetry.Call
}

// answer is what a client gets. Either bug is set, or question, or text.
type answer struct {
	text    string
	value   json.RawMessage // what text says, as JSON; nil when it says nothing more
	isError bool
	// bug is the reference of a defect of ours, which is the protocol's to report
	// and not the tool's.
	bug string
	// question is what the client has to put to a person before it repeats the
	// call.
	question *question
}

func refused(text string) answer { return answer{text: text, isError: true} }

// call judges one call, runs it if it may run, and answers. It is recorded
// either way.
func (s *Server) call(ctx context.Context, tool *runtime.Tool, q request) answer {
	if err := s.count(q); err != nil {
		q.seen.Ended(telemetry.Throttled, string(admission.TooFast))
		return refused(fmt.Sprintf("The tool %q was not run: %v.", tool.Spec().Name(), err))
	}
	leave, err := s.enter()
	if err != nil {
		q.seen.Ended(telemetry.Unavailable, "stopping")
		return refused(fmt.Sprintf("The tool %q was not run: the server is stopping. Try again later.", tool.Spec().Name()))
	}
	defer leave()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(errStopped) })()

	if lacks := q.lacks(tool.Spec().Name(), tool.Level()); len(lacks) > 0 {
		why := "the access token lacks the scope " + strings.Join(lacks, " ")
		return s.run(ctx, tool, q, judged{told: "deny: " + why, why: why, advice: "Do not retry with this token."})
	}
	verdict, reason := s.rules.Load().policy.Judge(tool.Spec().Name(), tool.Level(), tool.Spec().HumanInTheLoop().Mode)
	decision := tool.Decide(verdict, reason, q.arguments)
	j := judged{told: verdict.String() + ": " + reason, why: reason, advice: "Do not retry."}
	j.clearance = decision.Clear(time.Now().Add(clearanceTime))
	if verdict == risk.Ask {
		began := time.Now()
		came, open := s.approve(ctx, tool, q, j.told)
		if open != nil {
			q.seen.Returned()
			return answer{question: open}
		}
		q.seen.Answered(string(came.outcome), time.Since(began))
		j.approval = came.noted()
		j.told, j.why, j.advice = j.told+"; "+string(came.outcome), came.outcome.why(), s.advice(came)
		if came.outcome == approved {
			j.clearance = decision.Approve(time.Now().Add(clearanceTime))
		}
	}
	return s.run(ctx, tool, q, j)
}

// judged is a call with all that was decided about it.
type judged struct {
	clearance risk.Clearance // none: the runtime refuses the call and writes that down
	approval  *audit.Approval
	told      string // the decision as the record has it
	why       string // it was not run, for the model
	advice    string // and what to do about it
}

// run invokes the tool.
func (s *Server) run(ctx context.Context, tool *runtime.Tool, q request, j judged) answer {
	began := time.Now()
	free, err := s.gate.Slot(ctx, q.principal)
	q.seen.Queued(time.Since(began))
	if refusal := (*admission.Refusal)(nil); errors.As(err, &refusal) {
		q.seen.Ended(telemetry.Throttled, string(refusal.Reason))
		return refused(fmt.Sprintf("The tool %q was not run: %v.", tool.Spec().Name(), refusal))
	} else if err != nil {
		q.seen.Ended(telemetry.Cancelled, "waiting")
		return refused(fmt.Sprintf("The tool %q was not run: the call was cancelled while it waited.", tool.Spec().Name()))
	}
	defer free()
	in := s.rules.Load().base
	in.Arguments, in.Caller, in.Clearance, in.Decision = q.arguments, q.principal, j.clearance, j.told
	in.ID, in.Approval = q.id, j.approval
	if s.config.Lend != nil {
		done, err := s.config.Lend(&in)
		if err != nil {
			s.config.Logger.Error("nothing could be lent", "cid", q.id, "principal", q.principal, "cause", err)
			j.why, j.advice = "its workspace cannot be opened", "Only the operator can change that."
			in.Clearance, in.Decision = risk.Clearance{}, j.told+"; not lent" // refused, and on record
			defer q.seen.Ended(telemetry.Unavailable, "workspace")
		} else {
			defer done()
		}
	}
	result := tool.Call(ctx, in)
	q.seen.Ran(result)
	f := result.Failure
	switch {
	case f == nil:
		return answer{text: tool.Text(result), value: result.Value}
	case f.Kind == runtime.NotCleared:
		return refused(fmt.Sprintf("The tool %q was not run: %s. %s", tool.Spec().Name(), j.why, j.advice))
	case f.Kind == runtime.Internal:
		s.config.Logger.Error("a defect of ours", "cid", q.id, "tool", tool.Spec().Name(), "cause", f.Cause)
		return answer{bug: result.ID}
	}
	return refused(failureText(tool.Spec().Name(), f, result.ID))
}
