package language

// wordTable finds words by their lower-case bytes. It is a map[string]wordID
// that hashes with what the lexer computes anyway while it lowers a word; words
// are most of the scanner's work.
type wordTable struct {
	mask  uint32
	slots []wordSlot
}

type wordSlot struct {
	word string
	id   wordID // 0: the slot is free
}

const (
	hashStart = 2166136261 // FNV-1a
	hashPrime = 16777619
)

func newWordTable(words map[string]wordID) wordTable {
	size := 1
	for size < 4*len(words) { // a quarter full: most misses end at the first slot
		size *= 2
	}
	t := wordTable{mask: uint32(size - 1), slots: make([]wordSlot, size)}
	for w, id := range words {
		h := uint32(hashStart)
		for i := range len(w) {
			h = (h ^ uint32(w[i])) * hashPrime
		}
		i := h & t.mask
		for t.slots[i].id != 0 {
			i = (i + 1) & t.mask
		}
		t.slots[i] = wordSlot{w, id}
	}
	return t
}

func (t *wordTable) find(w []byte, hash uint32) wordID {
	for i := hash & t.mask; ; i = (i + 1) & t.mask {
		s := &t.slots[i]
		if s.id == 0 || s.word == string(w) {
			return s.id
		}
	}
}
