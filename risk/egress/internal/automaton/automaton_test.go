package automaton

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type match struct{ Pattern, End int }

func all(a *Automaton, text string) (found []match) {
	Each(a, text, func(p, end int) {
		for ok := true; ok; p, ok = a.Shorter(p) {
			found = append(found, match{p, end})
		}
	})
	return found
}

// naive is the definition: every pattern at every position, longest first.
func naive(patterns []string, text string, fold bool) (found []match) {
	if fold {
		text = strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}, text)
	}
	order := make([]int, len(patterns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return len(patterns[y]) - len(patterns[x]) })
	for end := 1; end <= len(text); end++ {
		for _, p := range order {
			want := patterns[p]
			if fold {
				want = strings.ToLower(want)
			}
			if want != "" && strings.HasSuffix(text[:end], want) {
				found = append(found, match{p, end})
			}
		}
	}
	return found
}

func check(t *testing.T, patterns []string, text string, fold bool) {
	t.Helper()
	if diff := cmp.Diff(naive(patterns, text, fold), all(Build(patterns, fold), text)); diff != "" {
		t.Errorf("patterns %q in %q (fold %v), -definition +automaton:\n%s", patterns, text, fold, diff)
	}
}

func TestMatchesAreThoseOfTheDefinition(t *testing.T) {
	check(t, nil, "text", false)
	check(t, []string{"", "a"}, "banana", false)
	check(t, []string{"he", "she", "his", "hers"}, "ushers and his", false)
	check(t, []string{"aaaa", "aa", "aaa"}, "aaaaaa", false)
	check(t, []string{"AbC", "bcd"}, "xaBCDabc", true)

	random := rand.New(rand.NewPCG(1, 2))
	word := func(longest int) string {
		b := make([]byte, 1+random.IntN(longest))
		for i := range b {
			b[i] = "abcAB"[random.IntN(5)]
		}
		return string(b)
	}
	for range 2000 {
		seen := map[string]bool{}
		var patterns []string
		fold := random.IntN(2) == 0
		for range 1 + random.IntN(8) {
			p := word(9)
			if fold {
				p = strings.ToLower(p)
			}
			if !seen[p] {
				patterns = append(patterns, p)
			}
			seen[p] = true
		}
		check(t, patterns, word(60), fold)
	}
}

func TestAllByteValuesAreDistinct(t *testing.T) {
	var b strings.Builder
	for c := range 256 {
		b.WriteByte(byte(c))
	}
	whole := b.String()
	check(t, []string{whole, whole[100:103], "\xff\x00"}, whole+whole, false)
}
