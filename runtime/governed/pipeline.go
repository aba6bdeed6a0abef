package governed

import (
	"context"
	"crypto/rand"
	"sync/atomic"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// Config configures a pipeline. Every function may be nil.
type Config struct {
	Terms Terms
	// Audit receives the record of every call; nil keeps none.
	Audit *audit.Log
	// AuditOptional runs calls although their record cannot be written. By default
	// such a call is refused, and a result whose record failed is withheld.
	AuditOptional bool
	// Gate divides the process among its callers; nil admits every call. An
	// [admission.Gate] is one.
	Gate Gate
	// Lend adds the caller's own resources to the world, such as a workspace, until
	// done is called.
	Lend func(caller string, world *host.World) (done func(), err error)
	// Published are the tools that callers see now, for requests that do not say. An
	// approval of a version no longer among them does not count; nil skips that check.
	Published *Published
}

// Gate limits callers. An error is for the caller: it sends too often or too many of
// its calls are waiting, unless the context ended.
type Gate interface {
	// Take admits n messages of a caller, or none.
	Take(caller string, n int) error
	// Slot waits until a call of the caller may run; free must be called afterwards.
	Slot(ctx context.Context, caller string) (free func(), err error)
}

// Terms are the settings an operator may change while calls are running. A call is
// judged and run under the same terms.
type Terms struct {
	// Judge decides whether a call may run; nil denies.
	Judge Judge
	// World is what every caller is granted.
	World host.World
	// Limits of every call; a zero field is the tool's own.
	Limits jsengine.Limits
	// Sanitiser cleans all output; without one nothing runs and nothing leaves.
	Sanitiser *egress.Sanitiser
}

// Pipeline runs calls. It is safe for concurrent use.
type Pipeline struct {
	config Config
	terms  atomic.Pointer[Terms]
	key    []byte // of the hashes that stand for redacted values in records
	open   open
}

// New returns a pipeline.
func New(config Config) *Pipeline {
	p := &Pipeline{config: config, key: make([]byte, 32)}
	p.open.ctx, p.open.stop = context.WithCancelCause(context.Background())
	rand.Read(p.key)
	p.Govern(config.Terms)
	return p
}

// Govern replaces the terms. Calls already judged continue; a question that is open
// under other terms can no longer be approved.
func (p *Pipeline) Govern(terms Terms) {
	if terms.Judge == nil {
		terms.Judge = ByClearance{}
	}
	p.terms.Store(&terms)
}

// Terms returns the current terms.
func (p *Pipeline) Terms() Terms { return *p.terms.Load() }

// Request is one call. The zero fields grant nothing.
type Request struct {
	// ID is the correlation id; empty means a new one. See [NewID].
	ID string
	// Trace is the trace id that the record gets; empty for a call without a trace.
	Trace string
	Tool  Tool
	// Arguments are the bytes as they arrived, a JSON object; empty means {}.
	Arguments []byte
	// Caller is the principal that makes the call.
	Caller string
	// Client is what the caller's program calls itself, for people alone: anybody can call
	// itself anything.
	Client string
	// Endpoint is where the caller found the tool, such as the name of a composition;
	// empty for the main one.
	Endpoint string
	// Counted says that the call's message was already admitted.
	Counted bool
	// Lacks returns the scopes that the call needs and the caller's token was not
	// granted; nil for a caller without scopes.
	Lacks func(*About) []string
	// Approver asks a person about this call; nil if nobody can be asked.
	Approver Approver
	// Peer is the client, as the tool may speak to it while it runs; nil for a tool
	// that has to do without.
	Peer Peer
	// Published are the tools of which the caller chose this one; nil means those of
	// the configuration.
	Published *Published

	// Judge and World replace those of the terms, for a host that decides and grants
	// for each call.
	Judge Judge
	World *host.World
	// Limits, Clock, Seed and Through go into the [Permit].
	Limits  jsengine.Limits
	Clock   *jsengine.Clock
	Seed    uint64
	Through func(jsengine.Caller) jsengine.Caller
	// Printed, if not nil, receives each line of the tool's console as it is printed,
	// cleaned of secrets. The call waits for it.
	Printed func(jsengine.Line)
	// Entered, if not nil, is told each phase that the call comes to.
	Entered func(Phase)
}

// NewID returns a correlation id: eight characters, enough to find one record and
// short enough to read aloud.
func NewID() string { return rand.Text()[:8] }
