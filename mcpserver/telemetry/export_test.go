package telemetry

import (
	"context"
	"errors"
	"io"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// OpenWith opens telemetry with the test's own exporter.
func OpenWith(ctx context.Context, config Config, version string, w io.Writer, spans sdktrace.SpanExporter) (*Telemetry, error) {
	return open(ctx, config, version, w, exporters{spans: spans})
}

// MaxLabels is the limit on values of a label.
const MaxLabels = maxLabels

// Outcomes maps each kind of failure to an outcome.
var Outcomes = outcomes

// Flush exports what is pending.
func (t *Telemetry) Flush(ctx context.Context) error {
	err := t.metrics.provider.ForceFlush(ctx)
	if t.spans != nil {
		err = errors.Join(err, t.spans.ForceFlush(ctx))
	}
	if t.lines != nil {
		err = errors.Join(err, t.lines.ForceFlush(ctx))
	}
	return err
}

// Parent returns the span a request belongs to.
func Parent(o Origin) (parent trace.SpanContext, links []trace.Link) {
	ctx, links := o.parent()
	return trace.SpanContextFromContext(ctx), links
}
