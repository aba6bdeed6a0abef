package mcpserver_test

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// BenchmarkServedCall compares a tool that does nothing, served by us with the
// audit on, with an SDK server whose handler does nothing. The two take turns in
// one run, so that a loaded machine holds up both; p50-extra-us is the median of
// the differences of neighbours. Where every record is synced, the disk takes a
// turn as well: p50-disk-us is what two syncs alone take, as one record needs.
func BenchmarkServedCall(b *testing.B) {
	b.Run("batched", func(b *testing.B) { servedCall(b, audit.Options{}) })
	b.Run("sync-always", func(b *testing.B) { servedCall(b, audit.Options{SyncAlways: true}) })
}

func servedCall(b *testing.B, options audit.Options) {
	f := newFixtureWith(b, options, mcpserver.Config{Limits: admission.Limits{Rate: 1e9}}, tool("nothing", "", ""))
	bare := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1"}, nil)
	bare.AddTool(&mcp.Tool{Name: "nothing", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "undefined"}}}, nil
		})
	here, there := net.Pipe()
	if _, err := bare.Connect(b.Context(), &mcp.IOTransport{Reader: there, Writer: there}, nil); err != nil {
		b.Fatal(err)
	}
	theirs := connect(b, stateless, &mcp.IOTransport{Reader: here, Writer: here}, nil)
	ours := f.stdio(b, stateless, nil)
	one := func(client *mcp.ClientSession) float64 {
		started := time.Now()
		if _, err := client.CallTool(b.Context(), &mcp.CallToolParams{Name: "nothing"}); err != nil {
			b.Fatal(err)
		}
		return microseconds(started)
	}
	one(ours) // compiles
	disk := syncs(b)
	var us, them, extra, alone []float64
	for b.Loop() {
		us, them = append(us, one(ours)), append(them, one(theirs))
		extra = append(extra, us[len(us)-1]-them[len(them)-1])
		if options.SyncAlways {
			alone = append(alone, disk())
		}
	}
	for unit, all := range map[string][]float64{"p50-ours-us": us, "p50-sdk-us": them, "p50-extra-us": extra, "p50-disk-us": alone} {
		if slices.Sort(all); len(all) > 0 {
			b.ReportMetric(all[len(all)/2], unit)
		}
	}
}

func microseconds(since time.Time) float64 { return float64(time.Since(since).Nanoseconds()) / 1000 }

// syncs returns a function that does to two files of its own what a record does to
// its head and its file.
func syncs(b *testing.B) func() float64 {
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp(b.TempDir(), "")
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { f.Close() })
		files[i] = f
	}
	head, record := make([]byte, 80), make([]byte, 900)
	return func() float64 {
		started := time.Now()
		_, err := files[0].WriteAt(head, 0)
		err = errors.Join(err, files[0].Sync())
		_, err2 := files[1].Write(record)
		if err = errors.Join(err, err2, files[1].Sync()); err != nil {
			b.Fatal(err)
		}
		return microseconds(started)
	}
}
