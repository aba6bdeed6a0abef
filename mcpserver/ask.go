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
)

// answerTime is how long a person has: longer than it takes to read a question,
// shorter than clients wait for a call.
const answerTime = 2 * time.Minute

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
	cannotAsk outcome = "cannot-ask" // the client has no way to ask
	tooMany   outcome = "too-many"   // questions are open already
	notBound  outcome = "not-bound"  // the answer is not to a question about this call
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
	case cannotAsk:
		return "it needs a person's approval, and this client cannot ask one"
	case tooMany:
		return "it needs a person's approval, and too many questions are open"
	case notBound:
		return "the approval is not for this call, or was used or expired"
	}
	return "asking a person failed"
}

// approve puts the question about a call to a person. It returns the outcome, or
// the question that the client has to put. What an answer must fulfil is the same
// in both eras; only the way of the question differs.
func (s *Server) approve(ctx context.Context, tool *runtime.Tool, q request) (outcome, *question) {
	c := approve.Call{Principal: q.caller, Tool: tool.Hash(), Arguments: risk.HashArguments(q.arguments), Policy: s.config.Policy.String()}
	client := q.asker()
	if client.reply != nil {
		return s.answered(c, *client.reply), nil
	}
	if client.now == nil && !client.later {
		return cannotAsk, nil
	}
	state, err := s.desk.Ask(c)
	if err != nil {
		return tooMany, nil
	}
	text := questionText(tool, q.arguments)
	if client.now == nil {
		return "", &question{text: text, state: state}
	}
	waiting, cancel := context.WithTimeout(ctx, s.desk.Valid())
	defer cancel()
	action, err := client.now(waiting, text)
	switch {
	case errors.Is(waiting.Err(), context.DeadlineExceeded):
		return timedOut, nil
	case err != nil:
		s.config.Logger.Warn("asking failed", "tool", tool.Spec().Name(), "cause", err)
		action = "" // closes the question
	}
	return s.answered(c, reply{action: action, state: state}), nil
}

// answered takes a reply, which closes the question whatever it says.
func (s *Server) answered(c approve.Call, r reply) outcome {
	if err := s.desk.Redeem(r.state, c); err != nil {
		s.config.Logger.Warn("an approval does not count", "principal", c.Principal, "cause", err)
		return notBound
	}
	switch r.action {
	case "accept":
		return approved
	case "decline":
		return declined
	case "cancel":
		return cancelled
	}
	return askFailed
}

// defaultPrompt is asked when a spec has no question of its own.
const defaultPrompt = "Run the tool '{toolName}' with the arguments {args}?"

// questionText is what the person reads. The level goes first, where no template
// can put it elsewhere, and characters that nobody sees are spelled out.
func questionText(tool *runtime.Tool, arguments []byte) string {
	template := tool.Spec().HumanInTheLoop().PromptTemplate
	if strings.TrimSpace(template) == "" {
		template = defaultPrompt
	}
	var compact bytes.Buffer // without line breaks that push the rest out of sight
	if err := json.Compact(&compact, arguments); err != nil {
		compact.Write(arguments) // no JSON; the runtime will say so
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
