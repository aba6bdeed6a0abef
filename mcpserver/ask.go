package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// maxShown bounds the arguments in a question, in bytes: what nobody reads to the
// end is not shown to the end, and the question says so.
const maxShown = 2000

// question is what a person is asked, and the state that comes back with the
// answer.
type question struct{ text, state string }

// reply is an answer to a question as a client reports it.
type reply struct {
	action string // accept, decline or cancel; anything else is no answer
	state  string
}

// asker is how the client of one call can put a question to a person. The zero
// asker cannot.
type asker struct {
	// now asks while the call waits, in the protocol with sessions.
	now func(ctx context.Context, text string) (action string, err error)
	// later reports whether the client repeats a call that was answered with a
	// question, in the protocol without sessions.
	later bool
	// reply is what a repeated call brings along.
	reply *reply
}

// outcome is what came of asking. Everything but approved means not run.
type outcome string

const (
	approved  outcome = "approved"
	declined  outcome = "declined"
	cancelled outcome = "cancelled"
	timedOut  outcome = "timeout"
	askFailed outcome = "ask-failed" // the client answered with an error, or with nothing
	pending   outcome = "pending"    // an operator may still answer
	cannotAsk outcome = "cannot-ask" // there is no desk
	twice     outcome = "asked-twice"
	tooMany   outcome = "too-many"  // questions are open already
	outdated  outcome = "outdated"  // the policy or the tool is another one than when the question was put
	notBound  outcome = "not-bound" // the answer is not to a question about this call
)

// why completes the sentence "The tool was not run: ...".
func (o outcome) why() string {
	switch o {
	case declined:
		return "a person declined"
	case cancelled:
		return "the person who was asked did not decide"
	case timedOut:
		return "nobody answered in time"
	case pending:
		return "it needs a person's approval, this client cannot ask one, and no operator has answered yet"
	case cannotAsk:
		return "it needs a person's approval, and nobody can be asked here"
	case twice:
		return "the same call waits for a person's approval already"
	case outdated:
		return "the operator's policy or the tool changed while the question was open"
	case tooMany:
		return "it needs a person's approval, and too many questions are open"
	case notBound:
		return "the approval is not for this call, or was used or expired"
	}
	return "asking a person failed"
}

// ruling is what came of asking about one call.
type ruling struct {
	outcome outcome
	entry   approve.Entry // the question; zero if there is none
}

// noted is the ruling as the record has it.
func (r ruling) noted() *audit.Approval {
	return &audit.Approval{ID: r.entry.ID, Outcome: string(r.outcome), By: r.entry.AnsweredBy()}
}

// advice is what a model is told to do about a call that was not run.
func (s *Server) advice(r ruling) string {
	if r.outcome != pending {
		return "Do not retry."
	}
	return fmt.Sprintf("Tell the person: approval %[1]s is open until %[2]s; \"glovebox approvals show %[1]s\" shows it and \"glovebox approvals approve %[1]s\" gives it. "+
		"After that the same call with the same arguments runs once, within %[3]s. Do not retry before the person says that it is approved.",
		r.entry.ID, r.entry.Expires.UTC().Format(time.RFC3339), s.config.Desk.Settings().Grant)
}

