package live

import (
	"slices"

	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/live/order"
)

// rule is one reason to deny a call, to ask about it, or to kill the session. Its id
// never changes meaning and is never used again.
type rule struct {
	id      string
	verdict risk.Verdict
	kill    Signal // latched when the rule fires; such a rule denies
	when    func(*facts) bool
	why     string // one sentence for the person who is asked or refused
	show    func(*facts) []*Evidence
}

// rules is the whole decision. Every rule that fires is reported, in this order; the
// strictest verdict holds. Rules that ask need one ground, rules that deny two: text that
// overlaps with what was read is what honest work looks like too.
var rules = [...]rule{
	// Latched, or not to be talked about. F05 was scope, which is refused before.
	{id: "F01", verdict: risk.Deny, when: func(f *facts) bool { return len(f.killed) > 0 },
		why: "The session was stopped and waits for an operator to release it."},
	{id: "F02", verdict: risk.Deny, when: func(f *facts) bool { return f.call.Unread },
		why: "The arguments are too many or too deep to be looked at."},
	{id: "F03", verdict: risk.Deny, kill: SurfaceGrew, when: func(f *facts) bool { return f.call.Drift == Grown },
		why: "The tool can do more than the one that was reviewed."},
	{id: "F04", verdict: risk.Deny, when: func(f *facts) bool { return f.call.Drift == Changed },
		why: "The tool is not the one that was reviewed; it has to be reviewed again."},
	{id: "F06", verdict: risk.Deny, kill: PrivateAddress, when: func(f *facts) bool { return f.label.Untrusted && f.call.PrivateNetwork && f.out() },
		why: "After untrusted text was read, the call goes to a private network or to a metadata address."},
	{id: "F07", verdict: risk.Deny, kill: SecretInArgument, when: func(f *facts) bool { return f.call.secret() && f.out() && f.label.Untrusted },
		why: "After untrusted text was read, an argument that goes out holds a secret."},
	{id: "F08", verdict: risk.Deny, kill: SecretLeaves, when: func(f *facts) bool { return f.secret != nil && f.sink() },
		why:  "An argument holds a secret that another tool returned.",
		show: func(f *facts) []*Evidence { return []*Evidence{f.secret} }},

	// Influence with a second ground.
	{id: "F20", verdict: risk.Deny, when: func(f *facts) bool {
		return f.ordered() && !f.known && (f.scanned || f.strength == order.Named)
	},
		why:  "Text that strangers can write gives the agent orders, and this call is what it orders.",
		show: func(f *facts) []*Evidence { return []*Evidence{f.order} }},
	{id: "F21", verdict: risk.Deny, when: func(f *facts) bool {
		return f.told() && !f.known && !f.profile.Reads && !f.profile.Reversible
	},
		why:  "Text that strangers can write asks for this very call, and it cannot be taken back.",
		show: func(f *facts) []*Evidence { return []*Evidence{f.order, f.destination} }},
	{id: "F22", verdict: risk.Deny, when: func(f *facts) bool {
		return f.told() && !f.profile.Reads && (f.destination != nil || f.out() && !f.known && f.payload != nil)
	},
		why:  "Text that strangers can write asks for this very call and says where it goes or what it says.",
		show: func(f *facts) []*Evidence { return []*Evidence{f.order, f.destination, f.payload} }},
	{id: "F23", verdict: risk.Deny, when: func(f *facts) bool {
		return f.label.Untrusted && f.profile.Reads && f.out() && f.private != nil
	},
		why:  "After untrusted text was read, private data stands in the address that is fetched.",
		show: func(f *facts) []*Evidence { return []*Evidence{f.private} }},
	{id: "F24", verdict: risk.Deny, when: func(f *facts) bool {
		return f.out() && !f.profile.Reversible && !f.profile.Reads && f.private != nil && f.destination != nil && f.ownData
	},
		why:  "Private data goes to somebody whom only text that strangers can write has named.",
		show: func(f *facts) []*Evidence { return []*Evidence{f.private, f.destination} }},
	{id: "F25", verdict: risk.Deny, when: func(f *facts) bool {
		return f.profile.Sink == capability.Exec && f.payloadLong
	},
		why:  "What is to be run was written by strangers.",
		show: func(f *facts) []*Evidence { return []*Evidence{f.payload} }},

	// One ground.
	{id: "F40", verdict: risk.Ask, when: func(f *facts) bool {
		return !f.furtherOn() && (f.ordered() || f.sink() && f.strength >= order.Verb && !f.profile.Reads && (f.out() || !f.profile.Reversible))
	},
		why:  "Text that strangers can write may have asked for this call.",
		show: func(f *facts) []*Evidence { return []*Evidence{f.order} }},
	{id: "F41", verdict: risk.Ask, when: func(f *facts) bool { return f.sink() && f.destination != nil },
		why:  "Where this goes was named by text that strangers can write, and by nothing else.",
		show: func(f *facts) []*Evidence { return []*Evidence{f.destination} }},
	{id: "F42", verdict: risk.Ask, when: func(f *facts) bool {
		return f.sink() && f.payload != nil && (f.out() || !f.profile.Reversible || !f.known)
	},
		why:  "What this says repeats text that strangers can write.",
		show: func(f *facts) []*Evidence { return []*Evidence{f.payload} }},
	{id: "F43", verdict: risk.Ask, when: func(f *facts) bool { return f.label.Untrusted && f.out() && f.private != nil && !f.call.unaddressed() },
		why:  "Private data goes out in a session that has read text that strangers can write.",
		show: func(f *facts) []*Evidence { return []*Evidence{f.private} }},

	// Co-presence: the session holds the legs, and nothing connects them.
	{id: "F60", verdict: risk.Ask, when: func(f *facts) bool {
		return f.label.Untrusted && f.out() && !f.call.unaddressed() && (f.profile.grave() && !f.profile.Reads || !f.known)
	},
		why: "The session has read text that strangers can write, and this call reaches outside."},
	{id: "F61", verdict: risk.Ask, when: func(f *facts) bool {
		return f.label.Untrusted && f.profile.Sink == capability.Internal && !f.profile.Reversible
	},
		why: "The session has read text that strangers can write, and this call cannot be taken back."},
	{id: "F62", verdict: risk.Ask, when: func(f *facts) bool { return f.forgot && f.label.Untrusted && f.sink() },
		why: "The session has read more than is remembered of it, so nobody can say where these arguments come from."},
	{id: "F63", verdict: risk.Ask, when: func(f *facts) bool { return f.call.secret() && f.sink() },
		why: "An argument holds something that looks like a secret."},
	{id: "F64", verdict: risk.Ask, when: func(f *facts) bool {
		return len(f.call.Secrets) > 0 && f.label.Untrusted && f.out() && f.profile.Basis < Reviewed && !f.profile.TrustedServer
	},
		why: "The session has read text that strangers can write, and a server that nobody vouches for gets a secret."},
}

