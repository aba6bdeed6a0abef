package jsengine

import (
	"context"
	"maps"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"
)

// BenchmarkCompiledLoops compares calls with and without compiled loops, in turns, by the
// least processor time of each.
func BenchmarkCompiledLoops(b *testing.B) {
	e := testEngine(b)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sum := 0.0
	bodies := bodiesOf(b, benchPrograms)
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		image := testImage(b, e, bodies[name])
		faster := compiled(b, image)
		if faster == nil {
			faster = image
		}
		var best [2]time.Duration
		for range 12 {
			for k, one := range []*Image{image, faster} {
				start := threadTime()
				out := one.Call(context.Background(), Call{Limits: Limits{Statements: 1 << 40, Fuel: 1 << 50, Time: time.Hour}})
				if out.Failure != nil {
					b.Fatal(out.Failure)
				}
				if took := threadTime() - start; best[k] == 0 || took < best[k] {
					best[k] = took
				}
			}
		}
		ratio := float64(best[1]) / float64(best[0])
		b.ReportMetric(ratio, name+"-ratio")
		sum += math.Log(ratio)
	}
	b.ReportMetric(math.Exp(sum/float64(len(bodies))), "geomean-ratio")
	b.ReportMetric(0, "ns/op")
}
