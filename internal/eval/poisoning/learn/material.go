package learn

import (
	"crypto/sha256"
	"fmt"
	"os"
	"sync"

	"github.com/glovebox-run/glovebox/internal/eval/poisoning/texts"
	"github.com/glovebox-run/glovebox/risk/poison/voice"
)

// Texts of the rules' own tests, relative to the root of the project.
const ownTexts = "risk/poison/testdata/own.jsonl"

// seeds are how often the grammars are used, each time with other choices.
var seeds = []uint64{1}

// Material is everything the weights are trained on, and its sum.
func Material(root string) (all []texts.Text, sum [voice.SumSize]byte, err error) {
	for _, seed := range seeds {
		made, err := texts.Generate(seed)
		if err != nil {
			return nil, sum, err
		}
		all = append(all, made...)
	}
	for _, seed := range seeds {
		made, err := texts.Pages("pages", seed)
		if err != nil {
			return nil, sum, err
		}
		all = append(all, made...)
	}
	written, err := texts.Written()
	if err != nil {
		return nil, sum, err
	}
	raw, err := os.ReadFile(root + "/" + ownTexts)
	if err != nil {
		return nil, sum, err
	}
	own, err := texts.Hand("own", raw)
	if err != nil {
		return nil, sum, err
	}
	all = append(append(all, written...), own...)
	h := sha256.New()
	for _, t := range all {
		fmt.Fprintf(h, "%v %s %s %v %s %v %q %q\n", t.Attack, t.Lang, t.Tool, t.Siblings, t.Body, t.Result, t.Technique, t.Core)
	}
	copy(sum[:], h.Sum(nil))
	return all, sum, nil
}

// Weights trains both sets.
func Weights(all []texts.Text) (definitions, results voice.Weights, err error) {
	examples, err := Read(all)
	if err != nil {
		return definitions, results, err
	}
	var wait sync.WaitGroup
	wait.Go(func() { definitions = Train(examples, Defaults(false)) })
	wait.Go(func() { results = Train(examples, Defaults(true)) })
	wait.Wait()
	return definitions, results, nil
}
