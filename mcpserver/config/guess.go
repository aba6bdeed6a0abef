package config

import (
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/risk"
)

func treatments() []string { return risk.Treatments() }

func networkModes() (names []string) {
	for m := catalog.NetworkBlocked; m <= catalog.NetworkOpen; m++ {
		names = append(names, m.String())
	}
	return names
}

// longestGuess bounds the texts compared: no name is longer.
const longestGuess = 64

// meant completes a sentence with the name the user probably meant.
func meant(written string, names []string) string {
	best, least := "", 3 // beyond two edits it is another word
	for _, name := range names {
		if d := distance(written, name); d < least && d < len(name) {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is the number of characters to insert, delete, replace or swap with
// their neighbour.
func distance(a, b string) int {
	if len(a) > longestGuess || len(b) > longestGuess {
		return longestGuess
	}
	var before, last, row [longestGuess + 1]int
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
