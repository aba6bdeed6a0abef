package oracle

import "math"

func detect_entropy(s string) float64 {
	counts := map[rune]float64{}
	for _, c := range s {
		counts[c]++
	}
	sum := 0.0
	for _, n := range counts {
		p := n / float64(len(s))
		sum -= p * math.Log2(p)
	}
	return sum
}
