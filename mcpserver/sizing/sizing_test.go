package sizing

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestWhatIsFoundFits, on every machine with at least 192 MiB.
func TestWhatIsFoundFits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		total := int64(192*mib) + random.Int64N(64<<30)>>random.IntN(12)
		processors := 1 + random.IntN(64)
		p := Fit(total, processors, Asked{Output: 16 * mib})
		if err := p.Check(); err != nil {
			t.Fatalf("%d MiB, %d processors: %+v: %v", total/mib, processors, p, err)
		}
		switch {
		case p.Parallel < 1 || p.Parallel > perProcessor*processors:
			t.Fatalf("%+v", p)
		case p.Memory < leastMemory || p.Memory > CallMemory || p.Messages < leastMessages || p.Messages > mostMessages:
			t.Fatalf("%+v", p)
		case p.GoLimit > total || p.GoLimit < Program+p.Messages:
			t.Fatalf("%+v", p)
		}
	}
}

// TestWaysOutWork: each proposal of Check fits, and one step more does not.
func TestWaysOutWork(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	proposed := 0
	for range 10_000 {
		total := int64(128*mib) + random.Int64N(4<<30)
		asked := Asked{Parallel: 1 + random.IntN(64), Memory: (6 + random.Int64N(512)) * mib, Output: (1 + random.Int64N(32)) * mib, Messages: (16 + random.Int64N(256)) * mib}
		p := Fit(total, 2, asked)
		err := p.Check()
		if err == nil {
			continue
		}
		for _, way := range strings.Split(err.Error(), "; ")[1:] {
			again, n := asked, int64(0)
			grown := total
			if _, err := fmt.Sscanf(way, "limits.parallel: %d fits", &n); err == nil {
				again.Parallel = int(n)
			} else if _, err := fmt.Sscanf(way, "limits.memory: %dMiB fits", &n); err == nil {
				again.Memory = n * mib
			} else {
				grown = p.enough()
			}
			proposed++
			if err := Fit(grown, 2, again).Check(); err != nil {
				t.Fatalf("%d MiB, %+v: %q: %v", total/mib, asked, way, err)
			}
		}
	}
	if proposed < 1000 {
		t.Errorf("%d ways out", proposed)
	}
}

func TestAskedIsKept(t *testing.T) {
	asked := Asked{Parallel: 100, Memory: 7 * mib, Output: 3 * mib, Messages: 99 * mib}
	p := Fit(1<<30, 1, asked)
	if got := (Asked{p.Parallel, p.Memory, p.Output / perOutput, p.Messages}); got != asked {
		t.Errorf("%+v", got)
	}
}

func TestAvailable(t *testing.T) {
	total, source, err := Available()
	if err != nil || total < 64*mib || source == "" {
		t.Errorf("%d from %q, %v", total, source, err)
	}
}

// TestPage: the table of the page matches Fit.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/sizing.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, total := range []int64{256 * mib, 400 * mib, 1 << 30, 4 << 30, 24 << 30} {
		for _, processors := range []int{2, 8} {
			p := Fit(total, processors, Asked{Output: 16 * mib})
			row := fmt.Sprintf("| %s | %d | %d | %d MiB | %d MiB | %d MiB |", size(total), processors, p.Parallel, p.Memory/mib, p.Messages/mib, p.GoLimit/mib)
			if !strings.Contains(string(page), row) {
				t.Errorf("docs/sizing.md lacks\n%s", row)
			}
		}
	}
	if large, small := Fit(256*mib, 2, Asked{Output: 16 * mib}), Fit(256*mib, 2, Asked{Output: 4 * mib}); large.Parallel != 1 || small.Parallel <= 1 {
		t.Errorf("%d and %d calls in 256 MiB", large.Parallel, small.Parallel)
	}
	for _, formula := range []string{
		fmt.Sprintf("program = %d MiB", Program/mib), fmt.Sprintf("between %d and %d MiB", leastMessages/mib, mostMessages/mib),
		fmt.Sprintf("results = %d × `limits.output`", perOutput), fmt.Sprintf("at most %d for each processor", perProcessor), fmt.Sprintf("at least %d MiB", leastMemory/mib),
	} {
		if !strings.Contains(string(page), formula) {
			t.Errorf("docs/sizing.md lacks %q", formula)
		}
	}
}
