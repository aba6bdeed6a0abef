package main

import (
	"math"
	"slices"
	"time"
)

// sample is the durations of one kind of call.
type sample []time.Duration

// percentile returns the duration that p percent of the sample do not exceed,
// by the nearest rank. The sample is sorted in place.
func (s sample) percentile(p float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	slices.Sort(s)
	rank := int(math.Ceil(p/100*float64(len(s)))) - 1
	return s[min(max(rank, 0), len(s)-1)]
}

func geomean(ratios []float64) float64 {
	sum := 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	return math.Exp(sum / float64(len(ratios)))
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// median is the middle one, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
