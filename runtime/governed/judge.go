package governed

import (
	"time"

	"github.com/glovebox-run/glovebox/risk"
)

// Judge decides whether a call may run. It must be safe for concurrent use, and any
// failure of its own must yield [risk.Deny].
type Judge interface {
	Judge(Case) Judgement
}

// Case is a call as a judge sees it.
type Case struct {
	Tool      *About
	Caller    string // the principal
	Arguments risk.ArgumentsHash
}

// Judgement is a judge's decision. The zero Judgement denies.
type Judgement struct {
	Verdict risk.Verdict
	// Reason is one sentence for the person who is asked or refused.
	Reason string
	// Advice tells a model what to do about a denial; empty means do not retry.
	Advice string
	// Standing is what an approval of this call is bound to: once the judge would return
	// another value, the approval no longer counts.
	Standing string
	// Words is the wording for the record; empty means verdict and reason.
	Words string
	Cause error // private
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
