// Command score measures the verdicts of both profiles of risk/score on labelled lists
// of tools, which stay outside of this repository. Rows are JSON Lines with tool,
// server, and a label or class that says attack, benign or look-alike. The honest tools
// of a server are one surface; an attack is a surface of its own, beside the honest
// tools of its server if the files have them.
//
// It ends with 1 if refined blocks more than 5 % of the honest servers.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/glovebox-run/glovebox/risk/score"
	"github.com/glovebox-run/glovebox/risk/score/advisory"
)

const (
	maxBlocked = 5        // percent of honest servers
	maxLine    = 64 << 20 // bytes
)

// row is one definition of a corpus.
type row struct {
	ID     string
	Label  string
	Class  string
	Server string
	Tool   json.RawMessage
	// Technique is set in attacks of files whose class is what the tool is about.
	Technique string
}

func main() {
	verbose := flag.Bool("v", false, "list what is blocked and what is allowed, with reasons")
	flag.Parse()
	var rows []row
	for _, name := range flag.Args() {
		more, err := read(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "score:", err)
			os.Exit(2)
		}
		rows = append(rows, more...)
	}
	met, err := evaluate(os.Stdout, rows, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "score:", err)
		os.Exit(2)
	}
	if !met {
		os.Exit(1)
	}
}

func read(name string) ([]row, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []row
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, len(rows)+1, err)
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}

// kind is what a row is: attack, benign or look-alike.
func (r row) kind() string {
	switch {
	case r.Label != "":
		return r.Label
	case r.Class == "benign", r.Class == "look-alike", r.Class == "attack":
		return r.Class
	case r.Technique != "":
		return "attack"
	}
	return "benign"
}

// surface is one server, as it would be listed.
type surface struct {
	name, class string
	tools       []json.RawMessage
}

func surfaces(rows []row) (honest, attacks []surface) {
	byServer := map[string]*surface{}
	for _, r := range rows {
		if r.kind() != "benign" {
			continue
		}
		name := cmp.Or(r.Server, r.ID)
		if byServer[name] == nil {
			byServer[name] = &surface{name: name}
		}
		byServer[name].tools = append(byServer[name].tools, r.Tool)
	}
	for _, name := range slices.Sorted(maps.Keys(byServer)) {
		honest = append(honest, *byServer[name])
	}
	for _, r := range rows {
		if r.kind() != "attack" {
			continue
		}
		s := surface{name: r.ID, class: r.Class, tools: []json.RawMessage{r.Tool}}
		if company := byServer[r.Server]; company != nil {
			s.tools = append(slices.Clone(company.tools), r.Tool)
		}
		attacks = append(attacks, s)
	}
	return honest, attacks
}

func (s surface) scored(p score.Profile, known advisory.List) score.Report {
	o := score.Observation{Version: score.ObservationVersion, Target: score.Target{Kind: score.List, Name: s.name}, Hello: &score.Hello{}, Tools: score.Listing{Asked: true, Items: s.tools, Pages: 1}}
	return score.Evaluate(o, p, score.Background{Advisories: known})
}

var profiles = []score.Profile{score.Classic, score.Refined}

func evaluate(out io.Writer, rows []row, verbose bool) (met bool, err error) {
	known, err := advisory.Bundled()
	if err != nil {
		return false, err
	}
	honest, attacks := surfaces(rows)
	if len(honest)+len(attacks) == 0 {
		return false, fmt.Errorf("no rows: name labelled files with CORPUS=")
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "surfaces\tprofile\tn\tallow\treview\tblock")
	var lines []string
	met = true
	allowed := map[score.Profile]map[string]bool{}
	blocked := map[score.Profile]map[string]bool{}
	for _, group := range []struct {
		name string
		list []surface
	}{{"honest", honest}, {"attacks", attacks}} {
		for _, p := range profiles {
			counts := map[score.Verdict]int{}
			allowed[p], blocked[p] = map[string]bool{}, map[string]bool{}
			for _, s := range group.list {
				r := s.scored(p, known)
				counts[r.Verdict]++
				allowed[p][s.name], blocked[p][s.name] = r.Verdict == score.Allow, r.Verdict == score.Block
				if p == score.Refined && (group.name == "honest") == (r.Verdict == score.Block) && (r.Verdict == score.Block || r.Verdict == score.Allow) {
					lines = append(lines, fmt.Sprintf("%s %s %s %s\n  %s", group.name, r.Verdict, s.name, s.class, strings.Join(r.Reasons, "\n  ")))
				}
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\n", group.name, p, len(group.list), counts[score.Allow], counts[score.Review], counts[score.Block])
			if group.name == "honest" && p == score.Refined && counts[score.Block]*100 > maxBlocked*len(group.list) {
				met = false
			}
		}
	}
	w.Flush()
	missed := 0
	for _, s := range attacks {
		if allowed[score.Refined][s.name] && blocked[score.Classic][s.name] {
			missed++
			lines = append(lines, "refined allows what classic blocks: "+s.name+" "+s.class+"\n  "+strings.Join(s.scored(score.Classic, known).Reasons, "\n  "))
		}
	}
	fmt.Fprintf(out, "\nattacks that refined allows and classic blocks, for whatever reason: %d\n", missed)
	if verbose {
		fmt.Fprintln(out)
		for _, line := range lines {
			fmt.Fprintln(out, line)
		}
	}
	return met, nil
}
