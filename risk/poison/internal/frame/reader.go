package frame

import "math"

// Sentence is what stands between two full stops, or on one line.
type Sentence struct {
	Start, End int    // in the text
	Has        Set    // all concepts
	Quoted     Set    // those of Has that occur in quotation marks only
	Seq        []Spot // concepts in order
	Words      []Word
	Opens      Set // concepts of the first word
}

// Spot is one concept at a word.
type Spot struct {
	Concept Concept
	Word    int32
}

// Word is a folded word. Hash is over all of it, Stem over its first letters.
type Word struct {
	Hash, Stem uint32
	From, To   int32 // in Reader.Folded
	quoted     bool
}

// Reader cuts texts. It keeps its slices and is for one goroutine.
type Reader struct {
	Folded    []byte // every word of the text, with a blank between
	sentences []Sentence
	words     []Word
	spots     []Spot
	lexicon   *lexicon

	// Whose says what a name is: Sibling, OwnParam, Foreign or Unknown.
	whose func(name string) Concept
}

// NewReader makes a reader. The first one compiles the lexicon.
func NewReader() *Reader { return &Reader{lexicon: theLexicon()} }

// Size is how many elements the slices of the reader hold.
func (r *Reader) Size() int { return max(cap(r.Folded), cap(r.words), cap(r.sentences)) }

// Limits of a sentence, so that a text without full stops is cut as well.
const (
	maxWords = 48
	maxBytes = 400
	maxRun   = 240 // of a script without blanks
)

// Read returns the sentences of a revealed text. They are the reader's until the
// next call. whose may be nil.
func (r *Reader) Read(s string, whose func(name string) Concept) []Sentence {
	return r.read(s, whose, math.MaxInt)
}

// First returns the first sentence of a revealed text; ok is false if it has none.
func (r *Reader) First(s string) (first Sentence, ok bool) {
	all := r.read(s, nil, 1)
	if len(all) == 0 {
		return Sentence{}, false
	}
	return all[0], true
}

// read stops once it has so many sentences.
func (r *Reader) read(s string, whose func(name string) Concept, enough int) []Sentence {
	r.Folded, r.sentences, r.words, r.spots = r.Folded[:0], r.sentences[:0], r.words[:0], r.spots[:0]
	r.whose = whose
	x := cutter{Reader: r, s: s}
	x.open(0)
	for i := 0; i < len(s) && len(r.sentences) < enough; {
		if s[i] == ' ' && x.quote == 0 {
			i++ // the most frequent byte, and it does nothing outside of quotation marks
			continue
		}
		i = x.step(i)
	}
	if len(r.sentences) < enough {
		x.close(len(s))
	}
	// The slices are shared; they are cut only now that they no longer grow.
	spot, word := 0, 0
	for n := range r.sentences {
		at := &r.sentences[n]
		spots, words := len(at.Seq), len(at.Words)
		at.Seq, at.Words = r.spots[spot:spot+spots:spot+spots], r.words[word:word+words:word+words]
		spot, word = spot+spots, word+words
	}
	return r.sentences
}
