package tools_test

import (
	"slices"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

// BenchmarkUtilities calls every tool of level 0 with its test values. The bars:
// all Local Passes together under 1 s, the median tool's median call at most
// 150 us.
func BenchmarkUtilities(b *testing.B) {
	rt := openRuntime(b)
	var prepared []*runtime.Tool
	for _, s := range onDisk(b) {
		if tool := prepare(b, rt, s); tool.Level() == risk.L0 {
			prepared = append(prepared, tool)
		}
	}
	start := time.Now()
	for _, tool := range prepared {
		if report := tool.LocalPass(b.Context(), runtime.Invocation{}); report.Failure != nil {
			b.Fatal(tool.Spec().Name(), report.Failure)
		}
	}
	passes := time.Since(start)

	const calls = 50 // of each tool in a round
	medians := make([]time.Duration, 0, len(prepared))
	for b.Loop() {
		medians = medians[:0]
		for _, tool := range prepared {
			arguments, _ := tool.Spec().TestArguments()
			took := make([]time.Duration, calls)
			for i := range took {
				began := time.Now()
				call(b, tool, host.World{}, string(arguments))
				took[i] = time.Since(began)
			}
			slices.Sort(took)
			medians = append(medians, took[calls/2])
		}
	}
	slices.Sort(medians)
	b.ReportMetric(float64(passes.Milliseconds()), "ms-all-passes")
	b.ReportMetric(float64(medians[len(medians)/2].Nanoseconds())/1000, "us-median-tool")
	b.ReportMetric(float64(medians[len(medians)-1].Nanoseconds())/1000, "us-slowest-tool")
}
