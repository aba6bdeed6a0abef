package mcp

import (
	"slices"
	"strings"
)

// Signals are a catalog's trust signals for a server. Only vendor and community
// affect the server's score; any signal makes a server trusted when its tools are
// scored.
type Signals uint8

const (
	VendorOfficial Signals = 1 << iota
	CommunityCurated
	Audited
	WidelyUsed
	AgedSixMonths
	LastReviewedRecent
)

// signalWords lists every accepted spelling, in lower case and with "_" as "-"; the
// first spelling of a signal is used for output.
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

// ParseSignals reads trust words. It skips unknown words, because a catalog may
// carry signals that have no meaning here.
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
