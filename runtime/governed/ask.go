package governed

import (
	"context"
	"encoding/json"

	"github.com/glovebox-run/glovebox/risk"
)

// Approver asks a person for approval.
type Approver interface {
	// Approve asks about one call and waits for the outcome.
	Approve(ctx context.Context, q Question) Ruling
}

// Question is a call that needs a person's approval.
type Question struct {
	ID        string // of the call
	Caller    string
	Client    string // what its program calls itself
	Tool      *About
	Arguments risk.ArgumentsHash
	// Standing is what the approval is bound to besides the call itself.
	Standing string
	// Text is what the person reads. Both it and Shown, the arguments as JSON, are
	// cleaned of secrets and bounded in size.
	Text  string
	Shown json.RawMessage
	// Rest is what a yes may also be for; see [Judgement].
	Rest string
	// Asked records that the question was opened under an id, in a state. It must
	// succeed before anyone sees the question.
	Asked func(id, state string) error
}

// Outcome is the result of asking. Only [Approved] lets the call run.
type Outcome string

const (
	Approved     Outcome = "approved"
	Declined     Outcome = "declined"
	AskCancelled Outcome = "cancelled"
	AskTimedOut  Outcome = "timeout"
	AskFailed    Outcome = "ask-failed" // the client answered with an error or not at all
	Pending      Outcome = "pending"    // an operator may still answer
	CannotAsk    Outcome = "cannot-ask" // there is nobody to ask
	AskedTwice   Outcome = "asked-twice"
	TooManyAsked Outcome = "too-many"  // questions are open already
	Outdated     Outcome = "outdated"  // policy or tool changed after the question was asked
	NotBound     Outcome = "not-bound" // the answer does not belong to a question about this call
	ToBeAnswered Outcome = "asked"     // the caller asks the question and repeats the call
)

// Why completes the sentence "The tool was not run: ...".
func (o Outcome) Why() string {
	switch o {
	case Declined:
		return "a person declined"
	case AskCancelled:
		return "the person who was asked did not decide"
	case AskTimedOut:
		return "nobody answered in time"
	case Pending:
		return "it needs a person's approval, this client cannot ask one, and no operator has answered yet"
	case CannotAsk:
		return "it needs a person's approval, and nobody can be asked here"
	case AskedTwice:
		return "the same call waits for a person's approval already"
	case Outdated:
		return "the operator's policy or the tool changed while the question was open"
	case TooManyAsked:
		return "it needs a person's approval, and too many questions are open"
	case NotBound:
		return "the approval is not for this call, or was used or expired"
	}
	return "asking a person failed"
}

// Ruling is the result of asking about one call.
type Ruling struct {
	Outcome Outcome
	ID      string // of the question, if one was asked
	By      string // the person who answered
	Rest    bool   // the yes is also for what the question offered beside the call
	// Advice tells a model what to do about a call that was not run; empty means
	// do not retry.
	Advice string
	// Put is the question the caller has to ask, with [ToBeAnswered].
	Put *Put
	// Redeem spends an [Approved] ruling right before the call runs, and returns the
	// outcome. Until then the approval stands and also covers a repetition of the
	// call. nil means there is nothing to spend.
	Redeem func(context.Context) Ruling
}

// Put is a question that the caller carries to the person.
type Put struct {
	Text  string
	Rest  string // likewise; see [Question]
	State string // comes back with the answer
}
