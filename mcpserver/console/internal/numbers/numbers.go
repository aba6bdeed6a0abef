// Package numbers turns the metrics of a server into what its operator looks at: calls a
// second, how they ended, and how long they took, over the last minutes.
package numbers

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
)

const (
	// Every is how often the metrics are read, and the width of a bar.
	Every = 30 * time.Second
	// kept is how many readings are kept: 15 minutes.
	kept = 31
	// maxTools bounds the tools of a reading, whatever it is read from: metrics have at
	// most 1,000 names and "other". The calls of the rest count as those of one.
	maxTools = 2000
	other    = "other"
)

// Reader reads the metrics, which are those of Prometheus's page.
type Reader func() ([]*dto.MetricFamily, error)

// Recent keeps readings of the last minutes. It is safe for concurrent use.
type Recent struct {
	read Reader
	now  func() time.Time

	mu  sync.Mutex
	all []reading // oldest first
}

// New returns readings of nothing yet.
func New(read Reader, now func() time.Time) *Recent { return &Recent{read: read, now: now} }

// reading is the metrics at one moment.
type reading struct {
	at     time.Time
	tools  map[string]*counts
	gauges map[string]float64
	// ended are the calls since the reading before, by outcome: with ten thousand tools the
	// bars of all readings would take a page too long.
	ended map[string]float64
	// timed is how long the calls of all tools took, by class.
	timed map[string]*timed
}

// timed are the buckets of a histogram.
type timed struct {
	buckets []bucket
	calls   float64
}

// add adds a histogram, which has the same bounds.
func (t *timed) add(h *dto.Histogram) {
	t.calls += float64(h.GetSampleCount())
	all := h.GetBucket()
	if t.buckets == nil {
		t.buckets = make([]bucket, 0, len(all))
	}
	for i, b := range all {
		if i == len(t.buckets) {
			t.buckets = append(t.buckets, bucket{le: b.GetUpperBound()})
		}
		t.buckets[i].count += float64(b.GetCumulativeCount())
	}
}

// since sets the buckets of a tool to the difference to an earlier reading; before may be
// nil.
func (t *timed) since(before *timed, tool *Tool) {
	if before == nil {
		before = &timed{}
	}
	if t.calls <= before.calls {
		return
	}
	tool.buckets, tool.timed = slices.Clone(t.buckets), t.calls-before.calls
	for i := range min(len(tool.buckets), len(before.buckets)) {
		tool.buckets[i].count -= before.buckets[i].count
	}
	tool.quantiles()
}

// endedSince sums up how the calls of all tools ended since an earlier reading.
func (now *reading) endedSince(before *reading) map[string]float64 {
	sum := map[string]float64{}
	for name, c := range now.tools {
		was := before.tools[name]
		for outcome, n := range c.ended {
			if was != nil {
				n -= was.ended[outcome]
			}
			if n > 0 {
				sum[outcome] += n
			}
		}
	}
	return sum
}

// counts are what happened to one tool since the start.
type counts struct {
	ended map[string]float64
	fuel  float64
	timed timed
}

// same reports whether nothing has happened to the tool since an earlier reading.
func (c *counts) same(before *counts) bool {
	return before != nil && c.timed.calls == before.timed.calls && c.fuel == before.fuel && maps.Equal(c.ended, before.ended)
}

type bucket struct{ le, count float64 }

// Tool is what happened to one tool in the last minutes.
type Tool struct {
	Name          string
	Calls         float64
	PerSecond     float64
	Ended         map[string]float64 // by outcome
	P50, P95, P99 time.Duration      // 0 without calls
	Fuel          float64

	timed   float64 // calls in buckets
	buckets []bucket
}

// Slice is one bar: the calls between two readings, by outcome.
type Slice struct {
	From, To time.Time
	Ended    map[string]float64
}

// Seen is what there is to show.
type Seen struct {
	From, To time.Time
	Calls    float64
	Ended    map[string]float64
	Tools    []Tool          // those with calls, most first
	Classes  map[string]Tool // all of them, by the class of their outcome
	Slices   []Slice
	gauges   map[string]float64
}

// PerSecond returns the calls a second.
func (s *Seen) PerSecond() float64 { return rate(s.Calls, s.To.Sub(s.From)) }

// Gauge returns a gauge by its name on Prometheus's page, 0 if there is none.
func (s *Seen) Gauge(name string) float64 { return s.gauges[name] }