// approve puts the question about a call to a person. It returns the outcome, or
// the question that the client has to put. What an answer must fulfil is the same
// in both eras; only the way of the question differs.
func (s *Server) approve(ctx context.Context, tool *runtime.Tool, q request, decision string) (ruling, *question) {
	c := approve.Call{Principal: q.principal, Tool: tool.Hash(), Arguments: risk.HashArguments(q.arguments), Policy: s.standing(tool)}
	if s.config.Desk == nil {
		return ruling{outcome: cannotAsk}, nil
	}
	client := q.asker()
	if client.reply != nil {
		return s.answered(ctx, q, c, *client.reply), nil
	}
	if r := s.granted(ctx, q, c); r.outcome != notBound {
		return r, nil
	}
	times := s.config.Desk.Settings()
	shown := tool.Cleaned(q.arguments)
	asked := approve.Question{Call: c, Tool: tool.Spec().Name(), Level: tool.Level(), Arguments: shortened(shown), Text: questionText(tool, shown), Valid: times.Answer}
	canAsk := client.now != nil || client.later
	if !canAsk {
		asked.Valid = times.Inbox
	}
	entry, state, err := s.config.Desk.Ask(ctx, asked)
	switch {
	case errors.Is(err, approve.ErrTooMany):
		return ruling{outcome: tooMany}, nil
	case errors.Is(err, approve.ErrDenied):
		return ruling{declined, entry}, nil
	case err != nil:
		s.config.Logger.Error("no question can be put", "cid", q.id, "tool", asked.Tool, "cause", err)
		return ruling{outcome: askFailed}, nil
	}
	if !client.later {
		// Of identical calls a yes runs one, so the others need not wait, and the person
		// sees the question once.
		done, first := s.claim(entry.ID)
		if !first {
			return ruling{twice, entry}, nil
		}
		defer done()
	}
	in := runtime.Invocation{ID: q.id, Arguments: q.arguments, Caller: q.principal, Decision: decision, Approval: &audit.Approval{ID: entry.ID, Outcome: string(entry.State)}}
	if err := tool.RecordAsked(in); err != nil {
		s.config.Logger.Error("no question is put that cannot be recorded", "cid", q.id, "cause", err)
		return ruling{askFailed, entry}, nil
	}
	q.seen.Asked()
	if client.later {
		return ruling{}, &question{text: asked.Text, state: state}
	}
	if !canAsk {
		return s.stillApproved(tool, c, s.askOperator(ctx, q, c, entry, times.Wait)), nil
	}
	return s.stillApproved(tool, c, s.askNow(ctx, q, c, entry, question{text: asked.Text, state: state}, client.now)), nil
}

// stillApproved takes a yes back that was given after what it was about had
// changed.
func (s *Server) stillApproved(tool *runtime.Tool, c approve.Call, r ruling) ruling {
	if r.outcome == approved && !s.stands(tool, c.Policy) {
		r.outcome = outdated
	}
	return r
}

// claim notes that a call waits for the answer to a question, until done is
// called. first is false if another call does.
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

// askOperator waits for an operator's answer. The question stays open after that,
// also when the call is cancelled: clients give up waiting before people do.
func (s *Server) askOperator(ctx context.Context, q request, c approve.Call, open approve.Entry, wait time.Duration) ruling {
	staying, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	defer context.AfterFunc(s.staying, func() { leave(errStopped) })()
	waiting, cancel := context.WithTimeout(staying, wait)
	defer cancel()
	s.config.Logger.Warn("a call waits for an operator", "cid", q.id, "approval", open.ID, "tool", open.Tool, "principal", open.Principal)
	e, err := s.config.Desk.Wait(waiting, c.Principal, open.ID)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, errStopped): // the question survives the server
		return ruling{pending, open}
	case ctx.Err() != nil:
		return ruling{cancelled, open}
	case err != nil:
		s.config.Logger.Error("waiting for an operator failed", "cid", q.id, "approval", open.ID, "cause", err)
		return ruling{askFailed, open}
	}
	return s.operatorSaid(ctx, q, c, e)
}

// askNow asks the client while the call waits. An operator may answer as well,
// and whoever is first counts.
func (s *Server) askNow(ctx context.Context, q request, c approve.Call, open approve.Entry, put question, ask func(context.Context, string) (string, error)) ruling {
	waiting, cancel := context.WithTimeout(ctx, s.config.Desk.Settings().Answer)
	defer cancel()
	operator := make(chan approve.Entry, 1)
	go func() {
		if e, err := s.config.Desk.Wait(waiting, c.Principal, open.ID); err == nil {
			operator <- e
			cancel() // the client takes its question back
		}
	}()
	action, err := ask(waiting, put.text)
	if err != nil {
		select {
		case e := <-operator:
			return s.operatorSaid(ctx, q, c, e)
		default:
		}
	}
	switch {
	case errors.Is(waiting.Err(), context.DeadlineExceeded):
		action = actionExpired
	case ctx.Err() != nil: // the call is over, so nobody decides any more
		action = "cancel"
	case err != nil:
		s.config.Logger.Warn("asking failed", "cid", q.id, "tool", open.Tool, "cause", err)
		action = "" // closes the question
	}
	// Also for a call that was cancelled: nobody will answer its question.
	return s.answered(context.WithoutCancel(ctx), q, c, reply{action: action, state: put.state})
}

