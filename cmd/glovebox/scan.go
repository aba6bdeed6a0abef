package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/risk/poison"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

// maxScanInput is far above any list of tools (the largest known server sends
// 400 KB) and keeps a wrong path from filling the memory. In bytes.
const maxScanInput = 256 << 20

// scanned is one line of the result.
type scanned struct {
	ID       string           `json:"id"`
	Server   string           `json:"server,omitempty"`
	Flagged  bool             `json:"flagged"`
	Findings []poison.Finding `json:"findings"`
}

func newScan() *cobra.Command {
	var tools, format, failOn string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "scan --tools FILE|-",
		Short: "Look for instructions hidden in tool definitions",
		Long: `Reads a tools/list result (or prompts/list, resources/list, an initialize result)
or JSON Lines of {"id", "server", "tool"} and reports text that gives orders to
the model. Tools of one server are siblings: naming one of them is documentation.
A tool is flagged by a finding of medium or high confidence.`,
		Example: `  glovebox scan --tools tools.json
  some-client tools/list | glovebox scan --tools - --format sarif`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				format = "json"
			}
			write, ok := scanFormats[format]
			if !ok {
				return exitWith(exitUsage, fmt.Errorf("--format %q: want text, json, jsonl or sarif", format))
			}
			limit, never, err := parseFailOn(failOn)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			results, err := scan(tools, cmd.InOrStdin())
			if err != nil {
				return exitWith(exitUsage, err)
			}
			if err := write(cmd.OutOrStdout(), results); err != nil {
				return exitWith(exitIncomplete, err)
			}
			for _, r := range results {
				if !never && (poison.Report{Findings: r.Findings}).AtLeast(limit) {
					return exitWith(exitNo, nil)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&tools, "tools", "", "file with the definitions, - for standard input")
	cmd.Flags().StringVar(&format, "format", "text", "text, json, jsonl or sarif")
	oneOf(cmd, "format", "text", "json", "jsonl", "sarif")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	cmd.Flags().StringVar(&failOn, "fail-on", "medium", "end with 1 from this confidence on: low, medium, high, or none")
	oneOf(cmd, "fail-on", "low", "medium", "high", "none")
	_ = cmd.MarkFlagRequired("tools")
	return cmd
}

func parseFailOn(s string) (limit poison.Confidence, never bool, err error) {
	if s == "none" {
		return 0, true, nil
	}
	if err := limit.UnmarshalText([]byte(s)); err != nil {
		return 0, false, fmt.Errorf("--fail-on %q: want low, medium, high or none", s)
	}
	return limit, false, nil
}

func scan(name string, stdin io.Reader) ([]scanned, error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxScanInput+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxScanInput {
		return nil, errors.New("the input is larger than 256 MiB; scan one server at a time")
	}
	items, err := poison.Items(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	results, errs := make([]scanned, len(items)), make([]error, len(items))
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wait.Go(func() {
			for i := w; i < len(items); i += workers {
				it := items[i]
				report, err := poison.Scan(it.Raw, it.Names)
				if err != nil {
					errs[i] = fmt.Errorf("%s: %s: %w", name, it.ID, err)
					continue
				}
				results[i] = scanned{ID: it.ID, Server: it.Server, Flagged: report.Flagged(), Findings: report.Findings}
			}
		})
	}
	wait.Wait()
	return results, errors.Join(errs...)
}

var scanFormats = map[string]func(io.Writer, []scanned) error{
	"text":  writeScanText,
	"json":  writeScanJSON,
	"jsonl": writeScanLines,
	"sarif": writeScanSARIF,
}

func writeScanLines(w io.Writer, results []scanned) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, r := range results {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

func writeScanJSON(w io.Writer, results []scanned) error {
	flagged := 0
	for _, r := range results {
		if r.Flagged {
			flagged++
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		Scanned int       `json:"scanned"`
		Flagged int       `json:"flagged"`
		Results []scanned `json:"results"`
	}{len(results), flagged, results})
}

func writeScanText(w io.Writer, results []scanned) error {
	var b strings.Builder
	flagged := 0
	for _, r := range results {
		if !r.Flagged {
			continue
		}
		flagged++
		fmt.Fprintf(&b, "%s\n", oneLine(r.ID))
		for _, f := range r.Findings {
			if f.Confidence == poison.Low {
				continue
			}
			fmt.Fprintf(&b, "  %s %s at %s, bytes %d to %d\n    %s\n    text: %s\n", f.Confidence, f.Class, oneLine(f.Pointer), f.Start, f.End, f.Why, oneLine(f.Text))
			if f.Hidden != "" {
				fmt.Fprintf(&b, "    says: %s\n", oneLine(f.Hidden))
			}
		}
	}
	fmt.Fprintf(&b, "%d of %d flagged\n", flagged, len(results))
	_, err := io.WriteString(w, b.String())
	return err
}

// oneLine keeps what a server wrote from drawing on the terminal. Findings are
// printable already, ids and pointers are not.
func oneLine(s string) string { return glyph.Visible(strings.Join(strings.Fields(s), " ")) }
