package runtime

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// Invocation is one request to run a tool.
type Invocation struct {
	// Arguments are the bytes as they arrived, a JSON object; empty means {}.
	Arguments []byte
	// Clearance must be for this version of the tool and these bytes.
	Clearance risk.Clearance
	// Decision is what the clearance came from, in words, for the record.
	Decision string
	// Approval is what came of asking a person, for the record; nil if nobody had to
	// be asked.
	Approval *audit.Approval
	// Caller says who asks, for the record.
	Caller string
	// ID is the correlation id, for whoever wrote about the call before it ran;
	// empty means a new one. See [NewID].
	ID string
	// World is what the operator lends to this caller.
	World host.World
	// Limits override the runtime's, field by field.
	Limits jsengine.Limits
	// Clock and Seed make a call repeatable; see [jsengine.Call].
	Clock *jsengine.Clock
	Seed  uint64

	// through stands between the guest and its grants; Local Pass records and
	// replays with it.
	through func(jsengine.Caller) jsengine.Caller
}

// Result is what came of an invocation. Everything in it is cleaned of secrets.
type Result struct {
	// ID is the correlation id: the audit record of this invocation has it.
	ID string
	// Value is the JSON that the tool returned; nil for undefined.
	Value       json.RawMessage
	Logs        []jsengine.Line
	LogsDropped int // lines over the limit
	Usage       jsengine.Usage
	HostCalls   map[string]host.Usage
	Blocked     map[host.Block]int // what the guards stopped
	Hosts       []string           // the hosts that requests were sent to
	// Warnings are arguments that no parameter declares.
	Warnings catalog.Problems
	Failure  *Failure // nil when the tool returned
	// Redactions are what the sanitiser found in all of it.
	Redactions []egress.Finding
	// RecordTime is how long it took to write the audit record; 0 if none is kept.
	RecordTime time.Duration `json:"-"`
}

// actionCard marks code that returns a card for a chat client to draw; its
// result is text that must arrive as it is.
const actionCard = "```saip-action"

// Text is the result as a model reads it: JSON, or the word undefined when there
// is no value. A tool that returns action cards sends its string bare.
func (t *Tool) Text(r *Result) string {
	if len(r.Value) == 0 || string(r.Value) == "null" {
		return "undefined"
	}
	var card string
	if r.Value[0] == '"' && bytes.Contains([]byte(t.spec.Code()), []byte(actionCard)) && json.Unmarshal(r.Value, &card) == nil {
		return card
	}
	return string(r.Value)
}

// Call runs the tool once. It never returns nil; what went wrong is in Failure.
func (t *Tool) Call(ctx context.Context, in Invocation) *Result {
	started := time.Now()
	out := &Result{ID: cmp.Or(in.ID, NewID())}
	c := &call{tool: t, in: in, out: out, recorded: in.Arguments}
	c.lookUp() // before anything can fail: what is refused is masked as well
	if out.Failure = c.admit(); out.Failure == nil {
		out.Failure = c.run(ctx)
	}
	c.clean()
	if out.Usage.Elapsed == 0 {
		out.Usage.Elapsed = time.Since(started)
	}
	if err := c.record(started); err != nil && !t.runtime.config.AuditOptional {
		// What the tool did is done, but nobody may profit from a call that left
		// no record.
		out.Value, out.Logs, out.LogsDropped = nil, nil, 0
		out.Failure = &Failure{Kind: AuditUnavailable, Message: "the call could not be recorded, so its result is withheld", Cause: err}
	}
	return out
}

// NewID returns a correlation id: eight characters, enough to find one record
// and short enough to be read out.
func NewID() string { return rand.Text()[:8] }

// call is the state of one invocation.
type call struct {
	tool      *Tool
	in        Invocation
	out       *Result
	recorded  []byte // the arguments as they go into the record
	variables catalog.Resolved
	unset     error // the variables that have no value
	session   *egress.Session
}

// lookUp finds what the call is given, and with it what must be masked.
func (c *call) lookUp() {
	c.variables, c.unset = c.tool.spec.ResolveStaticVariables(c.tool.runtime.config.Lookup)
	c.session = egress.NewSession(c.tool.runtime.sessionKey, egress.NewMasker(c.variables.Secrets))
}

// admit refuses what must not run, before anything of the tool is touched.
func (c *call) admit() *Failure {
	t, config := c.tool, &c.tool.runtime.config
	if config.Audit != nil && !config.AuditOptional {
		if err := config.Audit.Failed(); err != nil {
			return &Failure{Kind: AuditUnavailable, Message: "calls are refused while they cannot be recorded", Cause: err}
		}
	}
	if err := c.in.Clearance.Check(t.Hash(), risk.HashArguments(c.in.Arguments), time.Now()); err != nil {
		return &Failure{Kind: NotCleared, Message: "the call was not cleared", Cause: err}
	}
	return nil
}

