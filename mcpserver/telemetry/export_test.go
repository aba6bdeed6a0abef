package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// OpenWith opens telemetry with the test's own exporter.
var OpenWith = open

// MaxLabels is the limit on values of a label.
const MaxLabels = maxLabels

// Outcomes maps each kind of failure to an outcome.
var Outcomes = outcomes

// Flush exports all pending spans.
func (t *Telemetry) Flush(ctx context.Context) error { return t.spans.ForceFlush(ctx) }

// Parent returns the span a request belongs to.
func Parent(o Origin) (parent trace.SpanContext, links []trace.Link) {
	ctx, links := o.parent()
	return trace.SpanContextFromContext(ctx), links
}
