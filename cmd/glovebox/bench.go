package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/jsengine"
)

// benchTools are the tools that bench calls: an empty one, and a small computation
// over JSON, as most tools are.
var benchTools = []struct{ name, body, arguments string }{
	{"noop", "return null;", "{}"},
	{"json", "const total = items.reduce((sum, item) => sum + item.price * item.count, 0);\nreturn { count: items.length, total, names: items.map((item) => item.name).sort() };",
		`{"items":[{"name":"pear","price":1.25,"count":4},{"name":"apple","price":0.8,"count":10},{"name":"fig","price":2.5,"count":2}]}`},
}

// benchRow holds the call times of one tool, in microseconds.
type benchRow struct {
	Tool  string  `json:"tool"`
	Calls int     `json:"calls"`
	P50   float64 `json:"p50Us"`
	P90   float64 `json:"p90Us"`
	P99   float64 `json:"p99Us"`
	Fuel  uint64  `json:"fuel"`
}

type benchReport struct {
	buildInfo
	StartMs float64    `json:"startMs"` // the engine, with the cache as it is
	Rows    []benchRow `json:"rows"`
}

func newBench() *cobra.Command {
	var calls int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure what a call in a fresh sandbox costs on this machine",
		Long: `Measure what a call in a fresh sandbox costs on this machine: every call gets
memory that nothing ran in before, JSON arguments and a JSON result.

Comparisons with other engines are made by make bench in the repository.`,
		Example: `  glovebox bench
  glovebox bench --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if calls < 100 || calls > 1_000_000 {
				return exitWith(exitUsage, fmt.Errorf("--calls %d: want 100 to 1000000", calls))
			}
			report, err := measure(cmd, calls)
			if err != nil {
				return exitWith(exitIncomplete, err)
			}
			out := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(report)
			}
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintln(w, "tool\tp50 us\tp90 us\tp99 us\tcalls\tfuel\t")
			for _, r := range report.Rows {
				fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%.1f\t%d\t%d\t\n", r.Tool, r.P50, r.P90, r.P99, r.Calls, r.Fuel)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "the engine started in %.1f ms (%s, %s)\n", report.StartMs, report.Go, report.Platform)
			return nil
		},
	}
	cmd.Flags().IntVar(&calls, "calls", 5000, "calls of each tool")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.AddCommand(newBenchServe())
	return cmd
}

func measure(cmd *cobra.Command, calls int) (benchReport, error) {
	report := benchReport{buildInfo: readBuildInfo()}
	start := time.Now()
	engine, err := jsengine.Open(cmd.Context(), jsengine.Config{CacheDir: cacheDir()})
	if err != nil {
		return report, err
	}
	defer engine.Close()
	report.StartMs = float64(time.Since(start).Microseconds()) / 1000
	for _, t := range benchTools {
		image, err := engine.Image(cmd.Context(), jsengine.Program{File: t.name + ".js", Body: t.body, Names: []string{"items"}})
		if err != nil {
			return report, err
		}
		row := benchRow{Tool: t.name, Calls: calls}
		took := make([]time.Duration, 0, calls)
		for n := range calls + calls/10 {
			began := time.Now()
			out := image.Call(cmd.Context(), jsengine.Call{Arguments: []byte(t.arguments)})
			if out.Failure != nil {
				return report, out.Failure
			}
			if n >= calls/10 { // the first tenth warms up
				took = append(took, time.Since(began))
			}
			row.Fuel = out.Usage.Fuel
		}
		slices.Sort(took)
		at := func(percent int) float64 { return float64(took[(len(took)-1)*percent/100].Nanoseconds()) / 1000 }
		row.P50, row.P90, row.P99 = at(50), at(90), at(99)
		report.Rows = append(report.Rows, row)
	}
	return report, nil
}
