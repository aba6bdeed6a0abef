package hostcall

import (
	"encoding/json"
	"fmt"
)

// Kind says whose doing a failed call is.
type Kind string

const (
	Security     Kind = "SECURITY"       // the call reached for something that was not granted
	InvalidInput Kind = "INVALID_INPUT"  // the call makes no sense as it was made
	Runtime      Kind = "HELPER_RUNTIME" // the call was in order and did not work
)

// Error is a failed host call as the guest sees it: an Error with these
// properties, which it can catch. The text says what was refused, never whether
// the refused thing exists.
type Error struct {
	Kind    Kind
	Helper  string // "safety.fs", "fetch"
	Reason  string // a stable word
	Message string // for people; may quote what the guest itself passed
}

// Errorf makes an Error with a formatted message.
func Errorf(kind Kind, helper, reason, format string, args ...any) *Error {
	return &Error{Kind: kind, Helper: helper, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Error returns the marker, which tools and tests look for, and the message.
func (e *Error) Error() string {
	marker := fmt.Sprintf("[%s] %s: %s", e.Kind, e.Helper, e.Reason)
	if e.Message == "" {
		return marker
	}
	return marker + ": " + e.Message
}

// GuestError returns the error as a JSON object for the guest.
func (e *Error) GuestError() []byte {
	text, err := json.Marshal(struct {
		Kind    Kind   `json:"kind"`
		Helper  string `json:"helper"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
	}{e.Kind, e.Helper, e.Reason, e.Error()})
	if err != nil { // four strings always marshal
		panic(err)
	}
	return text
}
