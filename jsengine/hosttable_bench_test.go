package jsengine

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
)

// A host call through the table that tools get, from JavaScript and back: looked
// up, budgeted, written into the transcript.
func BenchmarkHostTable(b *testing.B) {
	const calls = 1000
	world := host.World{
		Resolve: func(context.Context, string) ([]netip.Addr, error) { return nil, context.Canceled },
		Dial:    func(context.Context, string, netip.AddrPort) (net.Conn, error) { return nil, context.Canceled },
		Budget:  host.Budget{Calls: 1 << 40, Bytes: 1 << 60, Time: 1 << 60},
	}
	grants, err := host.Mint(catalog.Posture{Network: catalog.NetworkStrict}, world)
	if err != nil {
		b.Fatal(err)
	}
	defer grants.Close()
	for _, c := range []struct{ name, body string }{
		{"loop", `for (let i = 0; i < 1000; i++) String(i)`},
		{"empty", `for (let i = 0; i < 1000; i++) host.call('http.abort')`},
		{"1KiB each way", `const s = new Uint8Array(1024).fill(65); for (let i = 0; i < 1000; i++) host.call('http.text', '', s)`},
	} {
		image := hostImage(b, c.body)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if out := image.Call(context.Background(), Call{Caller: grants.Table(), Seed: 1}); out.Failure != nil {
					b.Fatal(out.Failure)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/hostcall")
		})
	}
}
