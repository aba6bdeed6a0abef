package live

import (
	"fmt"
	"slices"
	"strings"
)

// Mode says what a decision of the engine does.
type Mode uint8

const (
	Off     Mode = iota // the engine sees nothing
	Observe             // decisions are recorded and change nothing
	Ask                 // a denial becomes a question, except that a killed session stays killed
	Enforce             // denials deny
)

var modeNames = []string{"off", "observe", "ask", "enforce"}

// Modes returns the words for the modes.
func Modes() []string { return slices.Clone(modeNames) }

// String returns the word for a mode.
func (m Mode) String() string { return modeNames[min(int(m), len(modeNames)-1)] }

// ParseMode reads one of [Modes]; empty is Off.
func ParseMode(word string) (Mode, error) {
	if word == "" {
		return Off, nil
	}
	i := slices.Index(modeNames, word)
	if i < 0 {
		return Off, fmt.Errorf("%q: want %s", word, strings.Join(modeNames, ", "))
	}
	return Mode(i), nil
}