// granted uses the yes that an operator has given to the same call; without one the
// outcome is notBound.
func (s *Server) granted(ctx context.Context, q request, c approve.Call) ruling {
	e, granted, err := s.config.Desk.Use(ctx, c)
	switch {
	case err != nil:
		s.config.Logger.Error("no approval can be used", "cid", q.id, "principal", c.Principal, "cause", err)
		return ruling{askFailed, e}
	case granted:
		return ruling{approved, e}
	}
	return ruling{notBound, e}
}

// operatorSaid takes an answer that did not come from the client.
func (s *Server) operatorSaid(ctx context.Context, q request, c approve.Call, e approve.Entry) ruling {
	switch e.State {
	case approve.Approved:
		return s.granted(ctx, q, c)
	case approve.Denied:
		return ruling{declined, e}
	case approve.Expired:
		return ruling{timedOut, e}
	}
	return ruling{notBound, e} // an identical call was faster
}

// actionExpired stands for the answer that did not come in time.
const actionExpired = "expired"

// answers are what clients answer, as the desk knows it and as a call ends.
var answers = map[string]struct {
	state approve.State
	came  outcome
}{
	"accept":      {approve.Approved, approved},
	"decline":     {approve.Denied, declined},
	"cancel":      {approve.Cancelled, cancelled},
	actionExpired: {approve.Expired, timedOut},
}

// answered takes a client's reply, which closes the question whatever it says.
func (s *Server) answered(ctx context.Context, q request, c approve.Call, r reply) ruling {
	answer, known := answers[r.action]
	if !known {
		answer.state, answer.came = approve.Failed, askFailed
	}
	e, err := s.config.Desk.Redeem(ctx, r.state, c, answer.state)
	switch {
	case err == nil:
		return ruling{answer.came, e}
	case errors.Is(err, approve.ErrDenied):
		return ruling{declined, e}
	case errors.Is(err, approve.ErrExpired) && answer.came == timedOut:
		return ruling{timedOut, e}
	}
	s.config.Logger.Warn("an approval does not count", "cid", q.id, "principal", c.Principal, "cause", err)
	return ruling{notBound, e}
}

// defaultPrompt is asked when a spec has no question of its own.
const defaultPrompt = "Run the tool '{toolName}' with the arguments {args}?"

// questionText is what the person reads. The level goes first, where no template
// can put it elsewhere, and characters that nobody sees are spelled out.
func questionText(tool *runtime.Tool, cleaned json.RawMessage) string {
	template := tool.Spec().HumanInTheLoop().PromptTemplate
	if strings.TrimSpace(template) == "" {
		template = defaultPrompt
	}
	var compact bytes.Buffer // without line breaks that push the rest out of sight
	if err := json.Compact(&compact, cleaned); err != nil {
		compact.Write(cleaned)
	}
	shown := cmp.Or(compact.String(), "{}")
	if rest := len(shown) - maxShown; rest > 0 {
		shown = fmt.Sprintf("%s... (%d more bytes that are not shown)", strings.ToValidUTF8(shown[:maxShown], ""), rest)
	}
	// One pass: a placeholder in the arguments stays what it is.
	text := strings.NewReplacer("{toolName}", tool.Spec().Name(), "{args}", shown).Replace(template)
	return fmt.Sprintf("[risk %s %s] %s", tool.Level(), tool.Level().Label(), spelled(text))
}

// spelled writes characters that nobody sees, or that change the direction of
// reading, as their numbers.
func spelled(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || unicode.IsGraphic(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// shortened are arguments as an operator sees them: JSON, or the beginning of it as
// a string.
func shortened(cleaned json.RawMessage) json.RawMessage {
	if len(cleaned) <= maxShown {
		return cleaned
	}
	text, err := json.Marshal(fmt.Sprintf("%s... (%d more bytes that are not shown)", strings.ToValidUTF8(string(cleaned[:maxShown]), ""), len(cleaned)-maxShown))
	if err != nil {
		return nil
	}
	return text
}
