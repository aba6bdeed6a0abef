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

// newExporter speaks OTLP over HTTP, to the given endpoint or the environment's.
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

// complainEvery limits how often an unreachable receiver is logged.
const complainEvery = time.Minute

// sender wraps an exporter. It cleans spans outside of the calls' path; it counts
// their fate; and it keeps errors to itself, which the SDK would print through a
// process-wide handler.
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
		s.log.Warn("spans.not_received", "cause", err)
	}
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
