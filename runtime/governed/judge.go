package governed

import (
	"encoding/json"
	"time"

	"github.com/glovebox-run/glovebox/risk"
)

// Judge decides whether a call may run. It must be safe for concurrent use, and any
// failure of its own must yield [risk.Deny].
type Judge interface {
	Judge(Case) Judgement
}

// Witness is a judge that also sees what comes of the calls, to judge later ones by it.
type Witness interface {
	Judge
	// Saw is told what the caller is about to get of a call that was run. It returns what
	// goes into the record. The result is withheld after an error: nobody may learn
	// anything that the witness does not know of.
	Saw(Seen) (json.RawMessage, error)
}

// Seen is what came of a call.
type Seen struct {
	Case
	// Value is what the caller gets, cleaned; Raw what the tool returned. Failure is the
	// text that the caller gets in the place of a value.
	Value, Raw json.RawMessage
	Failure    string
	Redacted   bool // credentials were taken out of it
	// Judged is the record of the judgement under which the call ran. Approved says that
	// a person approved the call, Rest that the yes is for the rest of the task as well,
	// and By who it was, if that is known.
	Judged         json.RawMessage
	Approved, Rest bool
	By             string
}

// Case is a call as a judge sees it.
type Case struct {
	ID        string // correlation id
	Tool      *About
	Called    Tool   // what is about to be called; About is its own
	Caller    string // the principal
	Endpoint  string // where the tool was found: see [Request]
	Arguments risk.ArgumentsHash
	Values    json.RawMessage // the arguments, checked
	// Secrets are the names of the arguments that hold what looks like a credential; only
	// a [Witness] is told.
	Secrets []string
}

// Judgement is a judge's decision. The zero Judgement denies.
type Judgement struct {
	Verdict risk.Verdict
	// Reason is one sentence for the person who is asked or refused.
	Reason string
	// Details are further lines for a person who is asked.
	Details []string
	// Advice tells a model what to do about a denial; empty means do not retry.
	Advice string
	// Rest says in one line what a person may allow together with this call for the rest
	// of the task; empty offers nothing but this call.
	Rest string
	// Standing is what an approval of this call is bound to: once the judge would return
	// another value, the approval no longer counts.
	Standing string
	// Words is the wording for the record; empty means verdict and reason.
	Words string
	// Record is what the decision rests on, as JSON for the record; nil for none.
	Record json.RawMessage
	Cause  error // private
}

func (j Judgement) words() string {
	if j.Words != "" {
		return j.Words
	}
	return j.Verdict.String() + ": " + j.Reason
}

// ByLevel judges by the operator's policy for levels.
type ByLevel struct{ Policy risk.LevelPolicy }

// Judge implements [Judge].
func (b ByLevel) Judge(c Case) Judgement {
	verdict, reason := b.Policy.Judge(c.Tool.Ref(), c.Tool.Level, c.Tool.Approval.Mode)
	if verdict == risk.Allow && c.Tool.AlwaysAsked {
		verdict, reason = risk.Ask, "the operator offers this tool with a person's approval of each call"
	}
	return Judgement{Verdict: verdict, Reason: reason, Standing: b.Policy.String()}
}

// ByClearance runs calls that were cleared elsewhere: by a Go host that decides for
// itself, or an operator at the terminal.
type ByClearance struct {
	Clearance risk.Clearance
	Words     string // the decision, for the record
}

// Judge implements [Judge].
func (b ByClearance) Judge(c Case) Judgement {
	if err := b.Clearance.Check(c.Tool.Hash, c.Arguments, time.Now()); err != nil {
		return Judgement{Reason: "the call was not cleared", Words: b.Words, Cause: err}
	}
	return Judgement{Verdict: risk.Allow, Words: b.Words}
}
