package governed

import (
	"context"
	"encoding/json"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/egress"
)

// Tool is one version of a callable tool. It is immutable and safe for concurrent use.
type Tool interface {
	// About describes the tool. It returns the same value every time.
	About() *About
	// Check parses arguments as they arrived. It returns them in the form the tool
	// expects, and every problem; problems that are warnings do not stop the call.
	Check(arguments []byte) (json.RawMessage, catalog.Problems)
	// Run makes the call. It must refuse a permit whose Check fails.
	Run(ctx context.Context, permit *Permit) Output
}

// Verbatim is a tool of another server: what that server says about it and answers is
// passed on in that server's words.
type Verbatim interface {
	Tool
	// Listed is the tool's definition, a JSON object whose name is the tool's. The value
	// that Run returns is a complete result object of the protocol.
	Listed() json.RawMessage
}

// About is what the pipeline needs to know about a tool.
type About struct {
	// Source and Name identify the tool; a statement about a tool of one source never
	// applies to another's. See [Published].
	Source, Name string
	// Hash identifies this version of the tool.
	Hash  risk.ToolHash
	Level risk.Level
	// Approval is the author's approval template.
	Approval catalog.HumanInTheLoop
	// AlwaysAsked is set when the level counts on a person who approves every call: no
	// policy that trusts levels or tools waives it.
	AlwaysAsked bool
	// Standing is what an approval is bound to besides the version: the authority that the
	// tool is granted here.
	Standing string
	// Secrets masks the values that the operator gives to calls of the tool; nil for none.
	Secrets *egress.Masker

	// For the record.
	ID       string          // of the document
	Category string          // the document's, verbatim
	Safety   json.RawMessage // what is enforced
	// Content is the hash of the definition in words; empty for tools without a
	// document.
	Content string
}

// Ref identifies this version of the tool.
func (a *About) Ref() risk.ToolRef {
	return risk.ToolRef{Source: a.Source, Name: a.Name, Hash: a.Hash}
}

// Permit allows one call and carries everything the call is granted. The zero Permit
// allows nothing.
type Permit struct {
	// Arguments are the checked ones.
	Arguments json.RawMessage
	// World is what the operator grants this caller.
	World host.World
	// Limits of the call; a zero field is the tool's own.
	Limits jsengine.Limits
	// Clock and Seed make a call repeatable; see [jsengine.Call].
	Clock *jsengine.Clock
	Seed  uint64
	// Through stands between the tool and its grants; nil for direct access.
	Through func(jsengine.Caller) jsengine.Caller
	// Printed receives each line of a tool's console at once; nil for none.
	Printed func(jsengine.Line)
	// Peer is the client that waits for the result; nil if nobody can be spoken to.
	Peer Peer

	clearance risk.Clearance
	received  risk.ArgumentsHash // of the arguments as they arrived
}

// Check reports whether the permit is for this version of a tool, now. The error
// is one of [risk.Clearance.Check].
func (p *Permit) Check(tool risk.ToolHash) error {
	return p.clearance.Check(tool, p.received, time.Now())
}

// Output is the result of a tool's run before it is cleaned.
type Output struct {
	// Value is the JSON that the tool returned; nil for undefined.
	Value       json.RawMessage
	Logs        []jsengine.Line
	LogsDropped int // lines over the limit
	Usage       jsengine.Usage
	HostCalls   map[string]host.Usage
	Blocked     map[host.Block]int // what the guards stopped
	Hosts       []string           // the hosts that requests were sent to
	// Orders are texts in the value that read like orders to the model.
	Orders  []Order
	Failure *Failure // nil when the tool returned
}

// Order is a text that reads like an order to the model.
type Order struct {
	Rule    string `json:"rule"`
	Class   string `json:"class"`
	Pointer string `json:"pointer"` // into the value
	Text    string `json:"text"`
	Why     string `json:"why"`
}
