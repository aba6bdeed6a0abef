package exposure

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/definition"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/relay"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/event"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/risk/shadow"
)

// Admission is everything that decides what is offered.
type Admission struct {
	Sources      []Source
	Exposures    []Exposure
	Compositions []Composition
	Pins         ledger.Pins
	// Damaged are the parts of the registry that cannot be read. What they would have
	// offered is not offered.
	Damaged []Damage
	// Taken are the names of tools that other sources publish, by name.
	Taken map[string]string
	// Catalog are the known servers.
	Catalog []servers.Entry
	// Now is the time against which the last use of a server is held.
	Now time.Time
	// Memo saves work; may be nil.
	Memo *definition.Memo
	// Before is the offer that this one replaces: tools that stay the same stay the same
	// value, and only what is new is an event. May be nil.
	Before *Offer
}

// Source is one registered server as it is now.
type Source struct {
	Registration
	// Surface is what it listed last, live or kept; nil if that is not known.
	Surface *upstream.Surface
	// Absent says why there is no surface.
	Absent string
	// Scan is how the last scan of it ended; nil if there was none.
	Scan *scans.Last
	// LastUsed is when a call of it ran last; zero for never.
	LastUsed time.Time
	// Caller makes its requests; Fresh is asked before each call whether what was
	// listed still holds, and may wait for the server to list it again. nil: it holds.
	Caller Caller
	Fresh  func(context.Context) error
	// Accepted is asked last before each call whether the server and the set are still there,
	// and the definition of a tool is still the accepted one, wherever that is decided; nil:
	// it is.
	Accepted func(context.Context, Origins) error
	// Ran is told about every call that reached the server; may be nil.
	Ran func(Ran)
	// Secrets masks what the operator gave for the connection; nil for nothing. Current
	// returns what masks values that were looked up or received since, such as tokens;
	// may be nil.
	Secrets *egress.Masker
	Current func() *egress.Masker
	// Relay has the functions of [relay.Source] that are no governed calls.
	Relay relay.Source
}

// Offer is what is offered and what is not. It does not change.
type Offer struct {
	// Sets are the exposed set, whose ID is [Exposed], and every enabled composition.
	Sets []Set
	// Withheld are the chosen tools that are not offered, each with a reason.
	Withheld []Withheld
	// Servers are all sources, sorted by name.
	Servers []Server
	// Events are what happened since the offer before.
	Events []event.Event

	tools   map[identity]*Tool
	flagged map[[2]string]string // definitions that read like attacks, by server and tool
	// What the rules about other servers said, and a sum of what they were asked.
	shadowed [sha256.Size]byte
	refused  map[[2]string]shadow.Finding
}

// Set is what clients of one endpoint see.
type Set struct {
	ID string
	// Cap is the highest level in it.
	Cap   mcp.Level
	Tools []*Tool // sorted by name
	// Relays are the resources and prompts of its servers.
	Relays []relay.Source
}

// Set returns the set with an id, or nil.
func (o *Offer) Set(id string) *Set {
	for i := range o.Sets {
		if o.Sets[i].ID == id {
			return &o.Sets[i]
		}
	}
	return nil
}

// Server is what is known about a source.
type Server struct {
	Name string
	// Preview is its score as it is now, and the catalog entry behind it.
	Preview mcp.Preview
	// Listed is how many tools it lists; Faults are those that can never be offered.
	Listed int
	Faults []Withheld
	// Absent says why it could not be listed last; empty if it could, or nobody tried.
	Absent string
	// Truncated are the lists that ended at a bound.
	Truncated []string
	// Scan is how the last scan of it ended; nil if there was none.
	Scan *scans.Last
	// Tools are the sightings for the ledger: every tool that it lists and that could be
	// offered.
	Tools []ledger.Sighting
	// Risks are those of the tools that it lists and that could be offered, by name.
	Risks map[string]mcp.ComposedRisk
}

// Withheld is a tool that is not offered.
type Withheld struct {
	Set      string `json:"set,omitempty"`
	Upstream string `json:"upstream"`
	Tool     string `json:"tool,omitempty"`
	Alias    string `json:"alias,omitempty"`
	Code     Code   `json:"code"`
	Why      string `json:"why"`
	WayOut   string `json:"way_out"`
}

// Code is the kind of a reason. The list is closed.
type Code string

const (
	Unregistered   Code = "unregistered"   // a set names a server that there is not
	Unreadable     Code = "unreadable"     // its registration, set or pins cannot be read
	InQuarantine   Code = "quarantined"    // nobody enabled the server
	ServerDisabled Code = "disabled"       //
	NotListed      Code = "not-listed"     // nothing is known of the server yet
	NoSuchTool     Code = "no-such-tool"   // the server does not list it
	BadDefinition  Code = "bad-definition" // it would break or mislead a client
	Ambiguous      Code = "ambiguous"      // the server lists several of the name
	AwaitsReview   Code = "awaits-review"  // nobody accepted it yet
	ChangedSince   Code = "changed"        // it is not what was accepted
	PinRevoked     Code = "revoked"        //
	NotPinned      Code = "not-pinned"     // the ledger has no room or no news of it
	NotScanned     Code = "not-scanned"    // the set demands a grade and there is none
	BelowGrade     Code = "below-grade"    // the last scan of its server was worse
	NewHardFail    Code = "new-hard-fail"  // the last scan found what the one before did not
	Poisoned       Code = "poisoned"       // it reads like an attack
	BadAlias       Code = "bad-alias"      // no model interface would take the name
	NameTaken      Code = "name-taken"     // another tool has the name, or one that looks like it
	AboveCap       Code = "above-cap"      // the set admits no such level
	Shadows        Code = "shadows"        // it speaks about the tools of other servers
	EmptySet       Code = "empty"          // there is nothing in the composition
)
