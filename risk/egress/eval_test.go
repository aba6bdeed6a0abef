package egress

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/samples"
)

// The bars of the material that acceptance uses are the same; ours is made apart
// from it.
const (
	leastFormats  = 0.95
	leastEvasions = 0.80
	mostBenign    = 0.007
)

func TestEvaluation(t *testing.T) {
	s := New(builtin(t), DefaultPolicy())
	random := rand.New(rand.NewPCG(20, 26))
	found := func(list []samples.Sample) float64 {
		hit := 0
		missed := map[string]int{}
		for _, x := range list {
			out, outcome := s.Text(session(), Place{}, x.Text)
			if x.Secret == "" {
				if out != x.Text {
					hit++
					t.Logf("benign %s: %+v\n%s\n%s", x.Name, outcome.Redacted(), x.Text, out)
				}
				continue
			}
			core := x.Secret[len(x.Secret)/4 : len(x.Secret)*3/4]
			quoted := samples.JSON(core)
			if strings.Contains(out, core) || strings.Contains(out, quoted[1:len(quoted)-1]) {
				if missed[x.Name]++; missed[x.Name] <= 2 {
					t.Logf("missed %s: %s", x.Name, x.Text)
				}
				continue
			}
			hit++
		}
		return float64(hit) / float64(len(list))
	}
	formats, evasions, benign := samples.Formats(random, 6), samples.Evasions(random), samples.Benign(random, 4)
	for _, row := range []struct {
		name string
		list []samples.Sample
		bad  func(float64) bool
		bar  string
	}{
		{"formats", formats, func(r float64) bool { return r < leastFormats }, fmt.Sprintf("at least %.1f %%", 100*leastFormats)},
		{"evasions", evasions, func(r float64) bool { return r < leastEvasions }, fmt.Sprintf("at least %.1f %%", 100*leastEvasions)},
		{"benign", benign, func(r float64) bool { return r > mostBenign }, fmt.Sprintf("at most %.1f %%", 100*mostBenign)},
	} {
		rate := found(row.list)
		line := fmt.Sprintf("%-9s %5d texts  %5.1f %%  (%s)", row.name, len(row.list), 100*rate, row.bar)
		t.Log(line)
		if row.bad(rate) {
			t.Error(line)
		}
	}
}
