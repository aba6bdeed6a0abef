package live

import (
	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/live/order"
)

// Role is what an argument is for, as far as a flow is concerned.
type Role uint8

const (
	Selector    Role = iota // says which thing is meant
	Destination             // says where something goes or to whom
	Payload                 // goes there
	Credential              // is what the caller authenticates with at the tool's own server
)

var roleNames = [...]string{"selector", "destination", "payload", "credential"}

// String returns "selector", "destination", "payload" or "credential".
func (r Role) String() string { return roleNames[min(int(r), len(roleNames)-1)] }

// MarshalText writes the name.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Basis is where a profile comes from.
type Basis uint8

const (
	Assumed  Basis = iota // nobody said anything: the worst that is plausible
	Inferred              // read from the definition
	Reviewed              // the operator's file
	Enforced              // the sandbox holds it, whatever the tool says
)

var basisNames = [...]string{"assumed", "inferred", "reviewed", "enforced"}

// String returns "assumed", "inferred", "reviewed" or "enforced".
func (b Basis) String() string { return basisNames[min(int(b), len(basisNames)-1)] }

// MarshalText writes the name.
func (b Basis) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Profile is what is known of a tool before it is called. The zero Profile is that of a
// tool nobody knows anything of: see [Profile.worst].
type Profile struct {
	Basis Basis
	// Result is the label of what the tool returns.
	Result Label
	// Sink is how far the consequences of a call reach.
	Sink       capability.Sink
	Reversible bool
	// Reads says that a call changes nothing, although its arguments may go out: it
	// fetches a page.
	Reads bool
	// Roles are those of the arguments by their names; others are selectors.
	Roles map[string]Role
	// TrustedServer says that the operator vouches for the server: its labels and hints
	// may also make things better.
	TrustedServer bool

	deed order.Deed
}

// worst is the profile of a tool that nothing is known of.
func worst(name string) *Profile {
	return &Profile{Basis: Assumed, Result: Label{Untrusted: true, Private: true}, Sink: capability.External, deed: order.NewDeed(name, nil)}
}

// For returns the profile as that of a tool with a name and nothing else that says what
// it does.
func (p *Profile) For(name string) *Profile {
	p.deed = order.NewDeed(name, nil)
	return p
}

// grave reports whether the effect of a call is of the top class: it leaves the
// organisation or runs what it is told, and cannot be taken back.
func (p *Profile) grave() bool {
	return p.Sink == capability.Exec || p.Sink == capability.External && !p.Reversible
}

// addressed reports whether the tool has arguments that say where something goes.
func (p *Profile) addressed() bool {
	for _, r := range p.Roles {
		if r == Destination {
			return true
		}
	}
	return false
}

// role returns the role of an argument.
func (p *Profile) role(name string) Role { return p.Roles[name] }

// Infer reads a profile from a definition. Hints of a server that nobody vouches for may
// only make it worse.
func Infer(server string, d capability.Definition, hints Hints, trusted bool) *Profile {
	p := infer(d)
	p.TrustedServer = trusted
	if p.Result.Private {
		p.Result.Origins = []string{server}
	}
	if hints.ReadOnly && trusted && p.Sink <= capability.External {
		p.Sink, p.Reversible, p.Reads = capability.NoSink, true, true
	}
	if hints.Destructive {
		p.Sink, p.Reversible, p.Reads = max(p.Sink, capability.Internal), false, false
	}
	return p
}

func infer(d capability.Definition) *Profile {
	reading := capability.Of(d)
	if reading.Worst() == capability.Unknown {
		return worst(d.Name)
	}
	source := reading.Source()
	p := &Profile{
		Basis: Inferred, Reads: reading.Worst() <= capability.Query, Sink: reading.Sink(), Reversible: reading.Reversible(), Roles: map[string]Role{},
		Result: Label{
			// What a service keeps, people have written into it: only an answer that is
			// computed from the arguments is known to hold no stranger's text.
			Untrusted: reading.Worst() != capability.Compute,
			Private:   source&(capability.PrivateData|capability.SecretData) != 0,
			Secret:    source&capability.SecretData != 0,
		},
		deed: order.NewDeed(d.Name, reading.Classes()),
	}
	for _, a := range reading.Arguments {
		if role, ok := roles[a.Role]; ok {
			p.Roles[a.Name] = max(p.Roles[a.Name], role)
		}
	}
	return p
}

// roles translates what package capability reads. What is run is a payload: it is the
// text that does the harm.
var roles = map[capability.Role]Role{
	capability.Destination: Destination,
	capability.Path:        Destination,
	capability.Payload:     Payload,
	capability.Command:     Payload,
	capability.Amount:      Payload,
	capability.Credential:  Credential,
}

// Hints are the annotations of a definition that count.
type Hints struct {
	ReadOnly    bool // readOnlyHint was sent as true
	Destructive bool // destructiveHint was sent as true
}
