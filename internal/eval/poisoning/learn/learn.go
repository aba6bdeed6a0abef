// Package learn trains the voice of the scanner: logistic regression by stochastic
// gradient descent with a step for each weight (Adagrad). An attack is a document
// in which at least one passage is one, so of each attack only the passage that
// the model finds worst is taken for an attack, and every passage of honest
// documents for honest. Everything is seeded: the same texts give the same weights.
package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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
	Seed           uint64
	Epochs         int
	Decay          float64 // of weights, for each step that touches them
	Deaf           float64 // share of steps in which words are not heard
	Weight         float64 // of an attack, beside an honest passage
	Rate, WordRate float64 // of a step, for meanings and for words
	ByHand         float64 // weight of an attack that a person wrote
	Results        bool    // what the weights are for
}

// Defaults are the options of the weights that ship.
func Defaults(results bool) Options {
	return Options{Seed: 17, Epochs: 6, Decay: 2e-3, Deaf: 0.3, Weight: 2, Rate: 0.12, WordRate: 0.03, ByHand: 5, Results: results}
}

// Train learns from examples.
func Train(examples []Example, o Options) voice.Weights {
	w := make([]float64, voice.Size)
	g := make([]float64, voice.Size)
	for i := range g {
		g[i] = 1
	}
	bias, gb := -3.0, 1.0
	r := rand.New(rand.NewPCG(o.Seed, 1))
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	score := func(f []uint32, deaf bool) float64 {
		s := bias
		for _, i := range f {
			if !deaf || !voice.Lexical(i) {
				s += w[i]
			}
		}
		return s
	}
	step := func(f []uint32, y, weight float64, deaf bool) {
		p := 1 / (1 + math.Exp(-score(f, deaf)))
		d := (p - y) * weight
		if math.Abs(d) < 1e-4 {
			return
		}
		gb += d * d
		bias -= 0.05 * d / math.Sqrt(gb)
		for _, i := range f {
			rate := o.Rate
			if voice.Lexical(i) {
				if deaf {
					continue
				}
				rate = o.WordRate
			}
			x := d + o.Decay*w[i]
			g[i] += float64(x * x)
			w[i] -= rate * x / math.Sqrt(g[i])
		}
	}
	// The weights are the mean over the second half of the epochs: the last steps
	// weigh too much otherwise.
	mean, means := make([]float64, voice.Size), 0
	meanBias := 0.0
	for epoch := range o.Epochs {
		r.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		for _, n := range order {
			e := &examples[n]
			if len(e.Passages) == 0 {
				continue
			}
			weight := 1.0
			if e.Text.Result != o.Results {
				// What is honest in a mail may be an attack in a tool; orders in pages
				// outnumber those in tools.
				if !e.Text.Attack || e.Text.Hand == "pages" {
					continue
				}
				weight = 0.3
			}
			if e.Text.Hand != "grammar" && e.Text.Attack {
				weight *= o.ByHand
			}
			deaf := r.Float64() < o.Deaf
			if e.Text.Attack {
				best, at := math.Inf(-1), 0
				for i, f := range e.Passages {
					if s := score(f, epoch == 0); s > best {
						best, at = s, i
					}
				}
				step(e.Passages[at], 1, o.Weight*weight, deaf)
				continue
			}
			for _, f := range e.Passages {
				step(f, 0, weight, deaf)
			}
		}
		if epoch >= o.Epochs/2 {
			for i, v := range w {
				mean[i] += v
			}
			meanBias += bias
			means++
		}
	}
	bias = meanBias / float64(means)
	for i := range w {
		w[i] = mean[i] / float64(means)
	}
	out := voice.Weights{Bias: int32(math.Round(bias * 16)), Of: make([]int8, voice.Size)}
	for i, v := range w {
		out.Of[i] = int8(math.Round(math.Max(-127, math.Min(127, v*16))))
	}
	return out
}
