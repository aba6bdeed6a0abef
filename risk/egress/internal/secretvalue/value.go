// Package secretvalue says whether characters are a secret or something else: words, a
// stand-in, an identifier, a digest, an address.
package secretvalue

import (
	"math"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/automaton"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// leastEntropy is the floor, in bits per character, of what counts as random.
// Sixteen random hexadecimal digits have 3.1 on average, English words 2.5.
const leastEntropy = 2.5

// Plausible reports whether a text in a rule's format is a secret rather than a
// placeholder for one.
func Plausible(r *rules.Rule, value []byte) bool {
	if r.Identifier {
		return true
	}
	if r.Mixed && !Mixed(value) {
		return false
	}
	floor := r.Entropy
	if floor == 0 && len(value) >= 16 {
		floor = leastEntropy
	}
	return Entropy(value) >= floor && !StandIn(value)
}

// Mixed reports whether letters and digits both occur.
func Mixed(value []byte) bool {
	var letter, digit bool
	for _, c := range value {
		letter = letter || 'a' <= c|0x20 && c|0x20 <= 'z'
		digit = digit || '0' <= c && c <= '9'
	}
	return letter && digit
}

// Entropy is Shannon's, in bits per byte, of the distribution within value.
func Entropy(value []byte) float64 {
	if len(value) == 0 {
		return 0
	}
	var counts [256]int
	for _, c := range value {
		counts[c]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 1 {
			sum += float64(n) * math.Log2(float64(n))
		}
	}
	return math.Log2(float64(len(value))) - sum/float64(len(value))
}

// standIns are parts of placeholder values in documentation and templates.
var standIns = automaton.Build([]string{
	"xxxx", "****", "\u2022\u2022", "\u25cf\u25cf", "....", "0000000000", "1234567890abcdef", "abcdefghijkl",
	"example", "placeholder", "changeme", "change_me", "change-me",
	"your_", "your-", "yourapi", "yourtoken", "yoursecret", "yourpassword",
	"redacted", "dummy", "_here", "-here", "insert_", "insert-", "replace_", "replaceme",
	"not-a-real", "not_a_real", "fake_", "fake-",
}, true)

// StandIn reports whether a value only shows where a secret would be.
func StandIn(value []byte) bool {
	if len(value) == 0 {
		return true
	}
	switch value[0] {
	case '<', '{', '[', '(', '$', '%':
		if last := value[len(value)-1]; last == '>' || last == '}' || last == ']' || last == ')' || last == '%' || value[0] == '$' && !Mixed(value) {
			return true
		}
	}
	if len(value) > LongestName {
		return false // long random values contain any short string by chance
	}
	found := false
	automaton.Each(standIns, value, func(int, int) { found = true })
	return found
}

// LongestName bounds names of values, in bytes, and the values that are compared
// with stand-ins.
const LongestName = 128

// LongestWord is the length of the longest words in names of things.
const LongestWord = 16

// Identifier reports whether a value reads like words put together, as names of
// functions, files, fields and messages do: few parts, of letters or of a few
// digits each.
func Identifier(value []byte) bool {
	parts, digits, run, longest := 0, 0, 0, 0
	class := func(c byte) int {
		switch {
		case 'a' <= c && c <= 'z':
			return 1
		case 'A' <= c && c <= 'Z':
			return 2
		case '0' <= c && c <= '9':
			return 3
		}
		return 0
	}
	prev := 0
	for _, c := range value {
		k := class(c)
		switch {
		case k == 0:
			run = 0
		case k == prev || k == 1 && prev == 2 && run == 1:
			run++
		default:
			parts, run = parts+1, 1
		}
		longest = max(longest, run)
		if k == 3 {
			digits++
		}
		if k == 0 && (c >= 0x80 || c == '!' || c == '#' || c == '^' || c == '*' || c == '$') {
			return false
		}
		prev = k
	}
	return digits <= 4 && parts*4 <= len(value) && longest <= LongestWord && (len(value) < 8 || Pronounced(value) >= 3)
}

// Constant reports whether a value is the name of a constant or option, such as
// oauth2_v2_bearer: words in one case, joined, with few digits.
func Constant(value []byte) bool {
	joints, digits := 0, 0
	for _, c := range value {
		switch {
		case c == '_' || c == '-' || c == '.':
			joints++
		case '0' <= c && c <= '9':
			digits++
		case !ascii.IsLower(c):
			return false
		}
	}
	return joints > 0 && digits < 6 && digits*4 < len(value)
}

// IsAddress reports whether a value is an Ethereum address.
func IsAddress(value []byte) bool {
	return len(value) == 42 && value[0] == '0' && value[1] == 'x' && IsDigest(value[2:])
}

// IsUUID reports whether a value is 8-4-4-4-12 hexadecimal digits.
func IsUUID(value []byte) bool {
	if len(value) != 36 {
		return false
	}
	for i, c := range value {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if _, ok := ascii.Hex(c); !ok {
			return false
		}
	}
	return true
}

// IsDigest reports whether a value has the form of an MD5, SHA-1, SHA-256 or
// SHA-512 sum, which is what most such values are.
func IsDigest(value []byte) bool {
	switch len(value) {
	case 32, 40, 64, 96, 128:
	default:
		return false
	}
	for _, c := range value {
		if _, ok := ascii.Hex(c); !ok {
			return false
		}
	}
	return true
}
