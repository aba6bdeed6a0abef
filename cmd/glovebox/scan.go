package main

import (
	"cmp"
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

// maxScanInput, in bytes, is far above any list of tools (the largest known server
// sends 400 KB) and keeps a wrong path from filling the memory.
const maxScanInput = 256 << 20

// scanned is one line of the result.
type scanned struct {
	ID       string           `json:"id"`
	Server   string           `json:"server,omitempty"`
	Flagged  bool             `json:"flagged"`
	Findings []poison.Finding `json:"findings"`
}

func newScan() *cobra.Command {
	var tools, text, format, failOn string
	var asJSON bool
	var kept scanStore
	servers := serverScan{kept: &kept}
	cmd := &cobra.Command{
		Use:   "scan URL... | --start -- COMMAND | --clients | --tools FILE|- | --text FILE|-",
		Short: "Score MCP servers, and look for instructions hidden in definitions and results",
		Long: `With a URL, or a command after --, looks at a server without calling a tool and scores
what it offers: transport, authorization, tools, schemas, texts. A command is only
started with --start. The report says what it is not; scan history keeps it.

With --clients, lists the servers that MCP clients on this machine are configured with
and every file that was looked at; --contact and --start scan them.

With --tools, reads a tools/list result (or prompts/list, resources/list, an initialize result)
or JSON Lines of {"id", "server", "tool"} and reports text that gives orders to
the model. Tools of one server are siblings: naming one of them is documentation.
A tool is flagged by a finding of medium or high confidence.

With --text, reads what a server returned: a result of tools/call, resources/read
or prompts/get, an elicitation request, JSON Lines of {"id", "text"}, or any other
text as a whole. Such texts are judged by a bar of their own.`,
		Example: `  glovebox scan https://mcp.example.com/mcp --fail-on high
  glovebox scan --start --format html -- npx -y some-server > report.html
  glovebox scan --clients
  glovebox scan --tools tools.json
  some-client tools/list | glovebox scan --tools - --format sarif
  curl -s https://example.com/page | glovebox scan --text -`,
		Annotations: map[string]string{takesURLs: "true"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				format = "json"
			}
			if tools == "" && text == "" {
				return servers.run(cmd, args, format, failOn)
			}
			if len(args) > 0 {
				return exitWith(exitUsage, errors.New("--tools and --text take no server"))
			}
			failOn = cmp.Or(failOn, "medium")
			write, ok := scanFormats[format]
			if !ok {
				return exitWith(exitUsage, fmt.Errorf("--format %q: want text, json, jsonl or sarif", format))
			}
			limit, never, err := parseFailOn(failOn)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			name, read := tools, scanTools
			if text != "" {
				name, read = text, scanTexts
			}
			results, err := scan(name, cmd.InOrStdin(), read)
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
	cmd.Flags().StringVar(&text, "text", "", "file with results, resources, prompts or elicitations, - for standard input")
	cmd.Flags().StringVar(&format, "format", "text", "text, json, jsonl or sarif; for servers also html, md, junit and badge")
	oneOf(cmd, "format", "text", "json", "jsonl", "sarif", "html", "md", "junit", "badge")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	cmd.Flags().StringVar(&failOn, "fail-on", "", "end with 1 from this confidence on: low, medium (default), high, or none; for servers from this severity on: info, low, medium, high (default), critical, or none")
	oneOf(cmd, "fail-on", "info", "low", "medium", "high", "critical", "none")
	servers.flags(cmd)
	kept.flags(cmd)
	cmd.MarkFlagsMutuallyExclusive("tools", "text", "clients")
	cmd.AddCommand(newScanDiff(&kept), newScanHistory(&kept), newScanFeedback(&kept), newScanForget(&kept))
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

// subject is one thing to scan.
type subject struct {
	id, server string
	scan       func() (poison.Report, error)
}

func scanTools(input []byte) ([]subject, error) {
	items, err := poison.Items(input)
	if err != nil {
		return nil, err
	}
	all := make([]subject, len(items))
	for i, it := range items {
		all[i] = subject{it.ID, it.Server, func() (poison.Report, error) { return poison.Scan(it.Raw, it.Names) }}
	}
	return all, nil
}

func scanTexts(input []byte) ([]subject, error) {
	texts := poison.Texts(input)
	all := make([]subject, len(texts))
	for i, t := range texts {
		all[i] = subject{t.ID, "", func() (poison.Report, error) { return poison.ScanResult(t.Text), nil }}
	}
	return all, nil
}

func scan(name string, stdin io.Reader, read func([]byte) ([]subject, error)) ([]scanned, error) {
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
	subjects, err := read(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	results, errs := make([]scanned, len(subjects)), make([]error, len(subjects))
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wait.Go(func() {
			for i := w; i < len(subjects); i += workers {
				it := subjects[i]
				report, err := it.scan()
				if err != nil {
					errs[i] = fmt.Errorf("%s: %s: %w", name, it.id, err)
					continue
				}
				results[i] = scanned{ID: it.id, Server: it.server, Flagged: report.Flagged(), Findings: report.Findings}
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

// oneLine keeps a server's text from drawing on the terminal. Findings are
// printable already; ids and pointers are not.
func oneLine(s string) string { return glyph.Visible(strings.Join(strings.Fields(s), " ")) }
