package telemetry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Log messages about a call.
const (
	msgStart = "mcp.tool.start"
	msgDone  = "mcp.tool.done"
	msgCrash = "mcp.tool.crash"
)

// Call is one call in flight, for use by one goroutine. Nil observes nothing.
type Call struct {
	tool    *Tool
	id      string
	origin  Origin
	started time.Time
	span    trace.Span // nil without spans

	outcome   Outcome
	failure   string // details of the outcome
	approval  string // outcome of the approval request
	person    time.Duration
	queued    time.Duration
	recording time.Duration
	ran       *governed.Result // nil if the call never ran
	judged    string           // the verdict; empty before one
	flow      json.RawMessage  // what the judge put on record; nil for nothing
	slow      *slow            // nil if nobody asks what took the time
}

// Begin records that a call has arrived; End must follow. The id is the one in the
// audit record.
func (s *Tool) Begin(id string, from Origin) *Call {
	if s == nil {
		return nil
	}
	c := &Call{tool: s, id: id, origin: from, started: time.Now()}
	if s.t.tracer != nil {
		parent, links := from.parent()
		_, c.span = s.t.tracer.Start(parent, "tools/call "+s.name, trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(c.started), trace.WithLinks(links...))
	}
	if s.t.slow > 0 {
		c.slow = newSlow(c, s.t.slow)
	}
	if s.t.log.Enabled(context.Background(), slog.LevelDebug) {
		s.t.log.Debug(msgStart, append([]any{"cid", id}, s.line...)...)
	}
	return c
}

// Trace returns the id of the call's trace: that of its span, or without spans that of the
// request; empty if it has none.
func (c *Call) Trace() string {
	if c == nil {
		return ""
	}
	var of trace.SpanContext
	if c.span != nil {
		of = c.span.SpanContext()
	} else {
		parent, _ := c.origin.parent()
		of = trace.SpanContextFromContext(parent)
	}
	if !of.HasTraceID() {
		return ""
	}
	return of.TraceID().String()
}

// Asked records that a person was asked about the call.
func (c *Call) Asked() {
	if c != nil {
		c.tool.t.metrics.asked.Add(context.Background(), 1)
	}
}

// Answered records the outcome of an approval request, and how long the call
// waited.
func (c *Call) Answered(outcome string, waited time.Duration) {
	if c == nil {
		return
	}
	c.approval, c.person = outcome, waited
	m := c.tool.t.metrics
	m.decisions.Add(context.Background(), 1, labelled("outcome", outcome, "side", "server"))
	m.person.Record(context.Background(), waited.Seconds())
}

// Ended records the result of the call.
func (c *Call) Ended(r *governed.Result) {
	if c == nil {
		return
	}
	c.queued, c.recording, c.judged, c.flow = r.Queued, r.Recording, r.Judged, r.Flow
	if r.Queued > 0 {
		c.tool.t.metrics.queued.Record(context.Background(), r.Queued.Seconds())
	}
	c.outcome = OK
	if r.Question != nil {
		c.outcome = Asked
		return
	}
	if r.Ran {
		c.ran = r
	}
	f := r.Failure
	if f == nil {
		return
	}
	c.outcome, c.failure = cmp.Or(outcomes[f.Kind], Internal), string(f.Kind)
	if f.Refusal != nil && f.Refusal.Kind == security {
		// The tool did not catch it, but the reason passed through its code.
		c.outcome, c.failure = Refused, "guard"
	}
	if refusal := (*admission.Refusal)(nil); errors.As(f.Cause, &refusal) {
		c.failure = string(refusal.Reason)
	}
	if f.Kind == governed.NotCleared && c.approval != "" && c.approval != approved {
		c.outcome, c.failure = Unapproved, c.approval
		if c.approval == declined {
			c.outcome = Declined
		}
	}
}

// End counts the call, ends its span and writes its line.
func (c *Call) End() {
	if c == nil {
		return
	}
	c.outcome = cmp.Or(c.outcome, Internal)
	if c.slow != nil {
		c.slow.ended()
	}
	elapsed := time.Since(c.started)
	c.count(elapsed)
	if c.span != nil {
		if c.span.IsRecording() {
			c.span.SetAttributes(c.attributes()...)
			if c.failed() {
				c.span.SetStatus(codes.Error, "")
			}
		}
		c.span.End(trace.WithTimestamp(c.started.Add(elapsed)))
	}
	level, message := slog.LevelInfo, msgDone
	if c.outcome == Internal {
		level, message = slog.LevelError, msgCrash
	}
	if log := c.tool.t.log; log.Enabled(context.Background(), level) {
		log.Log(context.Background(), level, message, c.line(elapsed)...)
	}
}

