package jsengine

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/guest/prelude"
	"github.com/glovebox-run/glovebox/jsengine/linear"
)

// engineWith is an engine whose guests have the given prelude files.
func engineWith(tb testing.TB, files []prelude.File) *Engine {
	tb.Helper()
	m, err := sharedMachine(context.Background(), testCache())
	if err != nil {
		tb.Fatal(err)
	}
	e := &Engine{machine: m, prelude: files, pool: newPool(m, 8, restAfter, nil)}
	for _, f := range files {
		e.operations = append(e.operations, f.Needs...)
	}
	if e.base, err = e.boot(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(e.Close)
	return e
}

// restoredBytes is how much of an image one call changes, which is what putting
// it back copies.
func restoredBytes(tb testing.TB, image *Image, call Call) int {
	tb.Helper()
	i, err := image.engine.pool.take(image)
	if err != nil {
		tb.Fatal(err)
	}
	defer i.close()
	var out Outcome
	i.execute(context.Background(), image, &call, time.Now(), &out)
	if out.Failure != nil {
		tb.Fatal(out.Failure)
	}
	const page = linear.PageSize
	zero := make([]byte, page)
	memory, changed := i.memory.Bytes(), 0
	for n := range image.pages.Size() / page {
		was := image.pages.Page(n)
		if was == nil {
			was = zero
		}
		if !bytes.Equal(was, memory[n*page:(n+1)*page]) {
			changed += page
		}
	}
	return changed
}

// A tool that uses nothing of the library pays nothing for it. The bars: at most
// 1.25 times the bytes restored after a call without it, and the median call
// within 5 %.
func BenchmarkLibrary(b *testing.B) {
	all, err := prelude.Files()
	if err != nil {
		b.Fatal(err)
	}
	ground := slices.DeleteFunc(slices.Clone(all), func(f prelude.File) bool { return !f.Ground() })
	call := Call{Arguments: []byte(`{"text":"the quick brown fox jumps over the lazy dog"}`), Seed: 1, Buffer: make([]byte, 0, 4096)}
	bare := testImage(b, engineWith(b, ground), smallTool, "text")
	whole := testImage(b, engineWith(b, all), smallTool, "text")
	before, with := restoredBytes(b, bare, call), restoredBytes(b, whole, call)

	var times [2][]time.Duration
	images := [2]*Image{bare, whole}
	for n := 0; b.Loop(); n++ { // in turns, so that both see the same machine
		for k := range images {
			k ^= n & 1
			start := time.Now()
			if out := images[k].Call(context.Background(), call); out.Failure != nil {
				b.Fatal(out.Failure)
			}
			times[k] = append(times[k], time.Since(start))
		}
	}
	for k := range times {
		slices.Sort(times[k])
	}
	middle := len(times[0]) / 2
	b.ReportMetric(float64(before), "B-restored-bare")
	b.ReportMetric(float64(with), "B-restored-whole")
	b.ReportMetric(float64(with)/float64(before), "x-restored")
	b.ReportMetric(float64(times[1][middle])/float64(times[0][middle]), "x-p50")
}
