package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/risk/score"
	"github.com/glovebox-run/glovebox/risk/score/report"
)

// run scans what the command line names.
func (s *serverScan) run(cmd *cobra.Command, args []string, format, failOn string) error {
	print, ok := serverFormats[format]
	if !ok {
		return exitWith(exitUsage, fmt.Errorf("--format %q: want text, json, jsonl, sarif, html, md, junit or badge", format))
	}
	failed, err := severityFrom(failOn)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	var targets []score.Target
	if s.clients {
		if targets, err = s.fromClients(cmd, format == "json"); err != nil || len(targets) == 0 {
			return err
		}
	} else if targets, err = s.targets(cmd, args); err != nil {
		return exitWith(exitUsage, err)
	}
	if len(targets) == 0 {
		return exitWith(exitUsage, errors.New("name a URL, a command after --, or one of --clients, --tools and --text; glovebox scan --help shows examples"))
	}
	if len(targets) > 1 && (format == "html" || format == "badge") {
		return exitWith(exitUsage, fmt.Errorf("--format %s is for one server at a time", format))
	}
	return s.scan(cmd, targets, print, failed)
}

// severityFrom reads --fail-on.
func severityFrom(word string) (func([]score.Result) bool, error) {
	limit := score.High
	switch {
	case word == "none":
		return func([]score.Result) bool { return false }, nil
	case word != "":
		if err := limit.UnmarshalText([]byte(word)); err != nil {
			return nil, fmt.Errorf("--fail-on %q: want info, low, medium, high, critical or none", word)
		}
	}
	return func(open []score.Result) bool {
		return slices.ContainsFunc(open, func(f score.Result) bool { return f.Counts() >= limit })
	}, nil
}

// each writes reports one after the other.
func each(write func(io.Writer, *judged, score.Baseline) error) func(io.Writer, []*judged, score.Baseline) error {
	return func(w io.Writer, all []*judged, accepted score.Baseline) error {
		for _, j := range all {
			if err := write(w, j, accepted); err != nil {
				return err
			}
		}
		return nil
	}
}

var serverFormats = map[string]func(io.Writer, []*judged, score.Baseline) error{
	"text":  each(printScan),
	"md":    each(func(w io.Writer, j *judged, _ score.Baseline) error { return report.Markdown(w, &j.report) }),
	"html":  each(func(w io.Writer, j *judged, _ score.Baseline) error { return report.HTML(w, &j.report) }),
	"badge": each(func(w io.Writer, j *judged, _ score.Baseline) error { return report.Badge(w, &j.report) }),
	"jsonl": each(func(w io.Writer, j *judged, _ score.Baseline) error { return json.NewEncoder(w).Encode(&j.report) }),
	"json": func(w io.Writer, all []*judged, _ score.Baseline) error {
		if len(all) == 1 {
			return report.JSON(w, &all[0].report)
		}
		return json.NewEncoder(w).Encode(reportsOf(all))
	},
	"sarif": func(w io.Writer, all []*judged, _ score.Baseline) error {
		return report.SARIF(w, readBuildInfo().Version, reportsOf(all))
	},
	"junit": func(w io.Writer, all []*judged, _ score.Baseline) error { return report.JUnit(w, reportsOf(all)) },
}

func reportsOf(all []*judged) []*score.Report {
	list := make([]*score.Report, len(all))
	for i, j := range all {
		list[i] = &j.report
	}
	return list
}

// printScan writes the text, in colour on a terminal, with what changed since the last
// scan. What the report quotes is clean already, so colours need not be escaped.
func printScan(w io.Writer, j *judged, accepted score.Baseline) error {
	terminal, colour := w.(plain)
	if colour {
		w = terminal.w
	}
	open := accepted.Open(&j.report, time.Now())
	if err := report.Text(w, &j.report, open, colour); err != nil {
		return err
	}
	if hidden := len(j.report.Failing()) - len(open); hidden > 0 {
		fmt.Fprintf(w, "\n%d failed rules are accepted by the baseline\n", hidden)
	}
	if j.before == nil {
		return nil
	}
	if c := score.Compare(j.before, &j.report, j.old, &j.seen); !c.Same() {
		fmt.Fprintln(w, "\nSince the last scan")
		return report.Comparison(w, c)
	}
	return nil
}
