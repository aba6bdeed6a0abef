package telemetry

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/otel/attribute"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/glovebox-run/glovebox/runtime/admission"
)

// Upper bounds of buckets, in seconds. A call takes between a tenth of a
// millisecond and its timeout of 30 s; a person has two minutes to answer.
var (
	callBuckets   = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	queueBuckets  = []float64{.0001, .001, .01, .1, 1, 10, 60}
	personBuckets = []float64{1, 2, 5, 10, 30, 60, 120}
	auditBuckets  = []float64{.00001, .000025, .00005, .0001, .00025, .0005, .001, .0025, .005, .01, .05, .25}
)

// maxLabels bounds the values of a label. Names come from specs, rules and guards,
// never from clients, but a folder of specs may change for months.
const maxLabels = 1000

// other stands for the values beyond maxLabels.
const other = "other"

// scrapeTime bounds one scrape; Prometheus's own limit is 10 s by default.
const scrapeTime = 10 * time.Second

// metrics are the instruments. Prometheus derives its names from names and units:
// glovebox.call.duration in s becomes glovebox_call_duration_seconds.
type metrics struct {
	provider *sdkmetric.MeterProvider
	handler  http.Handler
	registry *prometheus.Registry
	meter    metric.Meter

	calls, fuel, asked, decisions, blocked, redactions, guard, away, spans, lines, unpublished metric.Int64Counter
	duration, queued, person, audit                                                            metric.Float64Histogram

	sent, unsent metric.MeasurementOption
	tools, rules labels
}

func newMetrics(res *resource.Resource, version string, push sdkmetric.Exporter, over *line) (*metrics, error) {
	registry := prometheus.NewRegistry()
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry), otelprometheus.WithoutScopeInfo())
	if err != nil {
		return nil, err
	}
	if err := errors.Join(registry.Register(collectors.NewGoCollector()), registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))); err != nil {
		return nil, err
	}
	// labels enforces the limit in place of the SDK.
	options := []sdkmetric.Option{sdkmetric.WithReader(exporter), sdkmetric.WithResource(res), sdkmetric.WithExemplarFilter(exemplar.TraceBasedFilter), sdkmetric.WithCardinalityLimit(0)}
	if push != nil {
		options = append(options, sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metricSender{push, over})))
	}
	m := &metrics{
		registry: registry,
		handler:  promhttp.HandlerFor(registry, promhttp.HandlerOpts{Timeout: scrapeTime, EnableOpenMetrics: true}),
		provider: sdkmetric.NewMeterProvider(options...),
		sent:     labelled("result", "sent"),
		unsent:   labelled("result", "failed"),
	}
	m.meter = m.provider.Meter(Name)
	var errs []error
	counter := func(name, unit, help string) metric.Int64Counter {
		c, err := m.meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(help))
		errs = append(errs, err)
		return c
	}
	seconds := func(name, help string, buckets []float64) metric.Float64Histogram {
		h, err := m.meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(help), metric.WithExplicitBucketBoundaries(buckets...))
		errs = append(errs, err)
		return h
	}
	m.calls = counter("glovebox.calls", "", "Calls by how they ended.")
	m.duration = seconds("glovebox.call.duration", "From the arrival of a call to its answer, questions to people included; 0.1 ms to 30 s. The class is ok, asked, refused or failed.", callBuckets)
	m.fuel = counter("glovebox.fuel", "", "WebAssembly instructions that tools took.")
	m.queued = seconds("glovebox.queue.wait", "Until a call had its turn.", queueBuckets)
	m.asked = counter("glovebox.approvals.asked", "", "Questions to people.")
	m.decisions = counter("glovebox.approvals.answered", "", "Questions to people by what came of them.")
	m.person = seconds("glovebox.approval.wait", "Until there was an answer of a person.", personBuckets)
	m.blocked = counter("glovebox.outputs.blocked", "", "Results that were not passed on.")
	m.redactions = counter("glovebox.redactions", "", "Secrets that were taken out of results, log lines and errors of tools.")
	m.guard = counter("glovebox.guard.blocked", "", "Host calls that a guard of the sandbox stopped.")
	m.audit = seconds("glovebox.audit.append", "To write an audit record, 10 us to 250 ms.", auditBuckets)
	m.away = counter("glovebox.requests.refused", "", "Requests over HTTP that were not let in (token, scope) or told to come back later (rate, queue, sessions, principals, connections, bytes).")
	m.unpublished = counter("glovebox.audit.unpublished", "", "Audit records that left the file before they were copied to the cluster of --nats.")
	m.spans = counter("glovebox.spans", "", "Spans that the receiver took (sent) or did not (failed).")
	m.lines = counter("glovebox.lines", "", "Log lines that the receiver took (sent) or did not (failed).")
	built := built(version)
	_, err = m.meter.Int64ObservableGauge("glovebox.build.info", metric.WithDescription("Always 1; the labels say which build this is."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(1, built)
			return nil
		}))
	errs = append(errs, err)
	m.begin()
	return m, errors.Join(errs...)
}

