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
