package telemetry

import (
	"context"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// signal is one of the three kinds of data that OTLP carries, by its name in the
// standard variables.
type signal string

const (
	traces        signal = "TRACES"
	metricsSignal signal = "METRICS"
	logs          signal = "LOGS"
)

// path is where a receiver takes the signal, below its base URL.
func (s signal) path() string { return "/v1/" + strings.ToLower(string(s)) }

// variables are the two that say something about the signal, the specific one first.
func (s signal) variables(what string) []string {
	return []string{"OTEL_EXPORTER_OTLP_" + string(s) + "_" + what, "OTEL_EXPORTER_OTLP_" + what}
}

// receiver returns the whole URL that the configuration has for a signal, empty to use
// the environment's, and whether the signal is wanted at all.
func (c Config) receiver(s signal) (endpoint string, wanted bool) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_"+string(s)+"_EXPORTER") == "none" {
		return "", false
	}
	if c.Endpoint != "" {
		return s.at(c.Endpoint)
	}
	for _, name := range s.variables("ENDPOINT") {
		if os.Getenv(name) != "" {
			return "", true
		}
	}
	return "", false
}

// at returns where a base URL takes the signal. A URL that names another signal takes
// only that one.
func (s signal) at(base string) (endpoint string, wanted bool) {
	u, err := url.Parse(base)
	if err != nil {
		return "", false // Check says so
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	for _, other := range []signal{traces, metricsSignal, logs} {
		if strings.HasSuffix(u.Path, other.path()) {
			return u.String(), s == other
		}
	}
	u.Path += s.path()
	return u.String(), true
}

// Receivers returns the addresses that something is sent to; none if nothing is.
func (c Config) Receivers() (all []string) {
	for _, s := range []signal{traces, metricsSignal, logs} {
		endpoint, wanted := c.receiver(s)
		if !wanted {
			continue
		}
		if endpoint == "" {
			of := s.variables("ENDPOINT")
			if endpoint = os.Getenv(of[0]); endpoint == "" {
				endpoint, _ = s.at(os.Getenv(of[1]))
			}
		}
		if !slices.Contains(all, endpoint) {
			all = append(all, endpoint)
		}
	}
	return all
}

// exporters send what is observed; nil ones send nothing.
type exporters struct {
	spans   sdktrace.SpanExporter
	metrics sdkmetric.Exporter
	lines   sdklog.Exporter
}

// newExporters speak OTLP over HTTP, to the configured endpoint or the environment's.
func newExporters(ctx context.Context, c Config) (e exporters, err error) {
	if at, wanted := c.receiver(traces); wanted {
		var o []otlptracehttp.Option
		if at != "" {
			o = append(o, otlptracehttp.WithEndpointURL(at))
		}
		if e.spans, err = otlptracehttp.New(ctx, o...); err != nil {
			return e, err
		}
	}
	if at, wanted := c.receiver(metricsSignal); wanted {
		var o []otlpmetrichttp.Option
		if at != "" {
			o = append(o, otlpmetrichttp.WithEndpointURL(at))
		}
		if e.metrics, err = otlpmetrichttp.New(ctx, o...); err != nil {
			return e, err
		}
	}
	if at, wanted := c.receiver(logs); wanted {
		var o []otlploghttp.Option
		if at != "" {
			o = append(o, otlploghttp.WithEndpointURL(at))
		}
		if e.lines, err = otlploghttp.New(ctx, o...); err != nil {
			return e, err
		}
	}
	return e, nil
}

// complainEvery limits how often a receiver that does not take something is logged.
const complainEvery = time.Minute

// line is the way to a receiver. It keeps errors to itself, which the SDK would print
// through a process-wide handler, and ends requests that hang when the program stops.
type line struct {
	log     *slog.Logger
	stopped context.Context
	stop    context.CancelFunc

	complained [3]atomic.Int64 // Unix nanoseconds, by signal
}

func newLine(log *slog.Logger) *line {
	l := &line{log: log}
	l.stopped, l.stop = context.WithCancel(context.Background())
	return l
}

// send exports something and complains now and then if that fails.
func (l *line) send(ctx context.Context, s signal, export func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.stopped, cancel)()
	err := export(ctx)
	if err == nil {
		return nil
	}
	at := &l.complained[map[signal]int{traces: 0, metricsSignal: 1, logs: 2}[s]]
	if now, last := time.Now().UnixNano(), at.Load(); now-last > int64(complainEvery) && at.CompareAndSwap(last, now) {
		switch s {
		case traces:
			l.log.Warn("spans.not_received", "cause", err)
		case metricsSignal:
			l.log.Warn("metrics.not_received", "cause", err)
		case logs:
			l.log.Warn("lines.not_received", "cause", err)
		}
	}
	return err
}

// metricSender sends metrics. Their labels are cleaned where they are made.
type metricSender struct {
	sdkmetric.Exporter
	line *line
}

func (s metricSender) Export(ctx context.Context, m *metricdata.ResourceMetrics) error {
	_ = s.line.send(ctx, metricsSignal, func(ctx context.Context) error { return s.Exporter.Export(ctx, m) })
	return nil
}