// run does the call itself, behind admit.
func (c *call) run(ctx context.Context) *Failure {
	t := c.tool
	arguments, problems := t.spec.CheckArguments(c.in.Arguments)
	if problems.Err() != nil {
		return argumentFailure(problems)
	}
	c.out.Warnings, c.recorded = problems, arguments

	if c.unset != nil {
		return &Failure{Kind: MissingRequirements, Message: c.unset.Error(), Cause: c.unset}
	}
	arguments, err := withStaticVariables(arguments, c.variables.Variables)
	if err != nil {
		return &Failure{Kind: jsengine.Internal, Message: "the static variables cannot be passed on", Cause: err}
	}

	grants, err := host.Mint(t.posture, c.in.World)
	if err != nil {
		return &Failure{Kind: PostureRefused, Message: err.Error(), Cause: err}
	}
	defer func() {
		grants.Close()
		asked := grants.Transcript()
		c.out.HostCalls, c.out.Blocked, c.out.Hosts = asked.Operations, asked.Blocked, asked.Hosts
	}()
	image, err := t.compiled(ctx, grants.Table().Operations)
	if err != nil {
		return failureOf(err)
	}
	var caller jsengine.Caller = grants.Table()
	if c.in.through != nil {
		caller = c.in.through(caller)
	}
	got := image.Call(ctx, jsengine.Call{
		Arguments: arguments, Limits: merged(c.in.Limits, t.runtime.config.Limits), Caller: caller, Clock: c.in.Clock, Seed: c.in.Seed,
	})
	c.out.Value, c.out.Logs, c.out.LogsDropped, c.out.Usage = got.Result, got.Logs, got.LogsDropped, got.Usage
	if got.Failure != nil {
		return failureOf(got.Failure)
	}
	if deeper(got.Result, MaxDepth) {
		c.out.Value = nil
		return &Failure{Kind: OutputTooLarge, Message: fmt.Sprintf("the result is nested more than %d deep", MaxDepth)}
	}
	return nil
}

// withStaticVariables adds the variables behind the arguments: of two members
// with one name the later counts, so a model cannot override a static variable.
func withStaticVariables(arguments []byte, variables []catalog.StaticVariable) ([]byte, error) {
	if len(variables) == 0 {
		return arguments, nil
	}
	all := bytes.Clone(arguments[:len(arguments)-1])
	for _, v := range variables {
		key, err := json.Marshal(v.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(v.Value)
		if err != nil {
			return nil, err
		}
		if len(all) > 1 {
			all = append(all, ',')
		}
		all = append(append(append(all, key...), ':'), value...)
	}
	return append(all, '}'), nil
}

// merged takes each limit from the call if it is set there.
func merged(call, defaults jsengine.Limits) jsengine.Limits {
	pick(&call.Statements, defaults.Statements)
	pick(&call.Fuel, defaults.Fuel)
	pick(&call.Time, defaults.Time)
	pick(&call.Memory, defaults.Memory)
	pick(&call.Output, defaults.Output)
	pick(&call.ConsoleLines, defaults.ConsoleLines)
	pick(&call.ConsoleBytes, defaults.ConsoleBytes)
	pick(&call.HostCalls, defaults.HostCalls)
	pick(&call.HostBytes, defaults.HostBytes)
	pick(&call.InFlight, defaults.InFlight)
	return call
}

func pick[T comparable](field *T, value T) {
	var unset T
	if *field == unset {
		*field = value
	}
}

// clean takes secrets out of everything that leaves: the ones that this call was
// given, and what looks like one.
func (c *call) clean() {
	out, sanitiser, place := c.out, c.tool.runtime.sanitiser, c.place()
	text := func(s *string) {
		cleaned, outcome := sanitiser.Text(c.session, place, *s)
		*s = cleaned
		out.Redactions = append(out.Redactions, outcome.Findings...)
	}
	value, outcome := sanitiser.Bytes(c.session, place, out.Value)
	out.Value, out.Redactions = value, append(out.Redactions, outcome.Findings...)
	if outcome.Blocked != "" && out.Failure == nil {
		out.Value, out.Failure = nil, &Failure{Kind: OutputBlocked, Message: "the result was not passed on: " + outcome.Blocked}
	}
	for i := range out.Logs {
		text(&out.Logs[i].Text)
	}
	if f := out.Failure; f != nil {
		text(&f.Message)
		text(&f.Stack)
		text(&f.Name)
		if f.Refusal != nil {
			cleaned := *f.Refusal
			text(&cleaned.Message)
			f.Refusal = &cleaned
		}
		for i := range f.Problems {
			text(&f.Problems[i].Message)
		}
	}
	for i := range out.Warnings {
		text(&out.Warnings[i].Message)
	}
}

func (c *call) place() egress.Place { return egress.Place{Tool: c.tool.spec.Name()} }

// describe is the private cause in one line, cleaned: the record is no place for
// secrets either.
func (c *call) describe(f *Failure) string {
	text := f.Message
	if f.Cause != nil {
		text = fmt.Sprintf("%s (%v)", text, f.Cause)
	}
	cleaned, _ := c.tool.runtime.sanitiser.Text(c.session, c.place(), text)
	return cleaned
}
