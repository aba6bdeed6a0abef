package governed

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// record ends the call with its one record, if records are kept. If the caller has to
// ask a person, the record says so; the repeated call has a record of its own, with the
// same approval.
func (c *call) record() *Failure {
	if c.config.Audit == nil || c.out.Question != nil {
		return nil
	}
	began := time.Now()
	err := c.append(c.ended)
	c.out.Recording = time.Since(began)
	if err != nil && !c.config.AuditOptional {
		return &Failure{Kind: AuditUnavailable, Message: "the call could not be recorded, so its result is withheld", Cause: err}
	}
	return nil
}

// recordAsked records that a person is asked. Without the record nobody is asked.
func (c *call) recordAsked(id, state string) error {
	c.asked = true
	if c.config.Audit == nil {
		return nil
	}
	err := c.append(func(r *audit.Record) error {
		r.Outcome, r.Approval = audit.Asked, &audit.Approval{ID: id, Outcome: state}
		return nil
	})
	if err != nil && c.config.AuditOptional {
		return nil
	}
	return err
}

// append writes a record of the call.
func (c *call) append(more func(*audit.Record) error) error {
	r := audit.Record{
		Time: c.started.UTC(), ID: c.out.ID, Trace: c.Trace,
		ToolID: c.about.ID, Tool: c.about.Name, Category: c.about.Category, ToolSafety: c.about.Safety,
		RiskLevel: c.about.Level.String(), ContentHash: c.about.Content,
		Decision: c.words, Caller: c.Caller, Client: c.Client, Outcome: audit.OK, Flow: c.judgement.Record,
	}
	r.Parameters, r.ParametersSize = c.parameters()
	if c.ruling != nil {
		r.Approval = &audit.Approval{ID: c.ruling.ID, Outcome: string(c.ruling.Outcome), By: c.ruling.By, Rest: c.ruling.Rest}
	}
	if err := more(&r); err != nil {
		return err
	}
	if c.about.Secrets != nil {
		maskAll(reflect.ValueOf(&r).Elem(), c.about.Secrets.String)
	}
	_, err := c.config.Audit.Append(r)
	return err
}

// ended records how the call ended.
func (c *call) ended(r *audit.Record) (err error) {
	out := c.out
	r.Elapsed, r.Fuel, r.Statements, r.PeakMemory = audit.Microseconds(out.Usage.Elapsed), out.Usage.Fuel, out.Usage.Statements, out.Usage.PeakMemory
	if f := out.Failure; f != nil {
		r.Outcome = audit.Error
		if !out.Ran || slices.Contains(notRun, f.Kind) {
			r.Outcome = audit.Refused
		}
		r.Cause = &audit.Cause{Kind: string(f.Kind), Message: c.describe(f), Stack: f.Stack}
		if len(f.Problems) > 0 {
			r.Cause.Pointer = f.Problems[0].Pointer
		}
		if f.Kind == jsengine.Internal && !out.Ran {
			r.Outcome = audit.Error // a defect of ours is not a refusal
		}
	}
	if len(out.Redactions) > 0 {
		if r.Redactions, err = json.Marshal(out.Redactions); err != nil {
			return err
		}
	}
	if len(out.Orders) > 0 {
		if r.Orders, err = json.Marshal(out.Orders); err != nil {
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
	return nil
}