// turnedAway are the reasons that requests are refused for.
var turnedAway = []string{
	"token", "scope", string(admission.TooFast), string(admission.TooManyWaiting), string(admission.TooManySessions), string(admission.TooManyClients),
	string(admission.TooManyConnections), string(admission.TooManyBytes),
}

// begin counts nothing: a counter whose labels are known is there from the first
// scrape, so that its first increase is one.
func (m *metrics) begin() {
	ctx := context.Background()
	for _, c := range []metric.Int64Counter{m.asked, m.blocked, m.unpublished} {
		c.Add(ctx, 0)
	}
	for _, c := range []metric.Int64Counter{m.spans, m.lines} {
		c.Add(ctx, 0, m.sent)
		c.Add(ctx, 0, m.unsent)
	}
	for _, reason := range turnedAway {
		m.away.Add(ctx, 0, labelled("reason", reason))
	}
	for _, outcome := range []string{approved, declined} {
		m.decisions.Add(ctx, 0, labelled("outcome", outcome, "side", "server"))
	}
}

// publish begins the counters of a tool. Calls end in a few ways as a rule; the others
// appear when they happen.
func (m *metrics) publish(s *Tool) {
	ctx := context.Background()
	for _, o := range []Outcome{OK, Error, Internal} {
		m.calls.Add(ctx, 0, s.ended(o))
	}
	m.fuel.Add(ctx, 0, s.byName)
}

func labelled(pairs ...string) metric.MeasurementOption {
	var attrs []attribute.KeyValue
	for i := 0; i < len(pairs); i += 2 {
		attrs = append(attrs, attribute.String(pairs[i], pairs[i+1]))
	}
	return metric.WithAttributeSet(attribute.NewSet(attrs...))
}

// built labels this build.
func built(version string) metric.MeasurementOption {
	revision := ""
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	return labelled("version", version, "revision", revision, "go", runtime.Version())
}

// exported counts the fate of spans or lines.
func (m *metrics) exported(of metric.Int64Counter, n int, err error) {
	result := m.sent
	if err != nil {
		result = m.unsent
	}
	of.Add(context.Background(), int64(n), result)
}

// Unpublished counts audit records that left the file before the cluster had them.
func (t *Telemetry) Unpublished(n int) {
	if t != nil {
		t.metrics.unpublished.Add(context.Background(), int64(n))
	}
}

// TurnedAway counts an HTTP request refused before it became a call. The reason is
// one of a closed list.
func (t *Telemetry) TurnedAway(reason string) {
	if t != nil {
		t.metrics.away.Add(context.Background(), 1, labelled("reason", reason))
	}
}

// Read returns the metrics as they are now, for a program that shows them itself.
func (t *Telemetry) Read() ([]*dto.MetricFamily, error) {
	if t == nil {
		return nil, nil
	}
	return t.metrics.registry.Gather()
}

