package main

import (
	"math"
	"math/rand/v2"
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

// tail is a percentile as text, or "-" where the sample is too small to have one: it would
// be the longest.
func (s sample) tail(p float64, format func(time.Duration) string) string {
	if len(s) == 0 || p > 50 && (100-p)*float64(len(s)) < 100 {
		return "-"
	}
	return format(s.percentile(p))
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

// resamples is how often an interval draws its sample anew; seeded, so that one run's
// figures give one interval.
const resamples = 400

// interval is the range in which the ratio of two medians lies with 95 % confidence, by
// the bootstrap: both samples are drawn anew, with replacement, and the middle 95 % of
// the ratios are kept.
func interval(a, b sample) (low, high float64) {
	if len(a) == 0 || len(b) == 0 {
		return math.NaN(), math.NaN()
	}
	source := rand.New(rand.NewPCG(1, 2))
	ratios := make([]float64, resamples)
	for n := range ratios {
		ratios[n] = ratio(drawn(source, a).percentile(50), drawn(source, b).percentile(50))
	}
	slices.Sort(ratios)
	return ratios[resamples*25/1000], ratios[resamples*975/1000-1]
}

func drawn(source *rand.Rand, s sample) sample {
	again := make(sample, min(len(s), 2000)) // more say the same, and are sorted
	for n := range again {
		again[n] = s[source.IntN(len(s))]
	}
	return again
}
