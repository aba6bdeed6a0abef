package governed

import (
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/risk/egress"
)

// Result is what came of a call. Everything in it is cleaned of secrets, except
// the private cause of its failure.
type Result struct {
	// ID is the correlation id: the audit record of this call has it.
	ID string
	Output
	// Warnings are arguments that no parameter declares.
	Warnings catalog.Problems
	// Redactions are what the sanitiser found in all of it.
	Redactions []egress.Finding
	// Question is set when the call did not run because the caller has to put it to
	// a person first.
	Question *Put `json:"-"`
	// Approval is what came of asking a person; empty if nobody had to be asked.
	Approval Outcome `json:"-"`
	// Asking, Queued and Recording are how long the call waited for a person, for a
	// slot, and for its record.
	Asking, Queued, Recording time.Duration `json:"-"`
	// Ran reports whether the tool was called at all.
	Ran bool `json:"-"`
}
