package runtime

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// record writes the audit record of the invocation, if records are kept.
func (c *call) record(started time.Time) error {
	log := c.tool.runtime.config.Audit
	if log == nil {
		return nil
	}
	out := c.out
	r, err := c.begun(started)
	if err != nil {
		return err
	}
	r.Elapsed, r.Fuel, r.Statements, r.PeakMemory = audit.Microseconds(out.Usage.Elapsed), out.Usage.Fuel, out.Usage.Statements, out.Usage.PeakMemory
	if f := out.Failure; f != nil {
		r.Outcome = audit.Error
		if slices.Contains(refusals, f.Kind) {
			r.Outcome = audit.Refused
		}
		r.Cause = &audit.Cause{Kind: string(f.Kind), Message: c.describe(f), Stack: f.Stack}
		if len(f.Problems) > 0 {
			r.Cause.Pointer = f.Problems[0].Pointer
		}
	}
	if len(out.Redactions) > 0 {
		if r.Redactions, err = json.Marshal(out.Redactions); err != nil {
			return err
		}
	}
	for op, u := range out.HostCalls {
		if r.HostCalls == nil {
			r.HostCalls = map[string]audit.HostCallSum{}
		}
		r.HostCalls[op] = audit.HostCallSum{Calls: u.Calls, Failed: u.Failed, BytesOut: uint64(u.BytesIn), BytesIn: uint64(u.BytesOut)}
	}
	for block, n := range out.Blocked {
		if r.Blocked == nil {
			r.Blocked = map[string]int{}
		}
		r.Blocked[block.String()] = n
	}
	r.Hosts = out.Hosts
	before := time.Now()
	_, err = log.Append(r)
	out.RecordTime = time.Since(before)
	return err
}

// begun is what a record says of an invocation before anything came of it.
func (c *call) begun(started time.Time) (audit.Record, error) {
	t := c.tool
	safety, err := json.Marshal(t.safety)
	return audit.Record{
		Time: started.UTC(), ID: c.out.ID,
		ToolID: t.spec.ToolID(), Tool: t.spec.Name(), Category: t.safety.Category.ID,
		ToolSafety: safety, RiskLevel: t.level.String(), ContentHash: t.spec.Hash().String(),
		Decision: c.in.Decision, Caller: c.in.Caller, Approval: c.in.Approval, Parameters: c.parameters(), Outcome: audit.OK,
	}, err
}

// RecordAsked writes down that a person is asked about an invocation. Without a
// record nobody should be.
func (t *Tool) RecordAsked(in Invocation) error {
	log := t.runtime.config.Audit
	if log == nil {
		return nil
	}
	c := &call{tool: t, in: in, out: &Result{ID: cmp.Or(in.ID, NewID())}, recorded: in.Arguments}
	c.lookUp()
	r, err := c.begun(time.Now())
	if err != nil {
		return err
	}
	r.Outcome = audit.Asked
	if _, err = log.Append(r); err != nil && t.runtime.config.AuditOptional {
		return nil
	}
	return err
}

// refusals are the kinds of invocations in which no code of the tool ran.
var refusals = []Kind{InvalidArguments, NotCleared, MissingRequirements, PostureRefused, AuditUnavailable, jsengine.SyntaxError}

// parameters are the arguments as they were received, cleaned. Bytes that are no
// JSON are recorded as a string.
func (c *call) parameters() json.RawMessage {
	if len(c.recorded) == 0 {
		return json.RawMessage(`{}`)
	}
	cleaned, _ := c.tool.runtime.sanitiser.Bytes(c.session, c.place(), c.recorded)
	if json.Valid(cleaned) {
		return cleaned
	}
	text, err := json.Marshal(string(cleaned))
	if err != nil {
		return nil
	}
	return text
}

// Cleaned returns arguments of a call as the record has them, without secrets, to
// be shown to people.
func (t *Tool) Cleaned(arguments []byte) json.RawMessage {
	c := &call{tool: t, recorded: arguments}
	c.lookUp()
	return c.parameters()
}