// failed is reported when the evaluator itself fails. It is no row of the table: nothing
// can be said about the call.
const (
	failedRule = "F00"
	failedWhy  = "The decision engine failed, so the call is not made."
)

// leaveRule is reported when a bounded permission answers the question.
const (
	leaveRule = "F90"
	leaveWhy  = "A person allowed calls of this tool to this recipient for the rest of the task."
)

func (r *rule) does() string {
	if r.kill != "" {
		return "kill"
	}
	return r.verdict.String()
}

// shown returns the evidence that there is, each place once.
func (r *rule) shown(f *facts) []*Evidence {
	if r.show == nil {
		return nil
	}
	var list []*Evidence
	for _, e := range r.show(f) {
		if e != nil && !slices.ContainsFunc(list, e.same) {
			list = append(list, e)
		}
	}
	return list
}

// secret reports whether a secret stands where none belongs. The argument that a tool has
// for credentials is there to hold one.
func (c *Call) secret() bool {
	return slices.ContainsFunc(c.Secrets, func(name string) bool { return c.Profile.role(name) != Credential })
}

// sink reports whether a call has consequences; out, whether they leave the
// organisation.
func (f *facts) sink() bool { return f.profile.Sink != capability.NoSink }
func (f *facts) out() bool  { return f.profile.Sink >= capability.External }

// furtherOn reports whether a call takes more in from a place that the caller chose, and
// carries nothing there: the next page, the file behind it.
func (f *facts) furtherOn() bool {
	return f.known && f.private == nil && (f.profile.Reads || f.profile.Reversible && f.profile.deed.Fetches() && f.payload == nil)
}

// told reports whether an untrusted text orders the call. Directions ("To pay the bill,
// send 30 to ...") order nobody, and answering who wrote is what people do: of such calls
// a person is asked.
func (f *facts) told() bool { return f.ordered() && f.direct && !f.answer }

// ordered reports whether an untrusted text asks for the call: plainly, or with its verb
// and in the same passage a value that only untrusted text has named.
func (f *facts) ordered() bool {
	return f.sink() && (f.strength >= order.Plain || f.near && f.strength >= order.Verb)
}
