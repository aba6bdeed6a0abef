package frame

import (
	"strings"
)

// inEnglish reports whether words that only English has make up a tenth of the
// sentence. Without its accents Vietnamese has some of them as well ("can" is need and
// "the" is may), and shows itself by others.
func (x *cutter) inEnglish() bool {
	n := 0
	for _, w := range x.words[x.word:] {
		if w.To-w.From <= longestEnglish && isEnglish(x.Folded[w.From:w.To]) {
			n++
		}
	}
	words := len(x.words) - x.word
	return n > 0 && n*12 >= words && (n*4 >= words || !x.inVietnamese())
}

// inVietnamese reports whether the sentence has a word of Vietnamese that no English
// one is written like.
func (x *cutter) inVietnamese() bool {
	for _, w := range x.words[x.word:] {
		switch string(x.Folded[w.From:w.To]) {
		case "khong", "nguoi", "duoc", "trong", "nhung", "cua", "cuoc", "hoac", "truoc", "cung", "viec":
			return true
		}
	}
	return false
}

const englishWords = "the of to and are with that this by from be your you when which must before after " +
	"not should has have can if each what how its get lists only"

const longestEnglish = 6 // bytes of the longest of them

// english are the words of englishWords as numbers, in a table with free slots.
var english = func() (table [1 << 8]uint64) {
	for word := range strings.FieldsSeq(englishWords) {
		n := number([]byte(word))
		i := englishSlot(n)
		for table[i] != 0 {
			i = (i + 1) % len(table)
		}
		table[i] = n
	}
	return table
}()

func isEnglish(word []byte) bool {
	n := number(word)
	for i := englishSlot(n); english[i] != 0; i = (i + 1) % len(english) {
		if english[i] == n {
			return true
		}
	}
	return false
}

// number packs a word of at most eight bytes.
func number(word []byte) (n uint64) {
	for _, c := range word {
		n = n<<8 | uint64(c)
	}
	return n
}

func englishSlot(n uint64) int { return int(n * 0x9E3779B97F4A7C15 >> (64 - 8)) }
