package host_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// The host's part of readText beside a plain read of the same file.
func BenchmarkReadText(b *testing.B) {
	const size = 1 << 20
	space := workspace(b, map[string]string{"f": strings.Repeat("0123456789abcde\n", size/16)})
	g, err := host.Mint(catalog.Posture{FileRead: true}, host.World{Workspace: space, Budget: host.Budget{Bytes: 1 << 60, Calls: 1 << 40, Time: 1 << 60}})
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	name := filepath.Join(space.Path(), "f")
	var plain, ours []time.Duration
	b.SetBytes(size)
	for b.Loop() {
		start := time.Now()
		if _, err := os.ReadFile(name); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		if text, _, err := g.Table().Call(b.Context(), budgettest.Ample(), "fs.readText", []byte("f"), nil); err != nil || len(text) != size {
			b.Fatal(len(text), err)
		}
		plain, ours = append(plain, middle.Sub(start)), append(ours, time.Since(middle))
	}
	b.ReportMetric(float64(median(ours))/float64(median(plain)), "x-plain")
	b.ReportMetric(float64(median(ours).Microseconds()), "us/readText")
}

// 64 fetches at once, from JavaScript, to a server that takes 10 ms: the bar is
// 25 ms for all of them.
func BenchmarkConcurrentFetch(b *testing.B) {
	web := newWeb(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(10 * time.Millisecond)
		io.WriteString(w, "x")
	}))
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			code := fmt.Sprintf(`const t = performance.now(); const all = []; for (let i = 0; i < %d; i++) all.push(fetch('http://a.example/' + i)); await Promise.all(all); return performance.now() - t;`, n)
			var took []time.Duration
			for b.Loop() {
				var ms float64
				if _, err := fmt.Sscan(value(b, web.world(), map[string]any{"networkMode": "strict"}, code), &ms); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Duration(ms*float64(time.Millisecond)))
			}
			b.ReportMetric(float64(median(took).Microseconds())/1000, "ms/all")
		})
	}
}

// Minting and closing, which every call of a tool does.
func BenchmarkMint(b *testing.B) {
	w := newWeb(b, http.NotFoundHandler()).world()
	w.Workspace = workspace(b, nil)
	for name, p := range map[string]catalog.Posture{
		"nothing": {}, "network": {Network: catalog.NetworkStrict}, "everything": {Network: catalog.NetworkOpen, FileRead: true, FileWrite: true, Destructive: true},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g, err := host.Mint(p, w)
				if err != nil {
					b.Fatal(err)
				}
				g.Close()
			}
		})
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// The table's own part of a host call: looked up, budgeted, written down.
func BenchmarkTableCall(b *testing.B) {
	w := newWeb(b, http.NotFoundHandler()).world()
	w.Budget = host.Budget{Bytes: 1 << 60, Calls: 1 << 40, Time: 1 << 60}
	g, err := host.Mint(catalog.Posture{Network: catalog.NetworkStrict}, w)
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := g.Table().Call(b.Context(), budgettest.Ample(), "http.abort", nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}
