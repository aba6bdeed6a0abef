package governed

import (
	"encoding/json"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/risk/egress"
)

// Result is the result of a call. Everything in it is cleaned of secrets, except the
// private cause of its failure.
type Result struct {
	// ID is the correlation id, which the audit record of this call also carries.
	ID string
	Output
	// Warnings are arguments that no parameter declares.
	Warnings catalog.Problems
	// Redactions are what the sanitiser removed from the whole result.
	Redactions []egress.Finding
	// Question is set when the call did not run because the caller has to ask a person
	// first.
	Question *Put `json:"-"`
	// Approval is the outcome of asking a person; empty if nobody had to be asked.
	Approval Outcome `json:"-"`
	// Asking, Queued and Recording are how long the call waited for a person, for a
	// slot, and for its record.
	Asking, Queued, Recording time.Duration `json:"-"`
	// Judged is the judge's verdict, empty for a call that was refused before, and Flow
	// what the judge put on record about it.
	Judged string          `json:"-"`
	Flow   json.RawMessage `json:"-"`
	// Ran reports whether the tool was called at all.
	Ran bool `json:"-"`
}
