package telemetry

import "github.com/glovebox-run/glovebox/runtime/governed"

// Outcome is how a call ended, coarse enough for a metric label.
type Outcome string

const (
	OK          Outcome = "ok"
	Error       Outcome = "error"       // from the tool: an exception, broken code, a failed host call
	Refused     Outcome = "refused"     // a guard of the sandbox stopped it
	Limit       Outcome = "limit"       // it exceeded a limit
	Timeout     Outcome = "timeout"     //
	Cancelled   Outcome = "cancelled"   // by the client, or by a stopping server
	Blocked     Outcome = "blocked"     // the result must not be passed on
	Invalid     Outcome = "invalid"     // the arguments do not match the schema
	Denied      Outcome = "denied"      // the policy refuses it
	Declined    Outcome = "declined"    // a person said no
	Unapproved  Outcome = "unapproved"  // nobody approved
	Asked       Outcome = "asked"       // the answer is a question; the client repeats the call
	Throttled   Outcome = "throttled"   // too many calls, of this client or in total
	Unavailable Outcome = "unavailable" // something the operator provides is missing, or the server is stopping
	Internal    Outcome = "internal"    // a bug of ours
)

// Class is an outcome in a few words: as a label of a histogram, every value costs as many
// series as there are buckets.
type Class string

// Classes are all of them, in the order in which people are shown them.
var Classes = [...]Class{Ran, Questioned, Kept, Failed}

const (
	Ran        Class = "ok"
	Questioned Class = "asked"   // nothing ran yet
	Kept       Class = "refused" // a rule, a person or a guard stopped it
	Failed     Class = "failed"
)

// Class returns what an outcome is in a few words.
func (o Outcome) Class() Class {
	switch o {
	case OK:
		return Ran
	case Asked:
		return Questioned
	case Refused, Denied, Declined, Unapproved, Blocked, Throttled, Invalid:
		return Kept
	}
	return Failed
}

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
	governed.UpstreamUnreachable: Unavailable,
	governed.UpstreamLost:        Error,
	governed.UpstreamError:       Error,
	governed.Internal:            Internal,
}

// security is the kind of a host call's refusal by a guard.
const security = "SECURITY"

// approved and declined are answers passed to [Call.Answered].
const (
	approved = "approved"
	declined = "declined"
)
