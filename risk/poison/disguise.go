package poison

import (
	"encoding/base32"
	"strconv"
	"strings"

	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"
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

// disguised finds the lines of s that make sense when decoded. The unit is a line,
// because such texts are written in lines, and because this limits the text to
// decode. Each line is read a fixed number of times.
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
			if w.codes >= minCodes {
				found = codes(s, start, end, found)
			}
			if w.single >= minCodes {
				found = spaced(s, start, end, found)
			}
			if w.longest >= minEncoded {
				found = base32Runs(s, start, end, found)
			}
		}
		start = end + 1
	}
	return found
}

// minCodes is how many characters of a text must be written as numbers, or apart.
const minCodes = minEncoded / 2

// lineWords counts the words of a line by what they look like. longest is the length
// of its longest word: the finders behind these counts need not look at every line.
type lineWords struct{ all, rot13, reversed, leet, codes, single, longest int }

// A line is disguised if a fifth of its words, and no fewer than three, are common
// words in disguise. "gb" alone is a unit, "ton" a weight.
func (w lineWords) common(n int) bool { return n >= 3 && n*5 >= w.all }

// minLeet is how many words of a line must mix digits into letters: k8s, s3 and
// sha256 are names.
const minLeet = 4

// commonWords are words that occur in nearly every sentence or nearly every order.
var commonWords = map[string]bool{"the": true, "and": true, "to": true, "of": true, "your": true, "you": true, "all": true, "this": true, "with": true, "from": true, "user": true, "send": true,
	"password": true, "ignore": true, "not": true, "do": true, "before": true, "add": true, "key": true, "file": true, "read": true, "tell": true, "run": true, "into": true, "secret": true,
	"la": true, "de": true, "et": true, "les": true, "du": true, "avec": true, "der": true, "die": true, "und": true, "den": true, "nicht": true, "mit": true, "el": true, "los": true, "que": true, "con": true}

const longestCommon = 8 // bytes of the longest of commonWords: a machine word

// inDisguise are commonWords as they are disguised, packed into a number: bit 0 for
// rot13, bit 1 for backwards. A table with free slots, since nearly no word is in it.
var inDisguise = func() (table [1 << 9]struct {
	word uint64
	how  uint8
}) {
	put := func(word string, how uint8) {
		p := packed(word)
		i := disguiseSlot(p)
		for table[i].how != 0 && table[i].word != p {
			i = (i + 1) % len(table)
		}
		table[i].word, table[i].how = p, table[i].how|how
	}
	for word := range commonWords {
		put(strings.Map(rot13, word), 1)
		if len(word) > 2 {
			put(reverse(word), 2)
		}
	}
	return table
}()

// packed is a word of up to longestCommon letters in lower case, as one number.
func packed(word string) (p uint64) {
	for i := range len(word) {
		p = p<<8 | uint64(word[i]|0x20)
	}
	return p
}

func disguiseSlot(p uint64) int { return int(p * 0x9E3779B97F4A7C15 >> (64 - 9)) }

func disguisedAs(word string) uint8 {
	p := packed(word)
	for i := disguiseSlot(p); ; i = (i + 1) % len(inDisguise) {
		if inDisguise[i].how == 0 || inDisguise[i].word == p {
			return inDisguise[i].how
		}
	}
}

func countWords(line string) (w lineWords) {
	for i := 0; i < len(line); {
		if !ascii.Letter(line[i]) && !ascii.Digit(line[i]) {
			i++
			continue
		}
		j, digits := i, 0
		for ; j < len(line); j++ {
			if ascii.Digit(line[j]) {
				digits++
			} else if !ascii.Letter(line[j]) {
				break
			}
		}
		n := j - i
		w.all++
		w.longest = max(w.longest, n)
		switch {
		case digits > 0 && digits < n && n > 2:
			w.leet++
		case digits > 0:
		case n == 1:
			w.single++
		case n <= longestCommon:
			how := disguisedAs(line[i:j])
			w.rot13 += int(how & 1)
			w.reversed += int(how >> 1)
		}
		if n < 6 && isCode(line[i:j]) {
			w.codes++
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
	from, last, count := 0, 0, 0
	flush := func() {
		if count >= minCodes {
			if text := fromCodes(s[from:last]); text != "" {
				found = append(found, payload{codesPayload, from, last, text})
			}
		}
		count = 0
	}
	for i := start; i < end; {
		if isCodeGap(s[i]) {
			i++
			continue
		}
		j := i
		for j < end && (ascii.Letter(s[j]) || ascii.Digit(s[j])) {
			j++
		}
		if !isCode(s[i:j]) {
			flush()
			i = max(j, i+1)
			continue
		}
		if count == 0 {
			from = i
		}
		count++
		i, last = j, j
	}
	flush()
	return found
}

func isCodeGap(c byte) bool { return ascii.Space(c) || strings.IndexByte(",;-:", c) >= 0 }

func isCode(s string) bool {
	if ascii.HasPrefix(s, "0x") {
		s = s[2:]
	}
	for i := range len(s) {
		if !ascii.Digit(s[i]) && (s[i]|0x20 < 'a' || s[i]|0x20 > 'f') {
			return false
		}
	}
	return len(s) == 2 || len(s) == 3
}

// fromCodes reads codes as decimal numbers if all are, else as hexadecimal ones.
func fromCodes(run string) string {
	var decimal, hexadecimal []byte
	isDecimal, isHex := true, true
	for code := range strings.FieldsFuncSeq(run, func(c rune) bool { return c < 0x80 && isCodeGap(byte(c)) }) {
		if ascii.HasPrefix(code, "0x") {
			code, isDecimal = code[2:], false
		}
		d, err := strconv.ParseUint(code, 10, 8)
		isDecimal = isDecimal && err == nil
		decimal = append(decimal, byte(d))
		h, err := strconv.ParseUint(code, 16, 8)
		isHex = isHex && err == nil && len(code) == 2
		hexadecimal = append(hexadecimal, byte(h))
	}
	if isDecimal {
		if text := readable(decimal); text != "" {
			return text
		}
	}
	if isHex {
		return readable(hexadecimal)
	}
	return ""
}

// spaced finds letters that stand apart: "i g n o r e   t h i s", "i.g.n.o.r.e". Two
// separators, or another one, end a word.
func spaced(s string, start, end int, found []payload) []payload {
	for i := start; i < end; i++ {
		if !ascii.Letter(s[i]) || i > start && ascii.Word(s[i-1]) {
			continue
		}
		j, letters := i, 0
		for j < end && apart(s, j, end) {
			letters++
			gap := gapEnd(s, j+1, end)
			if gap == j+1 {
				j = gap
				break
			}
			j = gap
		}
		if letters >= minCodes {
			found = append(found, payload{spacedPayload, i, j, together(s[i:j])})
		}
		i = max(i, j-1)
	}
	return found
}

// apart reports whether a single letter stands at i.
func apart(s string, i, end int) bool {
	return ascii.Letter(s[i]) && (i+1 >= end || !ascii.Word(s[i+1]))
}

func gapEnd(s string, i, end int) int {
	for i < end && strings.IndexByte(" .-*/|", s[i]) >= 0 {
		i++
	}
	return i
}

// together takes out what stands between the letters of a word; the first gap
// shows what that is.
func together(run string) string {
	var b strings.Builder
	usual := run[1]
	for i := 0; i < len(run); {
		b.WriteByte(run[i])
		gap := gapEnd(run, i+1, len(run))
		if gap-i > 2 || gap-i == 2 && run[i+1] != usual {
			b.WriteByte(' ')
		}
		i = gap
	}
	return b.String()
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
