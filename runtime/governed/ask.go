package governed

import (
	"context"
	"encoding/json"

	"github.com/glovebox-run/glovebox/risk"
)

// Approver puts questions to a person.
type Approver interface {
	// Approve asks about one call and waits for what comes of it.
	Approve(ctx context.Context, q Question) Ruling
}

// Question is a call that needs a person's yes.
type Question struct {
	ID        string // of the call
	Caller    string
	Tool      *About
	Arguments risk.ArgumentsHash
	// Standing is what the yes is bound to beside the call itself.
	Standing string
	// Text is what the person reads. Both it and Shown, the arguments as JSON, are
	// cleaned of secrets and bounded.
	Text  string
	Shown json.RawMessage
	// Asked records that the question was opened under an id, in a state. It must
	// succeed before anybody sees the question.
	Asked func(id, state string) error
}

// Outcome is what came of asking. Everything but [Approved] means not run.
type Outcome string

const (
	Approved     Outcome = "approved"
	Declined     Outcome = "declined"
	AskCancelled Outcome = "cancelled"
	AskTimedOut  Outcome = "timeout"
	AskFailed    Outcome = "ask-failed" // the client answered with an error, or with nothing
	Pending      Outcome = "pending"    // an operator may still answer
	CannotAsk    Outcome = "cannot-ask" // there is nobody to ask
	AskedTwice   Outcome = "asked-twice"
	TooManyAsked Outcome = "too-many"  // questions are open already
	Outdated     Outcome = "outdated"  // policy or tool changed after the question was put
	NotBound     Outcome = "not-bound" // the answer is not to a question about this call
	ToBeAnswered Outcome = "asked"     // the caller puts the question and repeats the call
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

// Ruling is what came of asking about one call.
type Ruling struct {
	Outcome Outcome
	ID      string // of the question, if one was put
	By      string // who answered
	// Advice is what a model is told to do about a call that was not run; empty
	// means not to retry.
	Advice string
	// Put is the question that the caller has to put, with [ToBeAnswered].
	Put *Put
	// Redeem spends an [Approved] ruling right before the call runs, and returns
	// what it was worth. Until then the yes stands and counts for a repetition of
	// the call. nil: there is nothing to spend.
	Redeem func(context.Context) Ruling
}

// Put is a question that travels through the caller.
type Put struct {
	Text  string
	State string // comes back with the answer
}
