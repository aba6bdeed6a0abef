package numbers_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/glovebox-run/glovebox/mcpserver/console/internal/numbers"
)

// TestRecent: the numbers are of the last minutes, and the quantiles those that a
// histogram of Prometheus has.
func TestRecent(t *testing.T) {
	registry := prometheus.NewRegistry()
	calls := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "glovebox_calls_total"}, []string{"tool", "outcome"})
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "glovebox_call_duration_seconds", Buckets: []float64{.1, .2, .4}}, []string{"tool", "class"})
	running := prometheus.NewGauge(prometheus.GaugeOpts{Name: "glovebox_calls_running"})
	registry.MustRegister(calls, took, running)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := numbers.New(registry.Gather, func() time.Time { return now })
	call := func(tool, outcome string, seconds float64, n int) {
		for range n {
			calls.WithLabelValues(tool, outcome).Inc()
			took.WithLabelValues(tool, map[string]string{"ok": "ok"}[outcome]).Observe(seconds)
		}
	}
	call("old", "ok", .05, 1000)
	if err := r.Take(); err != nil {
		t.Fatal(err)
	}
	call("fetch", "ok", .15, 90)
	call("fetch", "error", .3, 10)
	running.Set(3)
	now = now.Add(50 * time.Second)
	seen, err := r.Now()
	if err != nil {
		t.Fatal(err)
	}
	if len(seen.Tools) != 1 || seen.Tools[0].Name != "fetch" || seen.Calls != 100 || seen.PerSecond() != 2 || seen.Ended["error"] != 10 {
		t.Errorf("%+v", seen)
	}
	// 90 within 0.1 to 0.2 s, evenly: the 50th is at 0.1 + 0.1*50/90, the 95th half-way
	// through the bucket of the last ten.
	for q, is := range map[float64]time.Duration{.1 + .1*50/90: seen.Tools[0].P50, .2 + .2*5/10: seen.Tools[0].P95, .2 + .2*9/10: seen.Tools[0].P99} {
		if math.Abs(is.Seconds()-q) > 1e-6 {
			t.Errorf("%v, want %v s", is, q)
		}
	}
	// Of those that ended well all are within 0.1 to 0.2 s, of the others within 0.2 to 0.4.
	if ok, not := seen.Classes["ok"], seen.Classes[""]; ok.Calls != 90 || ok.P50 != 150*time.Millisecond || not.Calls != 10 || not.P50 != 300*time.Millisecond || not.PerSecond != .2 {
		t.Errorf("by class: %+v", seen.Classes)
	}
	call("slow", "ok", .3, 100)
	if seen, err = r.Now(); err != nil {
		t.Fatal(err)
	}
	by := seen.By(func(tool string) string { return map[string]string{"fetch": "L3", "slow": "L3"}[tool] })
	// Of 200 calls 90 are within 0.1 to 0.2 s and 110 within 0.2 to 0.4 s.
	if len(by) != 1 || by[0].Name != "L3" || by[0].Calls != 200 || by[0].PerSecond != 4 || by[0].Ended["ok"] != 190 || math.Abs(by[0].P50.Seconds()-(.2+.2*10/110)) > 1e-6 {
		t.Errorf("by level: %+v", by)
	}
	if seen.Gauge("glovebox_calls_running") != 3 || len(seen.Slices) != 1 || seen.Slices[0].Ended["ok"] != 190 {
		t.Errorf("%+v", seen.Slices)
	}
	for range 100 {
		now = now.Add(numbers.Every)
		if err := r.Take(); err != nil {
			t.Fatal(err)
		}
	}
	if seen, _ := r.Now(); len(seen.Slices) > 31 || seen.Calls != 0 || seen.To.Sub(seen.From) > 16*time.Minute {
		t.Errorf("after an hour without calls: %d bars, %v calls, %v", len(seen.Slices), seen.Calls, seen.To.Sub(seen.From))
	}
}

// TestWhatIsKeptIsBounded: of tools that nobody calls a reading costs next to nothing, and
// beyond two thousand they share one place.
func TestWhatIsKeptIsBounded(t *testing.T) {
	registry := prometheus.NewRegistry()
	calls := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "glovebox_calls_total"}, []string{"tool", "outcome"})
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "glovebox_call_duration_seconds", Buckets: prometheus.ExponentialBuckets(.0001, 2, 17)}, []string{"tool", "class"})
	registry.MustRegister(calls, took)
	const tools = 5000
	for i := range tools {
		calls.WithLabelValues(fmt.Sprint("tool-", i), "ok").Inc()
		took.WithLabelValues(fmt.Sprint("tool-", i), "ok").Observe(1)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := numbers.New(func() ([]*dto.MetricFamily, error) { return families, nil }, func() time.Time { return now })
	seen, err := r.Now()
	if err != nil || len(seen.Tools) != 2001 || seen.Calls != tools || seen.Classes["ok"].Calls != tools {
		t.Fatalf("%d tools with %v calls, %v", len(seen.Tools), seen.Calls, err)
	}
	for range 100 {
		if now = now.Add(numbers.Every); r.Take() != nil {
			t.Fatal("not read")
		}
	}
	var with, without runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&with)
	runtime.KeepAlive(r)
	r = nil
	runtime.GC()
	runtime.ReadMemStats(&without)
	runtime.KeepAlive(families)
	// 31 maps of 2,000 pointers, and one set of counts.
	kept := int64(with.HeapAlloc) - int64(without.HeapAlloc)
	if t.Log(kept>>10, "KiB"); kept > 10<<20 {
		t.Errorf("%d KiB are kept", kept>>10)
	}
}
