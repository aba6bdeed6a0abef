package overlap

import (
	"slices"
	"unicode/utf8"
)

const (
	// Words of fewer letters and digits are not marked: they stand in every text.
	MinWord = 4
	// A longer word is marked by its runs alone.
	maxWord = 512

	// How many bytes of prose there are for one mark, and for one of a run, to make room at
	// once.
	bytesPerMark, bytesPerRun = 5, 8
)

// Kind is what a mark stands for.
type Kind uint8

const (
	Word Kind = iota // a whole word or a part of one, such as the host in an address
	Run              // Guaranteed characters contain at least one
)

// Mark is the hash of a piece of text and where it begins.
type Mark struct {
	Hash uint64
	At   uint32 // byte offset
	Kind Kind
}

const (
	base     = 0x9E3779B97F4A7C15 // odd, so that no character is lost in multiplication
	wordSeed = 0xCBF29CE484222325
)

// mix spreads a hash over all bits (the finaliser of SplitMix64).
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// Read appends the marks of a text: its words in the order of their ends, then its runs.
func Read(out []Mark, text string) []Mark {
	out, _ = read(slices.Grow(out, len(text)/bytesPerMark), text)
	return out
}

// read also returns how many bytes of letters and digits there are, folded.
func read(out []Mark, text string) ([]Mark, int) {
	out, _ = readWords(out, text)
	return readRuns(out, text)
}

// words is the state of a pass over a text that marks its words.
type words struct {
	out []Mark

	word, part       uint64
	wordLen, partLen int
	wordAt, partAt   uint32
	parts            int
	letters          int // and digits, folded, in bytes
}

// readWords appends the marks of words, and returns how many bytes of letters and digits
// there are.
func readWords(out []Mark, text string) ([]Mark, int) {
	r := words{out: out, word: wordSeed, part: wordSeed}
	r.text(text)
	return r.out, r.letters
}

func (r *words) text(text string) {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			switch classes[c] {
			case drop:
			case hard:
				r.endWord()
				i += escape(text, i)
			case soft:
				r.endPart()
			default:
				i = r.plain(text, i)
				continue
			}
			i++
			continue
		}
		rune, size := utf8.DecodeRuneInString(text[i:])
		var bytes [utf8.UTFMax]byte
		folded, ok := fold(rune, &bytes)
		if !ok {
			r.endWord()
		}
		for _, b := range folded {
			r.letter(b, uint32(i))
		}
		i += size
	}
	r.endWord()
}

// escape returns how many bytes behind i are part of an escape in a text that was quoted:
// the n in \n is no letter.
func escape(text string, i int) int {
	if text[i] == '\\' && i+1 < len(text) && (text[i+1] == 'n' || text[i+1] == 't' || text[i+1] == 'r') {
		return 1
	}
	return 0
}

// letter takes in one folded byte of the character at a place.
func (r *words) letter(c byte, at uint32) {
	r.begin(at)
	r.wordLen++
	r.partLen++
	r.letters++
	r.word = (r.word ^ uint64(c)) * base
	r.part = (r.part ^ uint64(c)) * base
}

// plain takes in the letters and digits of ASCII from i on and returns where they end. It
// does what letter does, a word at a time.
func (r *words) plain(text string, i int) int {
	r.begin(uint32(i))
	start, word, part := i, r.word, r.part
	for ; i < len(text) && text[i] < utf8.RuneSelf; i++ {
		c := classes[text[i]]
		if c < first {
			break
		}
		word = (word ^ uint64(c)) * base
		part = (part ^ uint64(c)) * base
	}
	r.word, r.part = word, part
	r.wordLen += i - start
	r.partLen += i - start
	r.letters += i - start
	return i
}

// begin notes where a word or a part of one begins.
func (r *words) begin(at uint32) {
	if r.wordLen == 0 {
		r.wordAt = at
	}
	if r.partLen == 0 {
		r.partAt = at
	}
}

func (r *words) endPart() {
	if r.partLen > 0 {
		r.parts++
		if r.partLen >= MinWord && r.partLen <= maxWord {
			r.out = append(r.out, Mark{mix(r.part), r.partAt, Word})
		}
	}
	r.part, r.partLen = wordSeed, 0
}

func (r *words) endWord() {
	if r.wordLen == 0 {
		return
	}
	if r.parts > 0 {
		r.endPart()
	}
	if (r.parts == 0 || r.parts > 1) && r.wordLen >= MinWord && r.wordLen <= maxWord {
		r.out = append(r.out, Mark{mix(r.word), r.wordAt, Word})
	}
	r.word, r.wordLen, r.part, r.partLen, r.parts = wordSeed, 0, wordSeed, 0, 0
}

// Marks appends the marks of a text and of what its encoded pieces mean.
func Marks(out []Mark, text string) []Mark {
	out = Read(out, text)
	if decoded := Decoded(text); decoded != "" {
		out = Read(out, decoded)
	}
	return out
}
