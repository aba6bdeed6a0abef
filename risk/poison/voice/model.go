package voice

import (
	_ "embed"
	"errors"
	"sync"

	"github.com/glovebox-run/glovebox/risk/poison/internal/frame"
)

// Weights are one set of weights, in sixteenths of a logit.
type Weights struct {
	Bias int32
	Of   []int8
}

// header opens a file of weights: what it is, the version of the features, and
// the sum of the texts that it was trained on.
const (
	header  = "glovebox voice 3\n"
	SumSize = 32
)

// Encode writes weights as they are embedded: the header, the sum of the training
// texts, then for each set the bias in four bytes and the weights.
func Encode(sum [SumSize]byte, sets ...Weights) []byte {
	out := append([]byte(header), sum[:]...)
	for _, w := range sets {
		b := uint32(w.Bias)
		out = append(out, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
		for _, v := range w.Of {
			out = append(out, byte(v))
		}
	}
	return out
}

// Decode reads what Encode writes.
func Decode(raw []byte) (sum [SumSize]byte, sets []Weights, err error) {
	if len(raw) < len(header)+SumSize || string(raw[:len(header)]) != header {
		return sum, nil, errors.New("no weights of this version")
	}
	raw = raw[len(header):]
	copy(sum[:], raw)
	raw = raw[SumSize:]
	for len(raw) > 0 {
		if len(raw) < 4+Size {
			return sum, nil, errors.New("weights are cut short")
		}
		w := Weights{Bias: int32(uint32(raw[0]) | uint32(raw[1])<<8 | uint32(raw[2])<<16 | uint32(raw[3])<<24), Of: make([]int8, Size)}
		for i := range w.Of {
			w.Of[i] = int8(raw[4+i])
		}
		sets = append(sets, w)
		raw = raw[4+Size:]
	}
	return sum, sets, nil
}

//go:embed weights.bin
var embedded []byte

// Trained are the weights of the program: for definitions and for results.
var Trained = sync.OnceValues(func() (definitions, results *Weights) {
	_, sets, err := Decode(embedded)
	if err != nil || len(sets) != 2 {
		panic("voice: the embedded weights are damaged")
	}
	return &sets[0], &sets[1]
})

// Sum is the sum of the texts that the embedded weights were trained on.
func Sum() (sum [SumSize]byte) {
	sum, _, _ = Decode(embedded)
	return sum
}

// Opinion is the model's score for the worst passage of a document.
type Opinion struct {
	Score    int32 // sixteenths of a logit
	From, To int   // sentences
}

// Ask scores every passage and returns the worst. ok is false if there is none.
// A sentence is in up to six of them and a document in all, so these are added up once.
func (w *Weights) Ask(d *Document) (worst Opinion, ok bool) {
	d.scratch = d.whole(d.scratch[:0])
	whole := w.Bias + w.sum(d.scratch)
	d.sums = d.sums[:0]
	for i := range d.Sentences {
		d.sums = append(d.sums, w.sum(d.features[d.Sentences[i].from:d.Sentences[i].to]))
	}
	for from, to := range d.Passages {
		d.scratch = d.meanings(from, to, d.scratch[:0])
		score := whole + w.sum(d.scratch)
		for _, sum := range d.sums[from:to] {
			score += sum
		}
		if !ok || score > worst.Score {
			worst, ok = Opinion{score, from, to}, true
		}
	}
	return worst, ok
}

// most of a score is three fifths of it.
func most(score int32) int32 { return score - score*2/5 }

// Core is the shortest passage within that of an opinion which has most of its score: an
// honest sentence beside an order may add to it, and is not what a person has to see.
func (w *Weights) Core(d *Document, o Opinion) Opinion {
	for length := 1; length < o.To-o.From; length++ {
		core, found := Opinion{}, false
		for from := o.From; from+length <= o.To; from++ {
			score := w.Score(d.Passage(from, from+length))
			if score >= most(o.Score) && (!found || score > core.Score) {
				core, found = Opinion{score, from, from + length}, true
			}
		}
		if found {
			return core
		}
	}
	return o
}

// Score is what the features of a passage come to.
func (w *Weights) Score(features []uint32) int32 {
	return w.Bias + w.sum(features)
}

func (w *Weights) sum(features []uint32) (sum int32) {
	of := w.Of[:Size]
	for _, f := range features {
		sum += int32(of[f])
	}
	return sum
}

// Reasons returns at most n concepts that contribute most to an opinion.
func (w *Weights) Reasons(d *Document, o Opinion, n int) (reasons []frame.Concept) {
	var has frame.Set
	for i := o.From; i < o.To; i++ {
		has = has.Or(d.Sentences[i].has)
	}
	purpose := d.Purpose.Has.And(legitimate)
	var gain [frame.Count]int32
	for a := range has.Each {
		gain[a] += int32(w.Of[oneFeature(plain, a)])
		for b := range has.Each {
			if b <= a || purpose.Has(a) || purpose.Has(b) {
				continue
			}
			half := int32(w.Of[pairFeature(bothNew, a, b)]) / 2
			gain[a] += half
			gain[b] += half
		}
	}
	for range n {
		best := frame.Count
		for c := range has.Each {
			if gain[c] > 0 && (best == frame.Count || gain[c] > gain[best]) {
				best = c
			}
		}
		if best == frame.Count {
			break
		}
		reasons = append(reasons, best)
		has = has.Without(frame.Of(best))
	}
	return reasons
}
