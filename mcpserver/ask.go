package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// reply is an answer to a question as a client reports it.
type reply struct {
	action string // accept, decline or cancel; anything else is no answer
	rest   bool   // an accept is for the rest of the task as well
	state  string
}

// asker is how the client of one call can ask a person. The zero asker cannot
// ask.
type asker struct {
	// now asks while the call waits, in the protocol with sessions.
	now func(context.Context, governed.Put) (reply, error)
	// later reports whether the client repeats a call that was answered with a
	// question, in the protocol without sessions.
	later bool
	// leaves says that the call does not wait for an operator: it is made again after the
	// answer.
	leaves bool
	// reply is the answer that a repeated call carries.
	reply *reply
}

// desk asks about one call, through its client, an operator, or both; the first
// answer counts. Answers are checked alike in both protocol eras; only the way of
// asking differs.
type desk struct {
	*Server
	client func() asker
	seen   *telemetry.Call
	put    governed.Question
	call   approve.Call
}

// Approve implements [governed.Approver].
func (d *desk) Approve(ctx context.Context, q governed.Question) governed.Ruling {
	d.put, d.call = q, approve.Call{Principal: q.Caller, Tool: q.Tool.Hash, Arguments: q.Arguments, Policy: q.Standing}
	began := time.Now()
	ruling := d.ask(ctx)
	if ruling.Outcome != governed.ToBeAnswered {
		d.seen.Answered(string(ruling.Outcome), time.Since(began))
	}
	return ruling
}

func (d *desk) ask(ctx context.Context) governed.Ruling {
	if d.config.Desk == nil {
		return governed.Ruling{Outcome: governed.CannotAsk}
	}
	client := d.client()
	if client.reply != nil {
		return d.answered(ctx, *client.reply)
	}
	switch e, granted, err := d.config.Desk.Granted(ctx, d.call); {
	case err != nil:
		return d.failed("look up", e, err)
	case granted:
		return d.ruled(governed.Approved, e)
	}
	times := d.config.Desk.Settings()
	asked := approve.Question{Call: d.call, Client: d.put.Client, Source: d.put.Tool.Source, Tool: d.put.Tool.Name, Level: d.put.Tool.Level, Arguments: d.put.Shown, Text: d.put.Text, Rest: d.put.Rest, Valid: times.Answer}
	if asked.Level >= risk.L5 && times.People > 1 {
		asked.People, client.now, client.later = times.People, nil, false // the client is nobody in particular
	}
	canAsk := client.now != nil || client.later
	if !canAsk {
		asked.Valid = times.Inbox
	}
	entry, state, err := d.config.Desk.Ask(ctx, asked)
	switch {
	case errors.Is(err, approve.ErrTooMany):
		return governed.Ruling{Outcome: governed.TooManyAsked}
	case errors.Is(err, approve.ErrDenied):
		return d.ruled(governed.Declined, entry)
	case err != nil:
		return d.failed("put", approve.Entry{}, err)
	case entry.State == approve.Approved: // a moment ago
		return d.ruled(governed.Approved, entry)
	}
	if !client.later {
		// A yes runs only one of several identical calls, so the others do not wait, and
		// the person sees the question once.
		done, first := d.claim(entry.ID)
		if !first {
			return d.ruled(governed.AskedTwice, entry)
		}
		defer done()
	}
	if err := d.put.Asked(entry.ID, string(entry.State)); err != nil {
		return d.failed("record", entry, err)
	}
	d.seen.Asked()
	if client.later {
		return governed.Ruling{Outcome: governed.ToBeAnswered, ID: entry.ID, Put: &governed.Put{Text: asked.Text, Rest: asked.Rest, State: state}}
	}
	if client.leaves {
		return d.ruled(governed.Pending, entry)
	}
	if !canAsk {
		return d.askOperator(ctx, entry, times.Wait)
	}
	return d.askNow(ctx, entry, state, client.now)
}

// ruled returns the ruling on a question with this outcome.
func (d *desk) ruled(outcome governed.Outcome, e approve.Entry) governed.Ruling {
	r := governed.Ruling{Outcome: outcome, ID: e.ID, By: e.AnsweredBy(), Rest: e.ForRest}
	switch outcome {
	case governed.Approved:
		r.Redeem = d.redeem
	case governed.Declined:
		if reason := e.Reason(); reason != "" {
			r.Advice = "The person says: " + reason
		}
	case governed.Pending:
		r.Advice = fmt.Sprintf("Tell the person: approval %[1]s is open until %[2]s; \"glovebox approvals show %[1]s\" shows it and \"glovebox approvals approve %[1]s\" gives it. "+
			"After that the same call with the same arguments runs once, within %[3]s. Do not retry before the person says that it is approved.",
			e.ID, e.Expires.UTC().Format(time.RFC3339), d.config.Desk.Settings().Grant)
	}
	return r
}

func (d *desk) failed(step string, e approve.Entry, err error) governed.Ruling {
	if errors.Is(err, context.Canceled) { // cancelled by the client
		return d.ruled(governed.AskCancelled, e)
	}
	d.config.Logger.Error("approval.failed", "step", step, "cid", d.put.ID, "tool", d.put.Tool.Name, "principal", d.call.Principal, "cause", err)
	ruling := d.ruled(governed.AskFailed, e)
	var ofStore *store.Error
	switch {
	case errors.Is(err, store.Unreachable) || errors.Is(err, context.DeadlineExceeded):
		ruling.Advice = "The store of the approvals does not answer at the moment, which passes. The same call can be made again in a few seconds."
	case errors.As(err, &ofStore):
		ruling.Advice = "Questions cannot be kept at the moment. Only the operator can change that."
	}
	return ruling
}

