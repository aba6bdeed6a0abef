// Package learn trains the voice of the scanner: logistic regression with a penalty
// on the weights. An attack is a document in which at least one passage is one, so of
// each attack only the passage that the model finds worst is taken for an attack, and
// every passage of honest documents for honest. The problem is convex between two
// choices of the worst passages, and nothing in it is drawn by chance: the same texts
// give the same weights.
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
		for from, to := range d.Passages {
			e.Passages = append(e.Passages, slices.Clone(d.Passage(from, to)))
		}
		examples = append(examples, e)
	}
	return examples, nil
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

	// How much a text counts: an attack as such, an honest text with each of its
	// passages.
	Attack, Honest float64 // written by a person
	Made, Plain    float64 // the same of texts that a grammar made

	Other float64 // attacks of the other kind, results or definitions, relative to that

	Meaning, Word float64 // penalties on the square of a weight

	Rounds, Steps int // choices of the worst passages, steps for each
}

// Defaults are the options of the weights that ship.
func Defaults(results bool) Options {
	o := Options{Results: results, Attack: 2, Honest: 2, Made: 0.4, Plain: 1, Other: 0.3, Meaning: 10, Word: 3, Rounds: 3, Steps: 40}
	if results {
		o.Made = 1 // the grammar of pages has more kinds than the hands
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
	for round := range o.Rounds {
		p := problem{samples: samples(examples, o, w, round == 0), penalty: penalty}
		p.solve(w, o.Steps)
	}
	out := voice.Weights{Bias: int32(math.Round(w[voice.Size] * 16)), Of: make([]int8, voice.Size)}
	for i := range out.Of {
		out.Of[i] = int8(math.Round(math.Max(-127, math.Min(127, w[i]*16))))
	}
	return out
}

// samples are the passages of honest texts, and of each attack the one that w finds
// worst; at first all, with a share each.
func samples(examples []Example, o Options, w []float64, all bool) (out []sample) {
	for _, e := range examples {
		weight := o.weight(e.Text)
		if weight == 0 || len(e.Passages) == 0 {
			continue
		}
		if e.Text.Attack && !all {
			out = append(out, sample{worst(e.Passages, w), true, weight})
			continue
		}
		if e.Text.Attack {
			weight /= float64(len(e.Passages))
		}
		for _, f := range e.Passages {
			out = append(out, sample{f, e.Text.Attack, weight})
		}
	}
	return out
}

// worst is the passage that w finds worst.
func worst(passages [][]uint32, w []float64) (found []uint32) {
	most := math.Inf(-1)
	for _, features := range passages {
		sum := 0.0
		for _, f := range features {
			sum += w[f]
		}
		if sum > most {
			most, found = sum, features
		}
	}
	return found
}
