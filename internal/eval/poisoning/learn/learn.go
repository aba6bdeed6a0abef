// Package learn trains the voice of the scanner: logistic regression with a penalty
// on the weights, over passages. Of an attack the passages that hold its core are
// attacks and the others are honest, like every passage of an honest document. The
// problem is convex and nothing in it is drawn by chance: the same texts give the same
// weights.
package learn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/internal/eval/poisoning/texts"
	"github.com/glovebox-run/glovebox/risk/poison"
	"github.com/glovebox-run/glovebox/risk/poison/voice"
)

// Example is one text, read: the features of each of its passages.
type Example struct {
	Text     texts.Text
	Passages [][]uint32
	Core     []Part // of each passage of an attack; nil if the core is not known
}

// Part is what of the core of an attack a passage has.
type Part uint8

const (
	Nothing Part = iota
	Some         // beside other sentences
	Only         // and nothing else
)

func partOf(core []bool) Part {
	switch {
	case !slices.Contains(core, true):
		return Nothing
	case slices.Contains(core, false):
		return Some
	}
	return Only
}

// Read reads texts for training or for measuring.
func Read(all []texts.Text) ([]Example, error) {
	examples := make([]Example, 0, len(all))
	for _, t := range all {
		d, err := document(t)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", t.Hand, t.ID, err)
		}
		e := Example{Text: t}
		core := cores(d, t.Core)
		for from, to := range d.Passages {
			e.Passages = append(e.Passages, slices.Clone(d.Passage(from, to)))
			if core != nil {
				e.Core = append(e.Core, partOf(core[from:to]))
			}
		}
		examples = append(examples, e)
	}
	return examples, nil
}

// cores finds the sentences of a document that the core is made of, by their words; nil if
// there is none.
func cores(d *voice.Document, core string) []bool {
	if core == "" {
		return nil
	}
	words := map[uint32]bool{}
	c := poison.ReadResult(core)
	for i := range c.Sentences {
		for _, f := range c.Passage(i, i+1) {
			if voice.Lexical(f) {
				words[f] = true
			}
		}
	}
	found := make([]bool, len(d.Sentences))
	for i := range d.Sentences {
		all, shared := 0, 0
		for _, f := range d.Passage(i, i+1) {
			if voice.Lexical(f) {
				all++
				if words[f] {
					shared++
				}
			}
		}
		found[i] = shared > 0 && (2*shared >= all || 2*shared >= len(words))
	}
	if !slices.Contains(found, true) {
		return nil
	}
	return found
}

func document(t texts.Text) (*voice.Document, error) {
	if t.Result {
		return poison.ReadResult(t.Body), nil
	}
	return poison.Read(t.Tool, poison.NewNames(t.Siblings, nil))
}

// Options are what training can be told.
type Options struct {
	Results bool // what the weights are for

	// How much a text counts: an attack as such, with its passages sharing that, and an
	// honest text with each of its passages.
	Attack, Honest float64 // written by a person
	Made, Plain    float64 // the same of texts that a grammar made
	Around         float64 // each passage of an attack that holds nothing of its core

	Other float64 // attacks of the other kind, results or definitions, relative to that

	Meaning, Word float64 // penalties on the square of a weight

	Steps int
}

// Defaults are the options of the weights that ship.
func Defaults(results bool) Options {
	o := Options{Results: results, Attack: 2, Honest: 4, Made: 0.25, Plain: 1, Around: 0.5, Other: 0.3, Meaning: 10, Word: 6, Steps: 80}
	if results {
		o.Made = 0.3 // the grammar of pages has kinds that no hand has
	}
	return o
}

// byHand reports a text that a person wrote, not a grammar.
func byHand(t texts.Text) bool {
	return strings.HasPrefix(t.Hand, "hand-") || t.Hand == "own"
}

// weight is how much a text counts, 0 for not at all.
func (o Options) weight(t texts.Text) float64 {
	w := o.Plain
	switch {
	case byHand(t) && t.Attack:
		w = o.Attack
	case byHand(t):
		w = o.Honest
	case t.Attack:
		w = o.Made
	}
	if t.Result != o.Results {
		// What is honest in a mail may be an attack in a tool; orders in pages
		// outnumber those in tools.
		if !t.Attack || t.Hand == "pages" {
			return 0
		}
		w *= o.Other
	}
	return w
}

// Train learns from examples.
func Train(examples []Example, o Options) voice.Weights {
	w := make([]float64, voice.Size+1)
	w[voice.Size] = -3
	penalty := make([]float64, voice.Size+1)
	for f := range voice.Size {
		penalty[f] = o.Meaning
		if voice.Lexical(uint32(f)) {
			penalty[f] = o.Word
		}
	}
	p := problem{samples: samples(examples, o), penalty: penalty}
	p.solve(w, o.Steps)
	out := voice.Weights{Bias: int32(math.Round(w[voice.Size] * 16)), Of: make([]int8, voice.Size)}
	for i := range out.Of {
		out.Of[i] = int8(math.Round(math.Max(-127, math.Min(127, w[i]*16))))
	}
	return out
}

// samples are the passages of all texts. Half the weight of an attack is shared by the
// passages that have its core, the other half by those that have nothing else.
func samples(examples []Example, o Options) (out []sample) {
	for _, e := range examples {
		weight := o.weight(e.Text)
		if weight == 0 || len(e.Passages) == 0 {
			continue
		}
		if !e.Text.Attack {
			for _, f := range e.Passages {
				out = append(out, sample{f, false, weight})
			}
			continue
		}
		parts := e.Core
		if parts == nil {
			parts = slices.Repeat([]Part{Only}, len(e.Passages))
		}
		var count [Only + 1]float64
		for _, p := range parts {
			count[p]++
		}
		for i, f := range e.Passages {
			share := weight / 2 / (count[Some] + count[Only])
			switch parts[i] {
			case Nothing:
				out = append(out, sample{f, false, o.Around})
			case Some:
				out = append(out, sample{f, true, share})
			case Only:
				out = append(out, sample{f, true, share + weight/2/count[Only]})
			}
		}
	}
	return out
}
