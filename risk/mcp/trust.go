package mcp

import (
	"slices"
	"strings"
)

// Signals are the words with which a catalog vouches for a server. Only vendor
// and community count for a score; any of them makes a server trusted when its
// tools are scored.
type Signals uint8

const (
	VendorOfficial Signals = 1 << iota
	CommunityCurated
	Audited
	WidelyUsed
	AgedSixMonths
	LastReviewedRecent
)

// signalWords lists every accepted spelling, after lower-casing and with "_" as
// "-"; the first of a signal is the one it is written as.
var signalWords = []struct {
	word   string
	signal Signals
}{
	{"vendor-official", VendorOfficial},
	{"community-curated", CommunityCurated},
	{"community", CommunityCurated},
	{"audited", Audited},
	{"widely-used", WidelyUsed},
	{"aged-6mo", AgedSixMonths},
	{"last-reviewed-recent", LastReviewedRecent},
}

// ParseSignals reads trust words; a word it does not know is skipped, because a
// catalog may carry signals that have no meaning here.
func ParseSignals(words []string) Signals {
	var s Signals
	for _, word := range words {
		word = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(word)), "_", "-")
		for _, row := range signalWords {
			if word == row.word {
				s |= row.signal
			}
		}
	}
	return s
}

// Has reports whether all signals of t are among s.
func (s Signals) Has(t Signals) bool { return s&t == t }

// Words returns the signals in snake case, sorted.
func (s Signals) Words() []string {
	words := []string{}
	for _, row := range signalWords {
		word := strings.ReplaceAll(row.word, "-", "_")
		if row.word != "community" && s.Has(row.signal) {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}
