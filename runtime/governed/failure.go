package governed

import (
	"encoding/json"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/jsengine"
)

// Kind says why a call failed: one of the engine's kinds, or one of those below for a
// call that never reached the engine.
type Kind = jsengine.Kind

const (
	InvalidArguments    Kind = "invalid_arguments"    // the arguments do not fit the parameters
	NotCleared          Kind = "not_cleared"          // no clearance covers exactly this call
	MissingRequirements Kind = "missing_requirements" // a variable that the tool needs is not set
	PostureRefused      Kind = "posture_refused"      // the operator does not grant what the tool was scored for
	AuditUnavailable    Kind = "audit_unavailable"    // the record cannot be written
	OutputBlocked       Kind = "output_blocked"       // the policy blocks the whole result
	Throttled           Kind = "throttled"            // too many or too large, for this caller or in total
	Stopping            Kind = "stopping"             // the server is shutting down
	NotLent             Kind = "not_lent"             // a resource of the caller cannot be opened
	UpstreamUnreachable Kind = "upstream_unreachable" // the tool's server got nothing of the call
	UpstreamLost        Kind = "upstream_lost"        // its connection ended; the call may have run
	UpstreamError       Kind = "upstream_error"       // the server answered with an error, or with no answer at all
)

// The engine's kinds.
const (
	SyntaxError    = jsengine.SyntaxError
	CodeTooLarge   = jsengine.CodeTooLarge
	Exception      = jsengine.Exception
	StatementLimit = jsengine.StatementLimit
	FuelLimit      = jsengine.FuelLimit
	Timeout        = jsengine.Timeout
	Cancelled      = jsengine.Cancelled
	MemoryLimit    = jsengine.MemoryLimit
	StackLimit     = jsengine.StackLimit
	OutputTooLarge = jsengine.OutputTooLarge
	NeverSettles   = jsengine.NeverSettles
	Refused        = jsengine.Refused
	HostFailure    = jsengine.HostFailure
	Internal       = jsengine.Internal
)

// notRun are the kinds of failures in which no code of the tool ran.
var notRun = []Kind{
	InvalidArguments, NotCleared, MissingRequirements, PostureRefused, AuditUnavailable, Throttled, Stopping, NotLent,
	UpstreamUnreachable, SyntaxError, CodeTooLarge,
}

// Failure describes every call that did not succeed. Cause is private: it goes to the
// audit record and never to a model.
type Failure struct {
	Kind    Kind
	Name    string // of the JavaScript error, such as TypeError
	Message string
	// Advice tells a model what to do about a call that was not run.
	Advice string
	Stack  string // guest frames, with the tool's own file and lines
	// Told is what the tool tells the model; see ToolError in docs/library.md.
	Told string
	// Refusal is the host call's error, if the code failed with one.
	Refusal *jsengine.Refusal
	// Problems are the arguments that are not valid.
	Problems catalog.Problems
	// Verbatim is the error object of another server, for a caller that speaks its
	// protocol. It is cleaned like a result.
	Verbatim json.RawMessage
	Cause    error
}

func (f *Failure) Error() string {
	text := string(f.Kind)
	if f.Name != "" {
		text += ": " + f.Name
	}
	if f.Message != "" {
		text += ": " + f.Message
	}
	return text
}

func (f *Failure) Unwrap() error { return f.Cause }

// MarshalJSON writes the public fields: everything but Cause.
func (f *Failure) MarshalJSON() ([]byte, error) {
	shown := struct {
		Kind     Kind             `json:"kind"`
		Name     string           `json:"name,omitempty"`
		Message  string           `json:"message"`
		Told     string           `json:"told,omitempty"`
		Stack    string           `json:"stack,omitempty"`
		Helper   *shownRefusal    `json:"helper,omitempty"`
		Problems catalog.Problems `json:"problems,omitempty"`
	}{Kind: f.Kind, Name: f.Name, Message: f.Message, Told: f.Told, Stack: f.Stack, Problems: f.Problems}
	if f.Refusal != nil {
		shown.Helper = &shownRefusal{f.Refusal.Kind, f.Refusal.Helper, f.Refusal.Reason, f.Refusal.Line, f.Refusal.Column}
	}
	return json.Marshal(shown)
}

type shownRefusal struct {
	Kind   string `json:"kind"`
	Helper string `json:"helper"`
	Reason string `json:"reason"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// BadArguments returns the failure for invalid arguments.
func BadArguments(problems catalog.Problems) *Failure {
	message := "the arguments do not fit"
	for _, p := range problems {
		if !p.Warning {
			if message = p.Message; p.Pointer != "" {
				message = p.Pointer + ": " + message
			}
			break
		}
	}
	return &Failure{Kind: InvalidArguments, Message: message, Problems: problems}
}
