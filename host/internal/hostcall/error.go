package hostcall

import (
	"encoding/json"
	"fmt"
)

// Kind says what caused a failed call.
type Kind string

const (
	Security     Kind = "SECURITY"       // the call reached for something that was not granted
	InvalidInput Kind = "INVALID_INPUT"  // the arguments are not valid
	Runtime      Kind = "HELPER_RUNTIME" // the call was valid and failed
)

// Error is a failed host call as the guest sees it: an Error with these
// properties, which it can catch. The text says what was refused, never whether
// the refused thing exists.
type Error struct {
	Kind    Kind
	Helper  string // "safety.fs", "fetch"
	Reason  string // a stable word
	Message string // for people; may quote what the guest itself passed
	// Line and Column are the place in a text that was parsed, from 1; 0 is unknown.
	Line, Column int
}

// Errorf makes an Error with a formatted message.
func Errorf(kind Kind, helper, reason, format string, args ...any) *Error {
	return &Error{Kind: kind, Helper: helper, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Error returns the marker, which tools and tests look for, and the message.
func (e *Error) Error() string {
	marker := fmt.Sprintf("[%s] %s: %s%s", e.Kind, e.Helper, e.Reason, e.Place())
	if e.Message == "" {
		return marker
	}
	return marker + ": " + e.Message
}

// Place is " line:column" as far as they are known.
func (e *Error) Place() string {
	switch {
	case e.Line == 0:
		return ""
	case e.Column == 0:
		return fmt.Sprintf(" %d", e.Line)
	}
	return fmt.Sprintf(" %d:%d", e.Line, e.Column)
}

// GuestError returns the error as a JSON object for the guest.
func (e *Error) GuestError() []byte {
	text, err := json.Marshal(struct {
		Kind    Kind   `json:"kind"`
		Helper  string `json:"helper"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
		Line    int    `json:"line,omitempty"`
		Column  int    `json:"column,omitempty"`
	}{e.Kind, e.Helper, e.Reason, e.Error(), e.Line, e.Column})
	if err != nil { // strings and numbers always marshal
		panic(err)
	}
	return text
}
