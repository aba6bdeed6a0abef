package telemetry

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// sender wraps an exporter of spans. It cleans them outside of the calls' path and
// counts their fate.
type sender struct {
	sdktrace.SpanExporter
	mask    *mask
	line    *line
	metrics *metrics
}

func (s *sender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	cleaned := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		cleaned[i] = cleanSpan{span, s.mask}
	}
	err := s.line.send(ctx, traces, func(ctx context.Context) error { return s.SpanExporter.ExportSpans(ctx, cleaned) })
	s.metrics.exported(s.metrics.spans, len(spans), err)
	return nil
}

// cleanSpan is a span without granted secrets.
type cleanSpan struct {
	sdktrace.ReadOnlySpan
	mask *mask
}

func (s cleanSpan) Name() string { return s.mask.lent(s.ReadOnlySpan.Name()) }

func (s cleanSpan) Attributes() []attribute.KeyValue {
	attrs := s.ReadOnlySpan.Attributes()
	cleaned := make([]attribute.KeyValue, len(attrs))
	for i, a := range attrs {
		if a.Value.Type() == attribute.STRING {
			a.Value = attribute.StringValue(s.mask.lent(a.Value.AsString()))
		}
		cleaned[i] = a
	}
	return cleaned
}

// Origin describes where a request comes from.
type Origin struct {
	// Transport is "stdio" or "http".
	Transport string
	// Protocol is the negotiated protocol version.
	Protocol string
	// Meta is the request's own _meta, Header the headers of the HTTP request
	// around it.
	Meta   map[string]any
	Header http.Header
}

// traceparent is the key in _meta, part of the protocol since 2026-07-28, and the
// name of the header.
const traceparent = "traceparent"

// parent returns the span a request belongs to, and a link to that of the
// surrounding HTTP request if it differs. Only traceparent counts: tracestate and
// baggage are free text from the client, and are neither read nor forwarded.
func (o Origin) parent() (parent context.Context, links []trace.Link) {
	meta, _ := o.Meta[traceparent].(string)
	header := o.Header.Get(traceparent)
	parent = context.Background()
	if meta == "" && header == "" {
		return parent, nil
	}
	parent = extract(meta)
	around := extract(header)
	if !trace.SpanContextFromContext(parent).IsValid() {
		return around, nil
	}
	if link := trace.LinkFromContext(around); link.SpanContext.IsValid() {
		links = append(links, link)
	}
	return parent, links
}

func extract(text string) context.Context {
	if text == "" {
		return context.Background()
	}
	return propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{traceparent: text})
}
