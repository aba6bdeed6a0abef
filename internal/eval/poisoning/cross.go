package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/glovebox-run/glovebox/internal/eval/poisoning/learn"
	"github.com/glovebox-run/glovebox/internal/eval/poisoning/texts"
	"github.com/glovebox-run/glovebox/risk/poison"
	"github.com/glovebox-run/glovebox/risk/poison/voice"
)

// groups is how many parts techniques and languages are held out in. Whole
// techniques and whole languages are left out, never single rows: rows of one
// template are too much alike.
const groups = 5

// part is a set of texts that weights are trained without.
type part func(texts.Text) bool

// cross measures texts with weights that were trained without them: without their
// hand; with verbose also without their technique and without their language.
func cross(root string, verbose bool, out io.Writer) error {
	all, _, err := learn.Material(root)
	if err != nil {
		return err
	}
	trained, err := learn.Read(all)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "Whole hands left out, one at a time:")
	var byHand []part
	for _, hand := range texts.Hands {
		byHand = append(byHand, func(t texts.Text) bool { return t.Hand == hand })
	}
	detail := func(t texts.Text) []string { return details(t, verbose) }
	if err := holdOut(trained, byHand, detail, out); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nTrained on everything; texts that are kept from training:")
	kept, err := texts.Kept()
	if err != nil {
		return err
	}
	if err := measure(voices{}, kept, detail, out); err != nil {
		return err
	}
	if !verbose {
		return nil
	}
	fmt.Fprintln(out, "\nWhole techniques left out, attacks of the grammar:")
	err = holdOut(trained, inParts(func(t texts.Text) string {
		if t.Hand == "grammar" && t.Attack {
			return t.Technique
		}
		return ""
	}), func(t texts.Text) []string { return []string{t.Technique} }, out)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "\nWhole languages left out, attacks and honest texts:")
	return holdOut(trained, inParts(func(t texts.Text) string {
		if t.Lang != "en" {
			return t.Lang
		}
		return ""
	}), func(t texts.Text) []string { return []string{t.Lang + kind(t)} }, out)
}

// inParts divides texts by what of says of them; those of which it says nothing are
// never left out.
func inParts(of func(texts.Text) string) (parts []part) {
	for g := range groups {
		parts = append(parts, func(t texts.Text) bool { return of(t) != "" && int(sum(of(t)))%groups == g })
	}
	return parts
}

// details names the groups of a text: its hand, and there its language and technique.
func details(t texts.Text, verbose bool) []string {
	hand := t.Hand + kind(t)
	names := []string{hand, "  " + hand + inEnglish(t)}
	if verbose {
		names = append(names, "  "+hand+" language "+t.Lang, "  "+hand+" technique "+t.Technique)
	}
	return names
}

func kind(t texts.Text) string {
	of := " definitions"
	if t.Result {
		of = " results"
	}
	if t.Attack {
		return of + ", attacks"
	}
	return of + ", honest"
}

func inEnglish(t texts.Text) string {
	if t.Lang == "en" {
		return " in English"
	}
	return " in other languages"
}

func sum(s string) (h uint32) {
	for i := range len(s) {
		h = h*31 + uint32(s[i])
	}
	return h
}

// voices are weights for definitions and for results; nil are those of the program.
type voices struct{ definitions, results *voice.Weights }

// holdOut trains once for each part without its texts, measures them, and prints a
// line for each group.
func holdOut(all []learn.Example, parts []part, of func(texts.Text) []string, out io.Writer) error {
	tallies := tallies{}
	for _, held := range parts {
		var train []learn.Example
		var test []texts.Text
		for _, e := range all {
			if held(e.Text) {
				test = append(test, e.Text)
			} else {
				train = append(train, e)
			}
		}
		if err := tallies.count(without(train, test), test, of); err != nil {
			return err
		}
	}
	tallies.print(out)
	return nil
}

// without trains the weights that test needs.
func without(train []learn.Example, test []texts.Text) (v voices) {
	var wait sync.WaitGroup
	for _, results := range []bool{false, true} {
		if !slices.ContainsFunc(test, func(t texts.Text) bool { return t.Result == results }) {
			continue
		}
		wait.Go(func() {
			w := learn.Train(train, learn.Defaults(results))
			if results {
				v.results = &w
			} else {
				v.definitions = &w
			}
		})
	}
	wait.Wait()
	return v
}

func measure(v voices, test []texts.Text, of func(texts.Text) []string, out io.Writer) error {
	tallies := tallies{}
	if err := tallies.count(v, test, of); err != nil {
		return err
	}
	tallies.print(out)
	return nil
}

type tallies map[string]*tally

func (all tallies) count(v voices, test []texts.Text, of func(texts.Text) []string) error {
	for _, t := range test {
		report, err := v.scan(t)
		if err != nil {
			return err
		}
		for _, name := range of(t) {
			if all[name] == nil {
				all[name] = &tally{}
			}
			all[name].add(report.Flagged())
		}
	}
	return nil
}

// print prints a line for each group, what is indented below what it is part of.
func (all tallies) print(out io.Writer) {
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Compare(strings.TrimSpace(a), strings.TrimSpace(b))
	})
	for _, name := range names {
		t := all[name]
		low, high := wilson(t.flagged, t.rows)
		fmt.Fprintf(out, "%-56s %4d of %4d  %5.1f %%  (%.1f to %.1f)\n", name, t.flagged, t.rows, 100*t.share(), 100*low, 100*high)
	}
}

func (v voices) scan(t texts.Text) (poison.Report, error) {
	if t.Result {
		return poison.Scanner{Voice: v.results}.Result(t.Body), nil
	}
	return poison.Scanner{Voice: v.definitions}.Definition(t.Tool, poison.NewNames(t.Siblings, nil))
}
