package overlap

import (
	"slices"
	"unicode/utf8"
)

// Guaranteed is how many letters and digits in a row two texts must share so that
// their marks are certain to meet. 32 is about six words: long enough that two people
// do not write it by chance, short enough for one clause of a sentence. Every window of
// window runs has a mark, so it is run+window-1.
const (
	Guaranteed = run + window - 1

	run    = 16 // characters that are hashed together
	window = 16 // of so many runs in a row the one with the least hash is marked

	// Words of fewer letters and digits are not marked: they stand in every text.
	MinWord = 4
	// A longer word is marked by its runs alone.
	maxWord = 512

	// marksPerByte is how many bytes of prose there are for one mark, to make room at once.
	marksPerByte = 4
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

var basePower = func() uint64 {
	p := uint64(1)
	for range run {
		p *= base
	}
	return p
}()

// mix spreads a hash over all bits (the finaliser of SplitMix64).
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// reader is the state of one pass over a text. Words are marked while letters are read,
// runs a block of letters later: hashing is then a loop over an array.
type reader struct {
	out []Mark

	// The letters of this block behind the last run of the block before, and where each
	// one stands.
	letters [run + block]byte
	at      [run + block]uint32
	filled  int // letters of this block

	n    uint // letters and digits of the blocks before
	roll uint64

	// The hashes of the last runs and the least of them, by its number from 1.
	recent   [window]uint64
	recentAt [window]uint32
	least    uint

	word, part       uint64
	wordLen, partLen int
	wordAt, partAt   uint32
	parts            int
}

// block is how many letters are hashed at a time. The state of a pass is cleared for
// each short value too, so it is kept below two kilobytes.
const block = 256

// Read appends the marks of a text: words in the order of their ends, runs likewise, one
// kind behind the other in each piece of the text.
func Read(out []Mark, text string) []Mark {
	out, _ = read(out, text)
	return out
}

// read also returns how many bytes of letters and digits there are, folded.
func read(out []Mark, text string) ([]Mark, int) {
	r := reader{out: slices.Grow(out, len(text)/marksPerByte), word: wordSeed, part: wordSeed}
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			switch classes[c] {
			case drop:
			case hard:
				r.endWord()
				// An escape in a text that was quoted: \n is no letter.
				if c == '\\' && i+1 < len(text) && (text[i+1] == 'n' || text[i+1] == 't' || text[i+1] == 'r') {
					i++
				}
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
	r.endBlock()
	return r.out, int(r.n)
}

// letter takes in one folded byte of the character at a place.
func (r *reader) letter(c byte, at uint32) {
	r.begin(at)
	r.wordLen++
	r.partLen++
	r.word = (r.word ^ uint64(c)) * base
	r.part = (r.part ^ uint64(c)) * base
	if r.filled == block {
		r.endBlock()
	}
	r.letters[run+r.filled], r.at[run+r.filled] = c, at
	r.filled++
}

// plain takes in the letters and digits of ASCII from i on and returns where they end. It
// does what letter does, a word at a time.
func (r *reader) plain(text string, i int) int {
	r.begin(uint32(i))
	start, word, part, filled := i, r.word, r.part, r.filled
	for ; i < len(text) && text[i] < utf8.RuneSelf; i++ {
		c := classes[text[i]]
		if c < first {
			break
		}
		word = (word ^ uint64(c)) * base
		part = (part ^ uint64(c)) * base
		if filled == block {
			r.filled = filled
			r.endBlock()
			filled = 0
		}
		r.letters[run+filled], r.at[run+filled] = c, uint32(i)
		filled++
	}
	r.word, r.part, r.filled = word, part, filled
	r.wordLen += i - start
	r.partLen += i - start
	return i
}

// begin notes where a word or a part of one begins.
func (r *reader) begin(at uint32) {
	if r.wordLen == 0 {
		r.wordAt = at
	}
	if r.partLen == 0 {
		r.partAt = at
	}
}

// endBlock marks the run with the least hash of each window, once.
func (r *reader) endBlock() {
	n, roll, least := r.n, r.roll, r.least
	for i := run; i < run+r.filled; i++ {
		roll = roll*base + uint64(r.letters[i])
		if n++; n < run {
			continue
		}
		if n > run {
			roll -= uint64(r.letters[i-run]) * basePower
		}
		h := mix(roll)
		k := n - run + 1 // number of this run
		r.recent[k%window], r.recentAt[k%window] = h, r.at[i-run+1]
		switch {
		case k < window:
			continue
		case least+window > k && least > 0:
			if h > r.recent[least%window] {
				continue
			}
			least = k
		default: // the least one left the window
			least = k
			for j := k - 1; j > k-window; j-- {
				if r.recent[j%window] < r.recent[least%window] {
					least = j
				}
			}
		}
		r.out = append(r.out, Mark{r.recent[least%window], r.recentAt[least%window], Run})
	}
	r.n, r.roll, r.least = n, roll, least
	copy(r.letters[:run], r.letters[r.filled:r.filled+run])
	copy(r.at[:run], r.at[r.filled:r.filled+run])
	r.filled = 0
}

func (r *reader) endPart() {
	if r.partLen > 0 {
		r.parts++
		if r.partLen >= MinWord && r.partLen <= maxWord {
			r.out = append(r.out, Mark{mix(r.part), r.partAt, Word})
		}
	}
	r.part, r.partLen = wordSeed, 0
}

func (r *reader) endWord() {
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
