package poison

import (
	"encoding/base32"
	"strconv"
	"strings"

	"github.com/glovebox-run/glovebox/risk/poison/ascii"
)

// Rules for disguises that keep letters as letters, or write them as numbers.
const (
	rot13Payload    = "rot13"
	reversedPayload = "reversed"
	codesPayload    = "character-codes"
	spacedPayload   = "spaced-letters"
	base32Payload   = "base32"
	leetPayload     = "leet"
)

// disguised finds the lines of s that say something once they are read in another
// way. A line is the unit: it is how such texts are written, and it bounds what is
// decoded. Each line is gone over a fixed number of times.
func disguised(s string, found []payload) []payload {
	for start := 0; start < len(s); {
		end := strings.IndexByte(s[start:], '\n')
		if end < 0 {
			end = len(s)
		} else {
			end += start
		}
		line := s[start:end]
		if len(line) >= minEncoded {
			w := countWords(line)
			if w.common(w.rot13) {
				found = append(found, payload{rot13Payload, start, end, strings.Map(rot13, line)})
			}
			if w.common(w.reversed) {
				found = append(found, payload{reversedPayload, start, end, reverse(line)})
			}
			if w.leet >= minLeet && w.leet*4 >= w.all {
				found = append(found, payload{leetPayload, start, end, strings.Map(unleet, line)})
			}
			found = codes(s, start, end, found)
			found = spaced(s, start, end, found)
			found = base32Runs(s, start, end, found)
		}
		start = end + 1
	}
	return found
}

// lineWords counts the words of a line by what they look like.
type lineWords struct{ all, rot13, reversed, leet int }

// A line is disguised if a fifth of its words, and no fewer than three, are common
// words in disguise. "gb" alone is a unit, "ton" a weight.
func (w lineWords) common(n int) bool { return n >= 3 && n*5 >= w.all }

// minLeet is how many words of a line must mix digits into letters: k8s, s3 and
// sha256 are names.
const minLeet = 4

// commonWords are words that hardly any sentence, or hardly any order, is without.
var commonWords = map[string]bool{"the": true, "and": true, "to": true, "of": true, "your": true, "you": true, "all": true, "this": true, "with": true, "from": true, "user": true, "send": true,
	"password": true, "ignore": true, "not": true, "do": true, "before": true, "add": true, "key": true, "file": true, "read": true, "tell": true, "run": true, "into": true, "secret": true,
	"la": true, "de": true, "et": true, "les": true, "du": true, "avec": true, "der": true, "die": true, "und": true, "den": true, "nicht": true, "mit": true, "el": true, "los": true, "que": true, "con": true}

const longestCommon = 8 // bytes of the longest of commonWords

func countWords(line string) (w lineWords) {
	var word [longestCommon]byte
	for i := 0; i < len(line); {
		if !ascii.Letter(line[i]) && !ascii.Digit(line[i]) {
			i++
			continue
		}
		j, digits, letters := i, 0, 0
		for j < len(line) && (ascii.Letter(line[j]) || ascii.Digit(line[j])) {
			if ascii.Digit(line[j]) {
				digits++
			} else {
				letters++
			}
			j++
		}
		w.all++
		if digits > 0 && letters > 0 && j-i > 2 {
			w.leet++
		}
		if n := j - i; n > 1 && n <= longestCommon && digits == 0 {
			for k := range n {
				word[k] = byte(rot13(rune(ascii.Lower(line[i+k]))))
			}
			if commonWords[string(word[:n])] {
				w.rot13++
			}
			for k := range n {
				word[n-1-k] = ascii.Lower(line[i+k])
			}
			if commonWords[string(word[:n])] && n > 2 {
				w.reversed++
			}
		}
		i = j
	}
	return w
}

func rot13(c rune) rune {
	switch {
	case c >= 'a' && c <= 'z':
		return 'a' + (c-'a'+13)%26
	case c >= 'A' && c <= 'Z':
		return 'A' + (c-'A'+13)%26
	}
	return c
}

func reverse(s string) string {
	runes := []rune(s)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

func unleet(c rune) rune {
	const digits, letters = "0134578@$", "oieastbas"
	if i := strings.IndexRune(digits, c); i >= 0 {
		return rune(letters[i])
	}
	return c
}

// codes finds runs of numbers that are codes of characters: 73 103 110 or 0x49,
// 0x67 or 49 67 6e.
func codes(s string, start, end int, found []payload) []payload {
	var decimal, hexadecimal []byte
	from, count, looksHex := 0, 0, false
	flush := func(to int) {
		if count >= minEncoded/2 {
			text := ""
			if !looksHex {
				text = readable(decimal)
			}
			if text == "" && len(hexadecimal) == count {
				text = readable(hexadecimal)
			}
			if text != "" {
				found = append(found, payload{codesPayload, from, to, text})
			}
		}
		decimal, hexadecimal, count, looksHex = nil, nil, 0, false
	}
	for i := start; i < end; {
		c := s[i]
		if ascii.Space(c) || c == ',' || c == ';' || c == '-' || c == ':' {
			i++
			continue
		}
		j := i
		for j < end && (ascii.Letter(s[j]) || ascii.Digit(s[j])) {
			j++
		}
		code := s[i:j]
		prefixed := ascii.HasPrefix(code, "0x")
		if prefixed {
			code = code[2:]
		}
		d, errD := strconv.ParseUint(code, 10, 8)
		h, errH := strconv.ParseUint(code, 16, 8)
		if j == i || errD != nil && errH != nil || len(code) > 3 || len(code) < 2 {
			flush(i)
			i = max(j, i+1)
			continue
		}
		if count == 0 {
			from = i
		}
		count++
		if errD == nil {
			decimal = append(decimal, byte(d))
		}
		if errH == nil && len(code) == 2 {
			hexadecimal = append(hexadecimal, byte(h))
		}
		looksHex = looksHex || prefixed || errD != nil
		i = j
	}
	flush(end)
	return found
}

// spaced finds letters that stand apart: "i g n o r e   t h i s", "i.g.n.o.r.e". Two
// separators, or another one, end a word.
func spaced(s string, start, end int, found []payload) []payload {
	for i := start; i < end; i++ {
		if !ascii.Letter(s[i]) || i > start && ascii.Word(s[i-1]) {
			continue
		}
		var b strings.Builder
		j, letters := i, 0
		for j < end && ascii.Letter(s[j]) && (j+1 >= end || !ascii.Word(s[j+1])) {
			b.WriteByte(s[j])
			letters++
			gap := j + 1
			for gap < end && strings.IndexByte(" .-*/|", s[gap]) >= 0 {
				gap++
			}
			if gap-j > 2 || gap-j == 2 && s[j+1] != s[min(i+1, end-1)] {
				b.WriteByte(' ')
			}
			if gap == j+1 {
				j = gap
				break
			}
			j = gap
		}
		if letters >= minEncoded/2 {
			found = append(found, payload{spacedPayload, i, j, b.String()})
		}
		i = max(i, j-1)
	}
	return found
}

func base32Runs(s string, start, end int, found []payload) []payload {
	for i := start; i < end; i++ {
		j := i
		for j < end && (ascii.Upper(s[j]) || s[j] >= '2' && s[j] <= '7') {
			j++
		}
		if j-i >= minEncoded {
			if b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(s[i:j]); err == nil {
				if text := readable(b); text != "" {
					found = append(found, payload{base32Payload, i, j, text})
				}
			}
		}
		i = j
	}
	return found
}
