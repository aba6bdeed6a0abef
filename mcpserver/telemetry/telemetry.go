package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

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
	slow    time.Duration  // from which a call is told of; 0 tells of none
	metrics *metrics
	tracer  trace.Tracer             // nil if no spans are wanted
	spans   *sdktrace.TracerProvider // likewise
	lines   *sdklog.LoggerProvider   // nil if no log lines are sent
	line    *line                    // to the receivers
}

// Open starts observing. Log lines go to w; version is the program's.
func Open(ctx context.Context, config Config, version string, w io.Writer) (*Telemetry, error) {
	if err := config.Check(); err != nil {
		return nil, err
	}
	to, err := newExporters(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return open(ctx, config, version, w, to)
}

// OpenHere starts observing without any receiver, whatever the environment says: for a
// program that runs for a moment.
func OpenHere(ctx context.Context, config Config, version string, w io.Writer) (*Telemetry, error) {
	if err := config.Check(); err != nil {
		return nil, err
	}
	return open(ctx, config, version, w, exporters{})
}

func open(ctx context.Context, config Config, version string, w io.Writer, to exporters) (*Telemetry, error) {
	t := &Telemetry{mask: newMask(), level: new(slog.LevelVar), slow: config.SlowCall}
	t.level.Set(config.LogLevel)
	// No attributes of the machine or process: command lines hold secrets.
	res, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", Name), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	lines := lineHandler(config.LogFormat, t.level, w)
	// The lines about a receiver that takes none do not go there.
	t.line = newLine(slog.New(handler{lines, t.mask, newPace()}))
	if t.metrics, err = newMetrics(res, version, to.metrics, t.line); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	if to.lines != nil {
		t.lines = sdklog.NewLoggerProvider(sdklog.WithResource(res), sdklog.WithProcessor(sdklog.NewBatchProcessor(lineSender{to.lines, t.line, t.metrics})))
		lines = emitter{Handler: lines, to: t.lines.Logger(Name)}
	}
	t.log = slog.New(handler{lines, t.mask, newPace()})
	if to.spans != nil {
		t.spans = sdktrace.NewTracerProvider(sdktrace.WithBatcher(&sender{to.spans, t.mask, t.line, t.metrics}), sdktrace.WithResource(res))
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

// Close sends what is pending, for at most two seconds, and stops. All calls must
// have ended.
func (t *Telemetry) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	// When time is up, requests that hang end.
	defer context.AfterFunc(ctx, t.line.stop)()
	var ended errgroup.Group
	for _, end := range t.ends() {
		ended.Go(func() error { return end(ctx) })
	}
	err := ended.Wait()
	t.line.stop()
	if err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	return nil
}

// ends returns what stops each kind of telemetry that there is.
func (t *Telemetry) ends() (all []func(context.Context) error) {
	all = append(all, t.metrics.provider.Shutdown)
	if t.spans != nil {
		all = append(all, t.spans.Shutdown)
	}
	if t.lines != nil {
		all = append(all, t.lines.Shutdown)
	}
	return all
}
