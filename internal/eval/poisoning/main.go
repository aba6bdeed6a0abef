// Command poisoning measures the poisoning scanner on a labelled corpus: JSON
// lines of {id, label, class, counted, server, tool} with the labels attack,
// benign and look-alike. It ends with 1 if a bar is missed.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/poison"
)

// The bars: at least this share of the counted attacks is flagged, at most that
// share of the rest.
const (
	wantRecall  = 0.90
	wantBenign  = 0.005
	wantAlike   = 0.05
	maxLineSize = 16 << 20 // bytes; a row is one tool definition
)

type row struct {
	ID, Label, Class, Server string
	Counted                  bool
	Tool                     json.RawMessage
}

func main() {
	verbose := flag.Bool("v", false, "list what was missed and what was flagged in error")
	flag.Parse()
	met, err := evaluate(flag.Args(), *verbose, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "poisoning:", err)
		os.Exit(2)
	}
	if !met {
		os.Exit(1)
	}
}

type tally struct{ flagged, rows int }

func (t tally) share() float64 {
	if t.rows == 0 {
		return 0
	}
	return float64(t.flagged) / float64(t.rows)
}

func evaluate(files []string, verbose bool, out io.Writer) (met bool, err error) {
	var rows []row
	for _, name := range files {
		more, err := read(name)
		if err != nil {
			return false, err
		}
		rows = append(rows, more...)
	}
	if len(rows) == 0 {
		return false, fmt.Errorf("no rows: want CORPUS.jsonl files as arguments")
	}
	siblings := map[string][]string{}
	for _, r := range rows {
		if r.Server != "" {
			siblings[r.Server] = append(siblings[r.Server], toolName(r.Tool))
		}
	}
	names := map[string]*poison.Names{}
	for server, tools := range siblings {
		names[server] = poison.NewNames(tools, nil)
	}
	classes := map[string]*tally{}
	total := map[string]*tally{"counted": {}, "other attacks": {}, "benign": {}, "look-alike": {}}
	for _, r := range rows {
		report, err := poison.Scan(r.Tool, names[r.Server])
		if err != nil {
			return false, fmt.Errorf("row %s: %w", r.ID, err)
		}
		group, class := r.Label, r.Label
		if r.Label == "attack" {
			group, class = "other attacks", r.Class+" (not counted)"
			if r.Counted {
				group, class = "counted", r.Class
			}
		}
		if classes[class] == nil {
			classes[class] = &tally{}
		}
		if total[group] == nil {
			return false, fmt.Errorf("row %s: unknown label %q", r.ID, r.Label)
		}
		for _, t := range []*tally{classes[class], total[group]} {
			t.rows++
			if report.Flagged() {
				t.flagged++
			}
		}
		if verbose && report.Flagged() != (r.Label == "attack") {
			explain(out, r, report)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		fmt.Fprintf(out, "%-48s %4d of %4d  %5.1f %%\n", name, classes[name].flagged, classes[name].rows, 100*classes[name].share())
	}
	met = true
	for _, bar := range []struct {
		name string
		t    *tally
		ok   bool
		want string
	}{
		{"recall on counted attacks", total["counted"], total["counted"].share() >= wantRecall, "at least 90 %"},
		{"false positives on real tools", total["benign"], total["benign"].share() <= wantBenign, "at most 0.5 %"},
		{"false positives on look-alikes", total["look-alike"], total["look-alike"].share() <= wantAlike, "at most 5 %"},
	} {
		low, high := wilson(bar.t.flagged, bar.t.rows)
		word := "met"
		if !bar.ok {
			word, met = "MISSED", false
		}
		fmt.Fprintf(out, "%-30s %4d of %4d  %6.2f %%  (95 %% interval %.1f to %.1f)  %s: %s\n", bar.name, bar.t.flagged, bar.t.rows, 100*bar.t.share(), 100*low, 100*high, bar.want, word)
	}
	return met, nil
}

func read(name string) ([]row, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLineSize)
	var rows []row
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}

func toolName(tool json.RawMessage) string {
	var t struct{ Name string }
	_ = json.Unmarshal(tool, &t) // a tool without a name is nobody's sibling
	return t.Name
}

func explain(out io.Writer, r row, report poison.Report) {
	fmt.Fprintf(out, "%s %s %s %s\n", r.ID, r.Label, r.Class, toolName(r.Tool))
	for _, f := range report.Findings {
		fmt.Fprintf(out, "    %s %s %d %s %v %s: %q\n", f.Confidence, f.Rule, f.Points, f.Class, f.Evidence, f.Pointer, f.Text)
	}
	fmt.Fprintln(out)
}

// wilson is the 95 % interval of a share.
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m)) / (1 + z*z/m)
	return max(0, mid-half), min(1, mid+half)
}
