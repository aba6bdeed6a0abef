package runtime

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Invocation is one request to run a tool, from a host that makes its own decisions.
type Invocation struct {
	// Arguments are the bytes as they arrived, a JSON object; empty means {}.
	Arguments []byte
	// Clearance must be for this version of the tool and these bytes.
	Clearance risk.Clearance
	// Decision describes in words what the clearance is based on, for the record.
	Decision string
	// Caller names the caller, for the record.
	Caller string
	// World is what the operator grants this caller.
	World host.World
	// Limits override the runtime's, field by field.
	Limits jsengine.Limits
	// Printed, if not nil, receives each console line as it is printed, cleaned of
	// secrets. The call waits for it.
	Printed func(jsengine.Line)
	// Clock and Seed make a call repeatable; see [jsengine.Call].
	Clock *jsengine.Clock
	Seed  uint64

	// through stands between the guest and its grants; Local Pass uses it to record
	// and replay.
	through func(jsengine.Caller) jsengine.Caller
}

// Call runs the tool once, through its runtime's pipeline. It never returns nil; any
// failure is in Failure.
func (t *Tool) Call(ctx context.Context, in Invocation) *Result {
	return t.runtime.calls.Do(ctx, governed.Request{
		Tool: t, Arguments: in.Arguments, Caller: in.Caller,
		Judge: governed.ByClearance{Clearance: in.Clearance, Words: in.Decision}, World: &in.World,
		Limits: in.Limits, Clock: in.Clock, Seed: in.Seed, Through: in.through, Printed: in.Printed,
	})
}

// Check implements [governed.Tool]: it checks arguments against the parameters that the
// document declares.
func (t *Tool) Check(arguments []byte) (json.RawMessage, catalog.Problems) {
	return t.spec.CheckArguments(arguments)
}

// Run implements [governed.Tool]: it runs the code in the sandbox, with exactly what the
// posture asks for.
func (t *Tool) Run(ctx context.Context, permit *governed.Permit) (out governed.Output) {
	if err := permit.Check(t.Hash()); err != nil {
		out.Failure = &Failure{Kind: NotCleared, Message: "the call was not cleared", Cause: err}
		return out
	}
	if t.unset != nil {
		out.Failure = &Failure{Kind: MissingRequirements, Message: t.unset.Error(), Cause: t.unset}
		return out
	}
	arguments, err := withStaticVariables(permit.Arguments, t.variables)
	if err != nil {
		out.Failure = &Failure{Kind: jsengine.Internal, Message: "the static variables cannot be passed on", Cause: err}
		return out
	}
	world := permit.World
	world.Functions = t.runtime.config.Functions
	grants, err := host.Mint(t.posture, world)
	if err != nil {
		out.Failure = &Failure{Kind: PostureRefused, Message: err.Error(), Cause: err}
		return out
	}
	defer func() {
		grants.Close()
		asked := grants.Transcript()
		out.HostCalls, out.Blocked, out.Hosts = asked.Operations, asked.Blocked, asked.Hosts
	}()
	image, err := t.compiled(ctx, grants.Table().Operations)
	if err != nil {
		out.Failure = failureOf(err)
		return out
	}
	var caller jsengine.Caller = grants.Table()
	if permit.Through != nil {
		caller = permit.Through(caller)
	}
	got := image.Call(ctx, jsengine.Call{
		Arguments: arguments, Limits: permit.Limits.Or(t.runtime.config.Limits), Caller: caller, Clock: permit.Clock, Seed: permit.Seed, Printed: permit.Printed,
	})
	out.Value, out.Logs, out.LogsDropped, out.Usage = got.Result, got.Logs, got.LogsDropped, got.Usage
	if got.Failure != nil {
		out.Failure = failureOf(got.Failure)
	}
	return out
}

// withStaticVariables adds the variables after the arguments: of two members with the
// same name the later counts, so a model cannot override a static variable.
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

// actionCard marks code that returns a card for a chat client to draw; its
// result is text that must arrive as it is.
const actionCard = "```saip-action"

// Text returns the result as a model reads it: JSON, or the word undefined when there
// is no value. The string of a tool that returns action cards is sent bare.
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
