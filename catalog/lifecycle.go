package catalog

import "fmt"

// State says whether a tool may be published. The zero value is Draft, which
// never is.
type State uint8

const (
	Draft               State = iota // being written, edited, or never passed
	MissingRequirements              // a variable that the tool needs is not set
	TestFailed                       // reserved by the specification; no computation returns it
	Active                           // published
)

var stateNames = [...]string{"DRAFT", "MISSING_REQUIREMENTS", "TEST_FAILED", "ACTIVE"}

// String returns the state as the specification spells it.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// Published reports whether a tool in this state is offered to models.
func (s State) Published() bool { return s == Active }

// State computes the state from current values, so unsetting a variable withdraws
// the tool at its next call. passed says whether there is a record of a Local Pass
// for this [Spec.Hash]; a file's own draft flag alone publishes nothing. A nil
// spec is a draft.
func (s *Spec) State(passed bool, lookup Lookup) State {
	if s == nil || s.draft || !passed {
		return Draft
	}
	for _, name := range s.Requirements() {
		if _, ok := lookup.find(name); !ok {
			return MissingRequirements
		}
	}
	return Active
}

// AfterEdit returns next as it has to be stored when it replaces previous. It
// becomes a draft again if what the tool is or may do changed, because the Local
// Pass was earned by the previous version.
func AfterEdit(previous, next *Spec) (*Spec, Problems) {
	if next.draft || previous.hash == next.hash {
		return next, nil
	}
	return next.With("draft", true)
}
