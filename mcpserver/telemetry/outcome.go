package telemetry

import "github.com/glovebox-run/glovebox/runtime/governed"

// Outcome is how a call ended, in words that are few enough for a metric.
type Outcome string

const (
	OK          Outcome = "ok"
	Error       Outcome = "error"       // the tool's own: an exception, code that is broken, a failed host call
	Refused     Outcome = "refused"     // a guard of the sandbox stopped it
	Limit       Outcome = "limit"       // it wanted more than it may have
	Timeout     Outcome = "timeout"     //
	Cancelled   Outcome = "cancelled"   // by the client, or by a server that stops
	Blocked     Outcome = "blocked"     // the result may not be passed on
	Invalid     Outcome = "invalid"     // the arguments do not fit
	Denied      Outcome = "denied"      // the policy does not run it
	Declined    Outcome = "declined"    // a person said no
	Unapproved  Outcome = "unapproved"  // nobody said yes
	Asked       Outcome = "asked"       // the answer is a question, and the call will come again
	Throttled   Outcome = "throttled"   // there are too many of this client or in all
	Unavailable Outcome = "unavailable" // something of the operator's is missing, or the server stops
	Internal    Outcome = "internal"    // a defect of ours
)

// outcomes has a row for every kind of failure.
var outcomes = map[governed.Kind]Outcome{
	governed.SyntaxError:         Error,
	governed.CodeTooLarge:        Error,
	governed.Exception:           Error,
	governed.HostFailure:         Error,
	governed.NeverSettles:        Error,
	governed.Refused:             Refused,
	governed.StatementLimit:      Limit,
	governed.FuelLimit:           Limit,
	governed.MemoryLimit:         Limit,
	governed.StackLimit:          Limit,
	governed.OutputTooLarge:      Limit,
	governed.Timeout:             Timeout,
	governed.Cancelled:           Cancelled,
	governed.OutputBlocked:       Blocked,
	governed.InvalidArguments:    Invalid,
	governed.MissingRequirements: Unavailable,
	governed.PostureRefused:      Unavailable,
	governed.AuditUnavailable:    Unavailable,
	governed.NotCleared:          Denied,
	governed.Throttled:           Throttled,
	governed.Stopping:            Unavailable,
	governed.NotLent:             Unavailable,
	governed.Internal:            Internal,
}

// security is the kind of a host call's refusal by a guard.
const security = "SECURITY"

// approved and declined are answers as [Call.Answered] is told them.
const (
	approved = "approved"
	declined = "declined"
)