// Gauges report current values. They are read on each scrape.
type Gauges struct {
	Tools    func() int // published
	Sessions func() int // of the older protocol version
	Idle     func() int // instances waiting for a call
	Calls    func() (running, waiting int)
}

// Watch adds a server's gauges to its metrics.
func (t *Telemetry) Watch(g Gauges) error {
	if t == nil {
		return nil
	}
	var errs []error
	gauge := func(name, help string, read func() int) {
		_, err := t.metrics.meter.Int64ObservableGauge(name, metric.WithDescription(help), metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(read()))
			return nil
		}))
		errs = append(errs, err)
	}
	gauge("glovebox.tools", "Tools that are published.", g.Tools)
	gauge("glovebox.sessions", "Open sessions of clients.", g.Sessions)
	gauge("glovebox.calls.running", "Calls that run at the moment.", func() int { running, _ := g.Calls(); return running })
	gauge("glovebox.calls.waiting", "Calls that wait for a free place.", func() int { _, waiting := g.Calls(); return waiting })
	gauge("glovebox.instances.idle", "Instances of the sandbox that wait for a call.", g.Idle)
	return errors.Join(errs...)
}

// State is what a running server knows of itself beside its calls. It is read on each
// scrape.
type State struct {
	Questions func() (open int, ok bool) // to people; not shown when they cannot be counted
	Withheld  func() int                 // specs that are not published
	// Store is what went to the store and came from it so far.
	Store func() Traffic
	// Configuration and Specs say whether the last reading of each succeeded.
	Configuration, Specs func() bool
}

// Traffic is what went over a connection.
type Traffic struct{ MessagesIn, MessagesOut, BytesIn, BytesOut uint64 }

// WatchState adds the gauges of a server's state.
func (t *Telemetry) WatchState(s State) error {
	if t == nil {
		return nil
	}
	gauge := func(name, help string, observe metric.Int64Callback) error {
		_, err := t.metrics.meter.Int64ObservableGauge(name, metric.WithDescription(help), metric.WithInt64Callback(observe))
		return err
	}
	in, out := labelled("direction", "in"), labelled("direction", "out")
	counter := func(name, unit, help string, read func(Traffic) (in, out uint64)) error {
		_, err := t.metrics.meter.Int64ObservableCounter(name, metric.WithUnit(unit), metric.WithDescription(help), metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			came, went := read(s.Store())
			o.Observe(int64(came), in)
			o.Observe(int64(went), out)
			return nil
		}))
		return err
	}
	configuration, specs := labelled("what", "configuration"), labelled("what", "specs")
	return errors.Join(
		counter("glovebox.store.messages", "", "Messages to the store (out) and from it (in).", func(all Traffic) (in, out uint64) { return all.MessagesIn, all.MessagesOut }),
		counter("glovebox.store.traffic", "By", "Bytes of these messages.", func(all Traffic) (in, out uint64) { return all.BytesIn, all.BytesOut }),
		gauge("glovebox.questions.open", "Questions that wait for an answer of a person; counted every 10 s.", func(_ context.Context, o metric.Int64Observer) error {
			if n, ok := s.Questions(); ok {
				o.Observe(int64(n))
			}
			return nil
		}),
		gauge("glovebox.specs.withheld", "Specs that are not published.", func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(s.Withheld()))
			return nil
		}),
		gauge("glovebox.reload.succeeded", "1 if the last reading of the configuration, or of the specs, succeeded.", func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(number(s.Configuration()), configuration)
			o.Observe(number(s.Specs()), specs)
			return nil
		}),
	)
}

func number(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// labels admits the values of one label: the first maxLabels of them.
type labels struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (l *labels) value(s string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen[s] {
		return s
	}
	if len(l.seen) >= maxLabels {
		return other
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[s] = true
	return s
}
