package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
)

// lineSender sends log lines, which were cleaned when they were written.
type lineSender struct {
	sdklog.Exporter
	line    *line
	metrics *metrics
}

func (s lineSender) Export(ctx context.Context, records []sdklog.Record) error {
	err := s.line.send(ctx, logs, func(ctx context.Context) error { return s.Exporter.Export(ctx, records) })
	s.metrics.exported(s.metrics.lines, len(records), err)
	return nil
}

// emitter is a handler that writes each line and sends it to a receiver as well. The
// name of the event is the record's event name and body.
type emitter struct {
	slog.Handler
	to     log.Logger
	before []attribute.KeyValue // of With
	group  string               // with a dot behind it
}

func (e emitter) Handle(ctx context.Context, r slog.Record) error {
	var out log.Record
	out.SetTimestamp(r.Time)
	out.SetObservedTimestamp(r.Time)
	out.SetEventName(r.Message)
	out.SetBody(attribute.StringValue(r.Message))
	// slog's levels are 4 apart, as are OpenTelemetry's, which begin with DEBUG at 5.
	out.SetSeverity(log.Severity(min(max(int(r.Level)+9, 1), 24)))
	out.SetSeverityText(r.Level.String())
	out.AddAttributes(e.before...)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttributes(flat(nil, e.group, a)...)
		return true
	})
	e.to.Emit(ctx, out)
	return e.Handler.Handle(ctx, r)
}

func (e emitter) WithAttrs(attrs []slog.Attr) slog.Handler {
	e.Handler = e.Handler.WithAttrs(attrs)
	before := append([]attribute.KeyValue(nil), e.before...)
	for _, a := range attrs {
		before = flat(before, e.group, a)
	}
	e.before = before
	return e
}

func (e emitter) WithGroup(name string) slog.Handler {
	e.Handler = e.Handler.WithGroup(name)
	e.group += name + "."
	return e
}

// flat appends an attribute; the members of a group have its name before theirs. Of a
// cleaned line all values are texts, numbers and times.
func flat(to []attribute.KeyValue, group string, a slog.Attr) []attribute.KeyValue {
	key, v := group+a.Key, a.Value
	switch v.Kind() {
	case slog.KindGroup:
		for _, member := range v.Group() {
			to = flat(to, key+".", member)
		}
		return to
	case slog.KindInt64:
		return append(to, attribute.Int64(key, v.Int64()))
	case slog.KindUint64:
		return append(to, attribute.Int64(key, int64(v.Uint64())))
	case slog.KindFloat64:
		return append(to, attribute.Float64(key, v.Float64()))
	case slog.KindBool:
		return append(to, attribute.Bool(key, v.Bool()))
	}
	return append(to, attribute.String(key, v.String()))
}
