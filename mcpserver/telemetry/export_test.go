package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// OpenWith opens with an exporter of the test's own.
var OpenWith = open

// MaxLabels is how many values of a label there are.
const MaxLabels = maxLabels

// Outcomes are the rows for kinds of failure.
var Outcomes = outcomes

// Flush exports what is waiting.
func (t *Telemetry) Flush(ctx context.Context) error { return t.spans.ForceFlush(ctx) }

// Parent is the span that a request belongs to.
func Parent(o Origin) (parent trace.SpanContext, links []trace.Link) {
	ctx, links := o.parent()
	return trace.SpanContextFromContext(ctx), links
}
