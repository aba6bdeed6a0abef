package overlap

import (
	"encoding/binary"
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
)

const (
	// block is how many letters are looked at in one go, in loops over arrays. All of this is
	// cleared for each value that is looked for, so it is kept below two kilobytes.
	block = 128
	// keep is how many letters of the block before are kept: a run that begins there may be
	// the least of a window that ends here.
	keep = run + window
)

// runs marks the run with the least key of each window, once. The letters of a text come
// in folded; the zero value has none.
type runs struct {
	letters [keep + block]byte
	at      [keep + block]uint32 // where each of them stands
	filled  int                  // letters of this block
	before  int                  // of those before

	// keys are those of the runs that end at each letter, those of a window before them. A
	// key has the place of its run as its last byte, counted from behind: of two runs that
	// are the same the later one is less.
	keys [window + block]uint64
	last uint64 // the least key of the last window
}

// letter takes in one letter.
func (r *runs) letter(out []Mark, c byte, at uint32) []Mark {
	if r.filled == block {
		out = r.endBlock(out)
	}
	r.letters[keep+r.filled], r.at[keep+r.filled] = c, at
	r.filled++
	return out
}

// readRuns appends the marks of the runs of a text, and returns how many bytes of letters
// and digits there are.
func readRuns(out []Mark, text string) ([]Mark, int) {
	var r runs
	for i := 0; i < len(text); {
		if r.filled == block {
			out = r.endBlock(out)
		}
		if i = r.ascii(text, i); i == len(text) {
			break
		}
		if text[i] < utf8.RuneSelf {
			if text[i] == '\\' {
				i += 1 + escape(text, i)
			}
			continue
		}
		rune, size := utf8.DecodeRuneInString(text[i:])
		var bytes [utf8.UTFMax]byte
		folded, _ := fold(rune, &bytes)
		for _, b := range folded {
			out = r.letter(out, b, uint32(i))
		}
		i += size
	}
	letters := r.before + r.filled
	return r.endBlock(out), letters
}

// ascii takes in letters and digits until the block is full, or up to a backslash or a
// character beyond ASCII, and returns where it is. Whether a byte is a letter or a blank
// cannot be foreseen, so nothing branches on it.
func (r *runs) ascii(text string, i int) int {
	text = text[:min(len(text), i+block-r.filled)]
	filled := r.filled
	for ; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf || c == '\\' {
			break
		}
		class := classes[c]
		r.letters[keep+filled], r.at[keep+filled] = class, uint32(i)
		filled += (first - 1 - int(class)) >> 63 & 1
	}
	r.filled = filled
	return i
}

// endBlock appends the marks of a block, which then is empty.
func (r *runs) endBlock(out []Mark) []Mark {
	n := r.filled
	keys := r.keys[window:][:n]
	ends := r.letters[keep-half+1:][:n+half-1]
	least := r.keys
	of := least[window:][:n]
	// The least of the last two, and of the last four, are found on the way.
	one, two, twoBefore := least[window-1], min(least[window-1], least[window-2]), min(least[window-2], least[window-3])
	for i := range keys {
		// The second half of a run says which one is marked, all of it what the mark is.
		k := binary.LittleEndian.Uint64(ends[i:])*base&^0xff | uint64(0xff-window-i)
		both := min(k, one)
		keys[i], of[i] = k, min(both, twoBefore)
		one, two, twoBefore = k, both, two
	}
	for i := window - 1; i >= 3; i-- {
		least[i] = min(least[i], least[i-1], least[i-2], least[i-3])
	}
	for step := 4; step < window; step *= 2 { // of eight, of a window
		to := least[step : window+n]
		from := least[:len(to)]
		for i := len(to) - 1; i >= 0; i-- {
			to[i] = min(to[i], from[i])
		}
	}
	last := r.last
	// The first window is whole when there are Guaranteed letters.
	for _, k := range least[min(window+n, window+max(0, Guaranteed-1-r.before)) : window+n] {
		if k == last {
			continue
		}
		last = k
		start := keep - window + 0xff - int(k&0xff) - run + 1
		out = append(out, Mark{hash(r.letters[start:][:run]), r.at[start], Run})
	}
	r.last = last + uint64(n)
	copy(r.letters[:keep], r.letters[n:n+keep])
	copy(r.at[:keep], r.at[n:n+keep])
	for i, k := range r.keys[n : n+window] {
		r.keys[i] = k + uint64(n)
	}
	r.before, r.filled = r.before+n, 0
	return out
}

// half is as many letters as are read at once.
const half = run / 2

// hash is that of the letters of a run.
func hash(letters []byte) uint64 {
	return mix(mix(binary.LittleEndian.Uint64(letters)) ^ binary.LittleEndian.Uint64(letters[half:]))
}
