// Command poisoning trains and measures the poisoning scanner.
//
// Without arguments it cross-validates on the texts of this project. With files it
// measures the scanner as it ships on labelled corpora: JSON lines of {id, label,
// class, counted, lang, server, siblings, tool} or {id, label, text}, with the
// labels attack (or poisoned), benign (or honest) and look-alike; without a label
// the class is one. It ends with 1 if a bar is missed. -train writes the weights.
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

	"github.com/glovebox-run/glovebox/internal/eval/poisoning/learn"
	"github.com/glovebox-run/glovebox/risk/poison"
	"github.com/glovebox-run/glovebox/risk/poison/voice"
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
	Technique, Lang          string
	Counted                  *bool
	Siblings                 []string
	Tool                     json.RawMessage
	Text                     string // a result
}

// label is what a row is; older corpora say it as the class.
func (r row) label() string {
	l := r.Label
	if l == "" {
		l = r.Class
	}
	switch {
	case r.Technique != "" && l == r.Technique, l == "poisoned":
		return "attack"
	case l == "look-alike" || l == "attack":
		return l
	}
	return "benign"
}

// counted reports an attack that counts: those of a corpus that does not say do.
func (r row) counted() bool { return r.Counted == nil || *r.Counted }

func main() {
	verbose := flag.Bool("v", false, "with files, list what was missed and what was flagged in error; without, leave out languages and techniques as well")
	train := flag.String("train", "", "train on the texts of this project and write the weights to this file")
	flag.Parse()
	if *train != "" {
		if err := write(*train); err != nil {
			fmt.Fprintln(os.Stderr, "poisoning:", err)
			os.Exit(2)
		}
		return
	}
	if flag.NArg() == 0 {
		if err := cross(".", *verbose, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "poisoning:", err)
			os.Exit(2)
		}
		return
	}
	met, err := evaluate(flag.Args(), *verbose, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "poisoning:", err)
		os.Exit(2)
	}
	if !met {
		os.Exit(1)
	}
}

// write trains and writes the weights.
func write(name string) error {
	all, sum, err := learn.Material(".")
	if err != nil {
		return err
	}
	definitions, results, err := learn.Weights(all)
	if err != nil {
		return err
	}
	return os.WriteFile(name, voice.Encode(sum, definitions, results), 0o644)
}

type tally struct{ flagged, rows int }

func (t *tally) add(flagged bool) {
	t.rows++
	if flagged {
		t.flagged++
	}
}

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
		if r.Tool != nil && r.Server != "" {
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
		report, err := r.scan(names)
		if err != nil {
			return false, fmt.Errorf("row %s: %w", r.ID, err)
		}
		label, group := r.label(), r.label()
		class := group
		if r.Text != "" {
			class += " (result)"
		}
		if label == "attack" {
			class = r.Class
			if r.Technique != "" {
				class = r.Technique
			}
			group = "counted"
			if !r.counted() {
				group, class = "other attacks", class+" (not counted)"
			}
		}
		for _, name := range []string{class, "lang " + r.Lang + " " + label} {
			if classes[name] == nil {
				classes[name] = &tally{}
			}
			if r.Lang == "" && name != class {
				continue
			}
			classes[name].add(report.Flagged())
		}
		total[group].add(report.Flagged())
		if verbose && report.Flagged() != (label == "attack") {
			explain(out, r, report)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		if classes[name].rows == 0 {
			continue
		}
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

// scan scans a row in the company that it names, or that its server has.
func (r row) scan(names map[string]*poison.Names) (poison.Report, error) {
	if r.Text != "" {
		return poison.ScanResult(r.Text), nil
	}
	company := names[r.Server]
	if r.Siblings != nil {
		company = poison.NewNames(append(r.Siblings, toolName(r.Tool)), nil)
	}
	return poison.Scan(r.Tool, company)
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