// By sums the tools up by a word for each, in the order of the words.
func (s *Seen) By(word func(tool string) string) (all []Tool) {
	sums := map[string]*Tool{}
	for _, t := range s.Tools {
		name := word(t.Name)
		sum := sums[name]
		if sum == nil {
			sum = &Tool{Name: name, Ended: map[string]float64{}, buckets: make([]bucket, len(t.buckets))}
			sums[name] = sum
		}
		sum.Calls, sum.timed, sum.Fuel = sum.Calls+t.Calls, sum.timed+t.timed, sum.Fuel+t.Fuel
		for outcome, n := range t.Ended {
			sum.Ended[outcome] += n
		}
		if len(sum.buckets) == 0 {
			sum.buckets = make([]bucket, len(t.buckets))
		}
		for i := range min(len(sum.buckets), len(t.buckets)) { // all have the same bounds
			sum.buckets[i].le = t.buckets[i].le
			sum.buckets[i].count += t.buckets[i].count
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		t := sums[name]
		t.PerSecond = rate(t.Calls, s.To.Sub(s.From))
		t.quantiles()
		all = append(all, *t)
	}
	return all
}

// quantiles computes how long the calls in the buckets took.
func (t *Tool) quantiles() {
	if t.timed > 0 {
		t.P50, t.P95, t.P99 = quantile(t.buckets, t.timed, .5), quantile(t.buckets, t.timed, .95), quantile(t.buckets, t.timed, .99)
	}
}

func rate(calls float64, over time.Duration) float64 {
	if over < time.Second {
		return 0
	}
	return calls / over.Seconds()
}

// Take reads the metrics and keeps them.
func (r *Recent) Take() error {
	now, err := r.reading()
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.all); n > 0 {
		before := &r.all[n-1]
		now.ended = now.endedSince(before)
		for name, c := range now.tools { // what is the same is kept once
			if was := before.tools[name]; c.same(was) {
				now.tools[name] = was
			}
		}
	}
	if r.all = append(r.all, now); len(r.all) > kept {
		r.all = slices.Delete(r.all, 0, 1)
	}
	return nil
}

// Now compares the metrics with the readings of the last minutes. Before the first
// reading, everything since the start of the process counts.
func (r *Recent) Now() (*Seen, error) {
	last, err := r.reading()
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	all := append(slices.Clone(r.all), last)
	r.mu.Unlock()
	if len(all) == 1 {
		started := last.at
		if s := last.gauges["process_start_time_seconds"]; s > 0 {
			started = time.UnixMilli(int64(s * 1000))
		}
		all = []reading{{at: started}, last}
	}
	all[len(all)-1].ended = last.endedSince(&all[len(all)-2])
	first := all[0]
	seen := &Seen{From: first.at, To: last.at, Ended: map[string]float64{}, Classes: map[string]Tool{}, gauges: last.gauges}
	for class, now := range last.timed {
		t := Tool{Name: class}
		now.since(first.timed[class], &t)
		t.Calls, t.PerSecond = t.timed, rate(t.timed, last.at.Sub(first.at))
		seen.Classes[class] = t
	}
	for name, now := range last.tools {
		t := now.since(first.tools[name], name, last.at.Sub(first.at))
		if t.Calls == 0 {
			continue
		}
		seen.Calls += t.Calls
		for outcome, n := range t.Ended {
			seen.Ended[outcome] += n
		}
		seen.Tools = append(seen.Tools, t)
	}
	slices.SortFunc(seen.Tools, func(a, b Tool) int { return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name)) })
	for i := 1; i < len(all); i++ {
		seen.Slices = append(seen.Slices, Slice{From: all[i-1].at, To: all[i].at, Ended: all[i].ended})
	}
	return seen, nil
}

// since returns the difference to an earlier reading; before may be nil.
func (c *counts) since(before *counts, name string, over time.Duration) Tool {
	if before == nil {
		before = &counts{}
	}
	t := Tool{Name: name, Ended: map[string]float64{}, Fuel: c.fuel - before.fuel}
	for outcome, n := range c.ended {
		if n -= before.ended[outcome]; n > 0 {
			t.Ended[outcome] = n
			t.Calls += n
		}
	}
	t.PerSecond = rate(t.Calls, over)
	if over > 0 {
		c.timed.since(&before.timed, &t)
	}
	return t
}

// quantile estimates as Prometheus's histogram_quantile does: evenly within a bucket. A
// call beyond the last bound counts as that bound.
func quantile(buckets []bucket, total, q float64) time.Duration {
	rank, below, from := q*total, 0.0, 0.0
	for _, b := range buckets {
		if b.count >= rank {
			if b.count == below || math.IsInf(b.le, 1) {
				return seconds(from)
			}
			return seconds(from + (b.le-from)*(rank-below)/(b.count-below))
		}
		below, from = b.count, b.le
	}
	return seconds(from)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (r *Recent) reading() (reading, error) {
	families, err := r.read()
	if err != nil {
		return reading{}, err
	}
	now := reading{at: r.now(), tools: map[string]*counts{}, gauges: map[string]float64{}, timed: map[string]*timed{}}
	of := func(m *dto.Metric) *counts {
		name := label(m, "tool")
		if now.tools[name] == nil && len(now.tools) >= maxTools {
			name = other
		}
		if now.tools[name] == nil {
			now.tools[name] = &counts{ended: map[string]float64{}}
		}
		return now.tools[name]
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			switch f.GetName() {
			case "glovebox_calls_total":
				of(m).ended[label(m, "outcome")] += m.GetCounter().GetValue()
			case "glovebox_fuel_total":
				of(m).fuel += m.GetCounter().GetValue()
			case "glovebox_call_duration_seconds":
				of(m).timed.add(m.GetHistogram())
				class := label(m, "class")
				if now.timed[class] == nil {
					now.timed[class] = &timed{}
				}
				now.timed[class].add(m.GetHistogram())
			default:
				if f.GetType() == dto.MetricType_GAUGE && len(m.GetLabel()) == 0 {
					now.gauges[f.GetName()] = m.GetGauge().GetValue()
				}
			}
		}
	}
	return now, nil
}

func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}