// redeem spends a yes. It fails if an identical call spent it first or an operator
// revoked it.
func (d *desk) redeem(ctx context.Context) governed.Ruling {
	// The call has its slot, so the yes is spent even if the client disconnects now: a
	// spent yes must run or be on record.
	e, granted, err := d.config.Desk.Use(context.WithoutCancel(ctx), d.call)
	switch {
	case err != nil:
		return d.failed("use", e, err)
	case !granted:
		return d.ruled(governed.NotBound, e)
	}
	return d.ruled(governed.Approved, e)
}

// claim marks a question as awaited by a call until done is called. first is false
// if another call already waits for it.
func (s *Server) claim(id string) (done func(), first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asking[id] {
		return nil, false
	}
	s.asking[id] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asking, id)
	}, true
}

// askOperator waits for an operator's answer. The question stays open after a
// timeout or a cancelled call: clients give up waiting before people do.
func (d *desk) askOperator(ctx context.Context, open approve.Entry, wait time.Duration) governed.Ruling {
	staying, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	defer context.AfterFunc(d.staying, func() { leave(governed.ErrStopped) })()
	waiting, cancel := context.WithTimeout(staying, wait)
	defer cancel()
	d.config.Logger.Warn("approval.waiting", "cid", d.put.ID, "approval", open.ID, "tool", open.Tool, "principal", open.Principal)
	e, err := d.config.Desk.Wait(waiting, d.call.Principal, open.ID)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, governed.ErrStopped): // the question survives the server
		return d.ruled(governed.Pending, open)
	case ctx.Err() != nil:
		return d.ruled(governed.AskCancelled, open)
	case err != nil:
		return d.failed("wait", open, err)
	}
	return d.operatorSaid(e)
}

// askNow asks the client while the call waits. An operator may answer as well.
func (d *desk) askNow(ctx context.Context, open approve.Entry, state string, ask func(context.Context, governed.Put) (reply, error)) governed.Ruling {
	waiting, cancel := context.WithTimeout(ctx, d.config.Desk.Settings().Answer)
	defer cancel()
	operator := make(chan approve.Entry, 1)
	go func() {
		if e, err := d.config.Desk.Wait(waiting, d.call.Principal, open.ID); err == nil {
			operator <- e
			cancel() // the client takes its question back
		}
	}()
	said, err := ask(waiting, governed.Put{Text: d.put.Text, Rest: d.put.Rest})
	if err != nil {
		select {
		case e := <-operator:
			return d.operatorSaid(e)
		default:
		}
	}
	switch {
	case errors.Is(waiting.Err(), context.DeadlineExceeded):
		said = reply{action: actionExpired}
	case ctx.Err() != nil: // the call is over, so no decision is wanted
		said = reply{action: "cancel"}
	case err != nil:
		d.config.Logger.Warn("approval.not_asked", "cid", d.put.ID, "tool", open.Tool, "cause", err)
		said = reply{} // closes the question
	}
	// Cancelled calls are recorded too: their questions get no other answer.
	said.state = state
	return d.answered(context.WithoutCancel(ctx), said)
}

// operatorSaid turns an operator's answer into a ruling.
func (d *desk) operatorSaid(e approve.Entry) governed.Ruling {
	switch e.State {
	case approve.Approved:
		return d.ruled(governed.Approved, e)
	case approve.Denied:
		return d.ruled(governed.Declined, e)
	case approve.Expired:
		return d.ruled(governed.AskTimedOut, e)
	}
	return d.ruled(governed.NotBound, e) // an identical call spent it first
}

// actionExpired stands for an answer that timed out.
const actionExpired = "expired"

// outcomes maps a client's action to the desk's state and the call's outcome.
var outcomes = map[string]struct {
	state approve.State
	came  governed.Outcome
}{
	"accept":      {approve.Approved, governed.Approved},
	"decline":     {approve.Denied, governed.Declined},
	"cancel":      {approve.Cancelled, governed.AskCancelled},
	actionExpired: {approve.Expired, governed.AskTimedOut},
}

// answered takes a client's reply. Any reply but a yes, which still has to be spent,
// closes the question.
func (d *desk) answered(ctx context.Context, r reply) governed.Ruling {
	answer, known := outcomes[r.action]
	if !known {
		answer.state, answer.came = approve.Failed, governed.AskFailed
	}
	e, err := d.config.Desk.Answer(ctx, r.state, d.call, answer.state, r.rest)
	switch {
	case err == nil:
		return d.ruled(answer.came, e)
	case errors.Is(err, approve.ErrDenied):
		return d.ruled(governed.Declined, e)
	case errors.Is(err, approve.ErrExpired) && answer.came == governed.AskTimedOut:
		return d.ruled(governed.AskTimedOut, e)
	case !refused(err):
		return d.failed("keep", e, err)
	}
	d.config.Logger.Warn("approval.rejected", "cid", d.put.ID, "principal", d.call.Principal, "cause", err)
	return d.ruled(governed.NotBound, e)
}

// refused reports whether an error means that the answer was rejected, rather than
// that it could not be checked.
func refused(err error) bool {
	for _, no := range []error{approve.ErrForged, approve.ErrExpired, approve.ErrOtherCall, approve.ErrSpent, approve.ErrNoSuch} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}
