package oracle

import (
	"math/rand/v2"
	"strings"

	"github.com/glovebox-run/glovebox/internal/samples"
)

func seeded() *rand.Rand { return rand.New(rand.NewPCG(20, 26)) }

// body is a tool's result as JSON: the benign texts of the main module, in a list.
func body(size int) string {
	var texts []string
	random := seeded()
	for n := 0; n < size; {
		for _, x := range samples.Benign(random, 1) {
			texts = append(texts, x.Text)
			n += len(x.Text)
		}
	}
	return samples.JSON(map[string]any{"content": []any{map[string]any{"type": "text", "text": strings.Join(texts, "\n")}}, "items": texts})
}
