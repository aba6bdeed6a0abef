package jsengine

import (
	"context"
	"testing"
)

const smallTool = `const words = text.split(' ').map((w) => ({ w, n: w.length })); return { words, total: words.reduce((s, x) => s + x.n, 0) }`

func BenchmarkCall(b *testing.B) {
	e := testEngine(b)
	for _, c := range []struct{ name, body, arguments string }{
		{"noop", ``, `{}`},
		{"json", smallTool, `{"text":"the quick brown fox jumps over the lazy dog"}`},
	} {
		image := testImage(b, e, c.body, "text")
		b.Run(c.name, func(b *testing.B) {
			call := Call{Arguments: []byte(c.arguments), Seed: 1, Buffer: make([]byte, 0, 4096)}
			b.ReportAllocs()
			for b.Loop() {
				if out := image.Call(context.Background(), call); out.Failure != nil {
					b.Fatal(out.Failure)
				}
			}
		})
	}
}

// A host call's cost is that of a program with a thousand of them, less that of
// the same loop without.
func BenchmarkHostCall(b *testing.B) {
	const calls = 1000
	caller := callerFunc(func(_ context.Context, _ string, text, _ []byte) ([]byte, []byte, error) { return text, nil, nil })
	for _, c := range []struct{ name, body string }{
		{"loop", `for (let i = 0; i < 1000; i++) String(i)`},
		{"empty", `for (let i = 0; i < 1000; i++) host.call('a.b')`},
		{"1KiB each way", `const s = 'x'.repeat(1024); for (let i = 0; i < 1000; i++) host.call('a.b', s)`},
		{"asynchronous", `for (let i = 0; i < 1000; i++) await host.start('a.b').promise`},
	} {
		image := hostImage(b, c.body)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if out := image.Call(context.Background(), Call{Caller: caller, Seed: 1}); out.Failure != nil {
					b.Fatal(out.Failure)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/hostcall")
		})
	}
}

// A new instance, as the pool makes one when it has none.
func BenchmarkNewInstance(b *testing.B) {
	e := testEngine(b)
	image := testImage(b, e, smallTool, "text")
	for b.Loop() {
		i, err := e.machine.newInstance(e.base.pages, uint64(image.pages.Size()), DefaultLimits.Memory)
		if err != nil {
			b.Fatal(err)
		}
		i.fill(image)
		i.close()
	}
}

func BenchmarkReset(b *testing.B) {
	e := testEngine(b)
	image := testImage(b, e, smallTool, "text")
	i, err := e.pool.take(image)
	if err != nil {
		b.Fatal(err)
	}
	defer i.close()
	for b.Loop() {
		i.reset(image)
	}
}

func BenchmarkImage(b *testing.B) {
	e := testEngine(b)
	for b.Loop() {
		testImage(b, e, smallTool, "text")
	}
}
