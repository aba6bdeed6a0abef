package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// newExporter speaks OTLP over HTTP, to an endpoint or to where the environment
// says.
func newExporter(ctx context.Context, endpoint string) (sdktrace.SpanExporter, error) {
	var options []otlptracehttp.Option
	if endpoint != "" {
		u, err := url.Parse(endpoint)
		if err != nil {
			return nil, err
		}
		u.Path = strings.TrimSuffix(u.Path, "/")
		if !strings.HasSuffix(u.Path, "/v1/traces") {
			u.Path += "/v1/traces"
		}
		options = append(options, otlptracehttp.WithEndpointURL(u.String()))
	}
	return otlptracehttp.New(ctx, options...)
}

// complainEvery bounds the lines about a receiver that is down.
const complainEvery = time.Minute

// sender stands before an exporter. It cleans the spans, off the path of the
// calls; it counts what became of them; and it keeps errors to itself, which the
// SDK would print through a handler that all of a process shares.
type sender struct {
	sdktrace.SpanExporter
	mask    *mask
	log     *slog.Logger
	metrics *metrics

	stopped context.Context
	stop    context.CancelFunc

	complained atomic.Int64 // Unix nanoseconds
}

func newSender(exporter sdktrace.SpanExporter, m *mask, log *slog.Logger, counts *metrics) *sender {
	s := &sender{SpanExporter: exporter, mask: m, log: log, metrics: counts}
	s.stopped, s.stop = context.WithCancel(context.Background())
	return s
}

func (s *sender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.stopped, cancel)()
	cleaned := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		cleaned[i] = cleanSpan{span, s.mask}
	}
	err := s.SpanExporter.ExportSpans(ctx, cleaned)
	s.metrics.exported(len(spans), err)
	if now, last := time.Now().UnixNano(), s.complained.Load(); err != nil && now-last > int64(complainEvery) && s.complained.CompareAndSwap(last, now) {
		s.log.Warn("spans are not received; this is said once a minute", "cause", err)
	}
	return nil
}

// cleanSpan is a span without the secrets that were lent.
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

// Origin is what a request says about where it comes from.
type Origin struct {
	// Transport is "stdio" or "http".
	Transport string
	// Protocol is the version of the protocol that was agreed upon.
	Protocol string
	// Meta is the request's own _meta, Header that of the HTTP request around it.
	Meta   map[string]any
	Header http.Header
}

// traceparent is the key in _meta, which the protocol has from 2026-07-28 on, and
// the name of the header.
const traceparent = "traceparent"

// parent returns the span that a request belongs to, and the one of the HTTP
// request around it if that is another. Of the trace context only traceparent
// counts: tracestate and baggage are texts of the client's choice, and nobody here
// reads them or hands them on.
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