func (c *Call) failed() bool { return c.outcome != OK && c.outcome != Asked }

func (c *Call) count(elapsed time.Duration) {
	ctx, m := context.Background(), c.tool.t.metrics
	m.calls.Add(ctx, 1, c.tool.ended(c.outcome))
	sampled := ctx
	if c.span != nil { // what is slow leads to its trace
		sampled = trace.ContextWithSpan(ctx, c.span)
	}
	m.duration.Record(sampled, elapsed.Seconds(), c.tool.took(c.outcome.Class()))
	if c.outcome == Blocked {
		m.blocked.Add(ctx, 1)
	}
	if c.recording > 0 {
		m.audit.Record(ctx, c.recording.Seconds())
	}
	r := c.ran
	if r == nil {
		return
	}
	m.fuel.Add(ctx, int64(r.Usage.Fuel), c.tool.byName)
	for _, find := range r.Redactions {
		if removed(find) {
			m.redactions.Add(ctx, 1, labelled("rule", m.rules.value(find.Rule)))
		}
	}
	for block, n := range r.Blocked {
		m.guard.Add(ctx, int64(n), labelled("category", cmp.Or(block.Category, "unknown"), "reason", cmp.Or(block.Reason, "unknown")))
	}
}

// removed reports whether the finding was kept from passing.
func removed(find egress.Finding) bool {
	return find.Action == egress.Redact.String() || find.Action == egress.Block.String()
}

// protocols are the versions a span may name; the client is free to ask for
// anything.
var protocols = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

func (c *Call) attributes() []attribute.KeyValue {
	attrs := slices.Concat(c.tool.attrs, []attribute.KeyValue{
		attribute.String("sandbox.cid", c.id), attribute.String("mcp.cid", c.id), attribute.String("sandbox.outcome", string(c.outcome)),
		attribute.String("mcp.transport", c.origin.Transport), attribute.String("network.transport", map[bool]string{true: "pipe", false: "tcp"}[c.origin.Transport == "stdio"]),
	})
	if slices.Contains(protocols, c.origin.Protocol) {
		attrs = append(attrs, attribute.String("mcp.protocol.version", c.origin.Protocol))
	}
	if c.failed() {
		// The MCP conventions want one of these: a result that is an error, or the
		// protocol's error code.
		kind := "tool_error"
		if c.outcome == Internal {
			kind = "-32603"
		}
		attrs = append(attrs, attribute.String("error.type", kind), attribute.String("sandbox.failure", c.failure))
	}
	if c.approval != "" {
		attrs = append(attrs, attribute.String("mcp.hitl.decision", c.approval), attribute.Float64("mcp.hitl.wait", c.person.Seconds()))
	}
	attrs = append(attrs, decision(c.judged, c.flow)...)
	if r := c.ran; r != nil {
		calls, redactions := 0, 0
		for _, u := range r.HostCalls {
			calls += u.Calls
		}
		for _, find := range r.Redactions {
			if removed(find) {
				redactions++
			}
		}
		attrs = append(attrs, attribute.Int64("sandbox.fuel", int64(r.Usage.Fuel)), attribute.Int64("sandbox.statements", int64(r.Usage.Statements)),
			attribute.Int64("sandbox.memory.peak", int64(r.Usage.PeakMemory)), attribute.Int("sandbox.hostcalls.count", calls),
			attribute.Int("sandbox.redactions.count", redactions), attribute.Float64("sandbox.queue.wait", c.queued.Seconds()))
	}
	return attrs
}

func (c *Call) line(elapsed time.Duration) []any {
	line := slices.Concat([]any{"cid", c.id}, c.tool.line, []any{"outcome", c.outcome, "duration_ms", float64(elapsed.Microseconds()) / 1000})
	if c.failure != "" {
		line = append(line, "failure", c.failure)
	}
	if c.approval != "" {
		line = append(line, "approval", c.approval)
	}
	if c.ran != nil {
		line = append(line, "fuel", c.ran.Usage.Fuel)
	}
	if c.span != nil && c.span.SpanContext().IsSampled() {
		line = append(line, "trace_id", c.span.SpanContext().TraceID().String())
	}
	return line
}
