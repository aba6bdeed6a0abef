package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/internal/eval/poisoning/learn"
	"github.com/glovebox-run/glovebox/internal/eval/poisoning/texts"
	"github.com/glovebox-run/glovebox/risk/poison"
	"github.com/glovebox-run/glovebox/risk/poison/voice"
)

// groups is how many parts techniques and languages are held out in. Whole
// techniques and whole languages are left out, never single rows: rows of one
// template are too much alike.
const groups = 5

// cross measures texts with weights that were trained without them: without their
// hand, without their technique, without their language.
func cross(root string, out io.Writer) error {
	all, _, err := learn.Material(root)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "Whole hands left out, one at a time:")
	var byHand []func(texts.Text) bool
	for _, hand := range []string{"hand-definitions", "hand-manuals", "hand-oblique", "hand-results"} {
		byHand = append(byHand, func(t texts.Text) bool { return t.Hand == hand })
	}
	if err := holdOut(all, byHand, func(t texts.Text) string { return t.Hand + kind(t) }, out, true); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nTrained on everything; pages and definitions that are kept from training:")
	kept, err := texts.Pages("kept", 1)
	if err != nil {
		return err
	}
	definitions, err := texts.Kept()
	if err != nil {
		return err
	}
	kept = append(kept, definitions...)
	isKept := func(t texts.Text) bool { return strings.HasPrefix(t.Hand, "kept") }
	if err := holdOut(append(slices.Clip(all), kept...), []func(texts.Text) bool{isKept}, func(t texts.Text) string { return t.Hand + kind(t) }, out, true); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nWhole techniques left out, attacks of the grammar:")
	byTechnique := slices.Collect(func(yield func(func(texts.Text) bool) bool) {
		for g := range groups {
			if !yield(func(t texts.Text) bool { return t.Hand == "grammar" && t.Attack && int(sum(t.Technique))%groups == g }) {
				return
			}
		}
	})
	if err := holdOut(all, byTechnique, func(t texts.Text) string { return t.Technique }, out, false); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nWhole languages left out, attacks and honest texts:")
	byLanguage := slices.Collect(func(yield func(func(texts.Text) bool) bool) {
		for g := range groups {
			if !yield(func(t texts.Text) bool { return t.Lang != "en" && int(sum(t.Lang))%groups == g }) {
				return
			}
		}
	})
	return holdOut(all, byLanguage, func(t texts.Text) string { return t.Lang + kind(t) }, out, false)
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

func sum(s string) (h uint32) {
	for i := range len(s) {
		h = h*31 + uint32(s[i])
	}
	return h
}

// holdOut trains once for each part without its texts, measures them, and prints
// a line for each group.
func holdOut(all []texts.Text, parts []func(texts.Text) bool, group func(texts.Text) string, out io.Writer, each bool) error {
	tallies := map[string]*tally{}
	count := func(name string, flagged bool) {
		if tallies[name] == nil {
			tallies[name] = &tally{}
		}
		tallies[name].rows++
		if flagged {
			tallies[name].flagged++
		}
	}
	for _, held := range parts {
		var train, test []texts.Text
		for _, t := range all {
			if held(t) {
				test = append(test, t)
			} else {
				train = append(train, t)
			}
		}
		definitions, results, err := learn.Weights(train)
		if err != nil {
			return err
		}
		for _, t := range test {
			report, err := scanWith(&definitions, &results, t)
			if err != nil {
				return err
			}
			count(group(t), report.Flagged())
			if each {
				for _, name := range within(t) {
					count(name, report.Flagged())
				}
				if t.Attack && !t.Result {
					n, err := said(&definitions, t)
					if err != nil {
						return err
					}
					count("  "+t.Hand+kind(t)+" concepts "+n, report.Flagged())
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tallies)) {
		t := tallies[name]
		low, high := wilson(t.flagged, t.rows)
		fmt.Fprintf(out, "%-48s %4d of %4d  %5.1f %%  (%.1f to %.1f)\n", name, t.flagged, t.rows, 100*t.share(), 100*low, 100*high)
	}
	return nil
}

// within names the groups of a text inside its hand. A technique may be called like
// a language, so each name says which of the two it is.
func within(t texts.Text) []string {
	names := []string{"  " + t.Hand + kind(t) + " language " + t.Lang}
	if t.Attack {
		names = append(names, "  "+t.Hand+kind(t)+" technique "+t.Technique)
	}
	return names
}

// said is how many concepts the passage has that the voice finds worst, as a range:
// what is said in words of no concept cannot be found.
func said(weights *voice.Weights, t texts.Text) (string, error) {
	d, err := poison.Read(t.Tool, poison.NewNames(t.Siblings, nil))
	if err != nil {
		return "", err
	}
	n := 0
	if worst, ok := weights.Ask(d); ok {
		has := d.Sentences[worst.From].Has()
		for i := worst.From + 1; i < worst.To; i++ {
			has |= d.Sentences[i].Has()
		}
		n = has.Len()
	}
	switch {
	case n < 3:
		return "0 to 2", nil
	case n < 6:
		return "3 to 5", nil
	}
	return "6 and more", nil
}

func scanWith(definitions, results *voice.Weights, t texts.Text) (poison.Report, error) {
	if t.Result {
		return poison.Scanner{Voice: results}.Result(t.Body), nil
	}
	return poison.Scanner{Voice: definitions}.Definition(t.Tool, poison.NewNames(t.Siblings, nil))
}
