package secretvalue

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
)

// followers are, for each letter, the letters that follow it most: 220 pairs, which
// make up 93 % of the words of twenty languages in the Latin alphabet (counted in
// the documentation and the test material of this repository) and a third of
// random letters. Of words of eight letters 2 % have fewer than five eighths of
// their pairs among them, of random ones 93 %.
const followers = "a:bcdgiklmnprstuvy b:aeilou c:aehiklortu d:aeilors e:acdefgilmnprstvwx f:aefioru g:aehiorsu h:aeiort i:abcdefglmnoprstv k:eis l:adeilostuy m:aeimop n:acdeginostuv " +
	"o:abcdfgiklmnoprstuvw p:aeiloprstu q:u r:acdegikmnorstuvy s:acehikopstu t:acehilorstuy u:abcdegilmnprst v:aeio w:aehino x:pt y:s"

// common is followers by pair: 26*a+b.
var common = func() (table [26 * 26]bool) {
	for _, row := range bytes.Fields([]byte(followers)) {
		for _, b := range row[2:] {
			table[int(row[0]-'a')*26+int(b-'a')] = true
		}
	}
	return table
}()

// Pronounced returns the share, in eighths, of the pairs of neighbouring letters
// that words are made of.
func Pronounced(value []byte) int {
	all, known := 0, 0
	for i := 1; i < len(value); i++ {
		a, b := ascii.Lower(value[i-1]), ascii.Lower(value[i])
		if ascii.IsLower(a) && ascii.IsLower(b) {
			all++
			if common[int(a-'a')*26+int(b-'a')] {
				known++
			}
		}
	}
	if all == 0 {
		return 0
	}
	return known * 8 / all
}

// Random reports whether a run of token characters looks random rather than
// written: not a word, number, date, version or name made of those.
func Random(value []byte) bool {
	letters, digits, changes, runs := 0, 0, 0, 0
	prev := byte(0)
	for _, c := range value {
		k := byte(0)
		switch {
		case ascii.IsLower(c):
			k = 'a'
		case ascii.IsUpper(c):
			k = 'A'
		case '0' <= c && c <= '9':
			k = '0'
		}
		if k == '0' {
			digits++
		} else if k != 0 {
			letters++
		}
		if k != prev && k != 0 {
			runs++
			if prev != 0 && !(prev == 'A' && k == 'a') {
				changes++
			}
		}
		prev = k
	}
	switch {
	case letters+digits == 0:
		return false
	case letters == 0:
		return false
	case digits == 0 && changes*5 <= letters:
		return Pronounced(value) < 5
	case letters <= 2 && dated(value):
		return false
	}
	// Letters and digits in turn, or capitals in the middle of words.
	return changes >= 2 && changes*8 >= len(value) || changes >= 1 && Pronounced(value) < 5 && len(value) >= 4
}

// dated reports whether a value begins like a date or an address of numbers.
func dated(value []byte) bool {
	i := 0
	for i < len(value) && '0' <= value[i] && value[i] <= '9' {
		i++
	}
	return 1 <= i && i <= 4 && i+2 < len(value) && (value[i] == '-' || value[i] == '.' || value[i] == ':' || value[i] == '/') && '0' <= value[i+1] && value[i+1] <= '9'
}

// Written reports whether a few characters are a word rather than the rest of a
// token.
func Written(value []byte) bool {
	for i, c := range value {
		if c == '_' || c == ':' || c == '=' || c == '/' {
			return true
		}
		if !ascii.IsLower(c) && !(i == 0 && ascii.IsUpper(c)) && c != '.' {
			return false
		}
	}
	return len(value) > 1
}
