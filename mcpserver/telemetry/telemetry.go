package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/glovebox-run/glovebox/risk/egress"
)

// Name is the service name in spans and metrics, unless OTEL_SERVICE_NAME overrides
// it.
const Name = "glovebox"

// flushTime bounds how long Close waits for the receiver, so that a stopping
// program is not held up.
const flushTime = 2 * time.Second

// Telemetry observes the calls of one server. It is safe for concurrent use; nil
// observes nothing.
type Telemetry struct {
	mask    *mask
	log     *slog.Logger
	level   *slog.LevelVar // of log
	metrics *metrics
	tracer  trace.Tracer             // nil if no spans are wanted
	spans   *sdktrace.TracerProvider // likewise
	sender  *sender                  // likewise
}

// Open starts observing. Log lines go to w; version is the program's.
func Open(ctx context.Context, config Config, version string, w io.Writer) (*Telemetry, error) {
	if err := config.Check(); err != nil {
		return nil, err
	}
	var exporter sdktrace.SpanExporter
	if endpoint, wanted := config.receiver(); wanted {
		var err error
		if exporter, err = newExporter(ctx, endpoint); err != nil {
			return nil, fmt.Errorf("telemetry: %w", err)
		}
	}
	return open(ctx, config, version, w, exporter)
}

func open(ctx context.Context, config Config, version string, w io.Writer, exporter sdktrace.SpanExporter) (*Telemetry, error) {
	t := &Telemetry{mask: newMask(), level: new(slog.LevelVar)}
	t.level.Set(config.LogLevel)
	t.log = slog.New(handler{lineHandler(config.LogFormat, t.level, w), t.mask, newPace()})
	// No attributes of the machine or process: command lines hold secrets.
	res, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", Name), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	if t.metrics, err = newMetrics(res); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	if exporter != nil {
		t.sender = newSender(exporter, t.mask, t.log, t.metrics)
		t.spans = sdktrace.NewTracerProvider(sdktrace.WithBatcher(t.sender), sdktrace.WithResource(res))
		t.tracer = t.spans.Tracer(Name)
	}
	return t, nil
}

func lineHandler(format string, level slog.Leveler, w io.Writer) slog.Handler {
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.NewJSONHandler(w, options)
	}
	return slog.NewTextHandler(w, options)
}

// Logger returns a logger whose lines are cleaned of secrets.
func (t *Telemetry) Logger() *slog.Logger {
	if t == nil {
		return slog.New(slog.DiscardHandler)
	}
	return t.log
}

// SetLogLevel changes the lowest level logged.
func (t *Telemetry) SetLogLevel(level slog.Level) {
	if t != nil {
		t.level.Set(level)
	}
}

// Learn masks the secrets in everything observed from now on, and whatever the
// sanitiser takes for a secret.
func (t *Telemetry) Learn(sanitiser *egress.Sanitiser, secrets []string) {
	if t != nil {
		t.mask.learn(sanitiser, secrets)
	}
}

// Metrics serves the metrics in the Prometheus format. It is nil if nothing is
// counted.
func (t *Telemetry) Metrics() http.Handler {
	if t == nil {
		return nil
	}
	return t.metrics.handler
}

// Close sends pending spans, for at most two seconds, and stops. All calls must
// have ended.
func (t *Telemetry) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	var err error
	if t.spans != nil {
		ctx, cancel := context.WithTimeout(ctx, flushTime)
		defer cancel()
		// When time is up, cancel requests that hang.
		defer context.AfterFunc(ctx, t.sender.stop)()
		err = t.spans.Shutdown(ctx)
		t.sender.stop()
	}
	if err = errors.Join(err, t.metrics.provider.Shutdown(ctx)); err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	return nil
}
