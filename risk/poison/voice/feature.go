package voice

import (
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/poison/internal/frame"
)

// Place says what part of a document a text is.
type Place uint8

const (
	Name Place = iota
	Title
	Prose    // descriptions, prompts, results
	Property // the name of a member
	Value    // enum, default, example
	Else
	Argument // the description of a parameter
)

// data are places that should not contain sentences.
func (p Place) data() bool { return p == Name || p == Property || p == Value }

// The regions of the feature space. A feature is an index into the weights.
const (
	room   = 112                   // concepts; frame.Count is less
	pairs  = room * (room - 1) / 2 // of two concepts
	oneAt  = 0
	signAt = oneAt + ones*room
	nextAt = signAt + signs + 2*room
	pairAt = nextAt + room*room

	tripleAt   = pairAt + pairKinds*pairs
	tripleBits = 13
	ruleAt     = tripleAt + 1<<tripleBits
	wordAt     = ruleAt + 256
	wordBits   = 16
	Size       = wordAt + 1<<wordBits
)

const _ = uint(room - int(frame.Count)) // there is room

// The kinds of features of one concept.
const (
	plain = iota // in no purpose
	known        // in the tool's purpose
	inData
	inQuotes
	inArgument
	inLongName
	inNamesOnly // in the purpose by the name of a parameter alone
	ones
)

// The kinds of features of two concepts.
const (
	bothNew = iota
	oneKnown
	bothQuoted
	oneQuoted
	bothInArgument
	pairKinds
)

const signs = 128 // features of the form of a passage

func oneFeature(kind int, c frame.Concept) uint32 { return uint32(oneAt + kind*room + int(c)) }

// pairFeature is for a before b.
func pairFeature(kind int, a, b frame.Concept) uint32 {
	return uint32(pairAt + kind*pairs + int(b)*(int(b)-1)/2 + int(a))
}

// Lexical reports whether a feature is a word rather than a meaning.
func Lexical(feature uint32) bool { return feature >= wordAt }

// Purpose is the declared purpose of a tool.
type Purpose struct {
	Has   frame.Set
	Said  frame.Set // of Has, what is said besides the names of parameters
	stems map[uint32]bool
}

// Learn adds what a name or a first sentence says. Names of parameters say less than
// others: who asks for the conversation calls a parameter so.
func (p *Purpose) Learn(s frame.Sentence, parameter bool) {
	p.Has = p.Has.Or(s.Has)
	if !parameter {
		p.Said = p.Said.Or(s.Has)
	}
	if p.stems == nil {
		p.stems = map[uint32]bool{}
	}
	for _, w := range s.Words {
		if w.To-w.From > 3 {
			p.stems[w.Stem] = true
		}
	}
}

// Sentence is one sentence of a document as the model sees it.
type Sentence struct {
	Text       int // number of the text
	Start, End int // in the view of the text
	Place      Place
	has        frame.Set
	quoted     frame.Set
	others     int // names of tools besides this one
	from, to   int // features of its own
	words      int
	shared     int // words that the purpose has as well
	first      bool
	spoke      [maxRules]uint8 // rules that spoke in it
	rules      int
}

// Has are the concepts of the sentence.
func (s *Sentence) Has() frame.Set { return s.has }

// Document collects sentences. Its slices are reused; it is for one goroutine.
type Document struct {
	Purpose   Purpose
	Bare      bool // the tool takes no arguments
	topic     topic
	Sentences []Sentence
	from, to  int // sentences of the last text that hides in no other
	features  []uint32
	scratch   []uint32
	sums      []int32 // what Ask made of each sentence
	next      []frame.Spot
	each      []meant // of the passage at hand
}

// Reset clears the document but keeps the allocated memory.
func (d *Document) Reset() {
	clear(d.Purpose.stems)
	*d = Document{Purpose: Purpose{stems: d.Purpose.stems}, Sentences: d.Sentences[:0], features: d.features[:0], scratch: d.scratch[:0], sums: d.sums[:0], next: d.next[:0], each: d.each[:0]}
}

// Room returns the capacity of the slices, in elements.
func (d *Document) Room() int { return max(cap(d.Sentences), cap(d.features)) }

// Add takes in the sentences of one text. folded is what their words point into.
func (d *Document) Add(text int, place Place, sentences []frame.Sentence, folded []byte) {
	if text >= 0 {
		d.from = len(d.Sentences)
		defer func() { d.to = len(d.Sentences) }()
	}
	for n := range sentences {
		s := &sentences[n]
		if len(s.Words) == 0 && s.Has.Empty() {
			continue
		}
		at := Sentence{Text: text, Start: s.Start, End: s.End, Place: place, has: s.Has, quoted: s.Quoted, from: len(d.features), words: len(s.Words), first: n == 0}
		for _, w := range s.Words {
			if w.To-w.From > 3 && d.Purpose.stems[w.Stem] {
				at.shared++
			}
		}
		for _, spot := range s.Seq {
			if frame.Of(frame.Sibling, frame.Unknown, frame.Foreign).Has(spot.Concept) {
				at.others++
			}
		}
		d.follow(s)
		d.words(s, folded)
		own := d.features[at.from:]
		slices.Sort(own)
		d.features = d.features[:at.from+len(slices.Compact(own))]
		at.to = len(d.features)
		d.Sentences = append(d.Sentences, at)
		d.topic.count(s)
	}
}

// Rule records that a rule of the language layer fired at an offset of a text.
func (d *Document) Rule(text int, id string, at int) {
	all := d.Sentences[d.from:d.to]
	i := sort.Search(len(all), func(i int) bool { return at < all[i].End })
	if i == len(all) || all[i].Start > at || all[i].Text != text {
		return
	}
	h := uint32(2166136261) // FNV-1a
	for k := range len(id) {
		h = (h ^ uint32(id[k])) * 16777619
	}
	n := uint8(h ^ h>>16)
	s := &all[i]
	if s.rules < maxRules && slices.Index(s.spoke[:s.rules], n) < 0 {
		s.spoke[s.rules] = n
		s.rules++
	}
}

// maxRules is how many rules are recorded for one sentence.
const maxRules = 8

// near is how many concepts ahead are looked at: a word has a few.
const near = 12

// reach is how many words apart two concepts may be and still follow each other.
const reach = 5

// follow adds which concept follows which.
func (d *Document) follow(s *frame.Sentence) {
	d.next = append(d.next[:0], s.Seq...)
	slices.SortStableFunc(d.next, func(a, b frame.Spot) int { return int(a.Word - b.Word) })
	for i, a := range d.next {
		steps := 0
		for _, b := range d.next[i+1 : min(len(d.next), i+1+near)] {
			if b.Word == a.Word {
				continue
			}
			if b.Word-a.Word > reach || steps == 3 {
				break
			}
			steps++
			d.features = append(d.features, nextAt+uint32(a.Concept)*room+uint32(b.Concept))
		}
	}
}

func wordFeature(h uint32) uint32 {
	h ^= h >> 15
	h *= 2246822519
	h ^= h >> 13
	return wordAt + h>>(32-wordBits)
}

// words adds words, pairs of words and, beyond ASCII, groups of three letters.
func (d *Document) words(s *frame.Sentence, folded []byte) {
	before := uint32(0)
	for i, w := range s.Words {
		if w.To-w.From == 1 && i > 0 && s.Words[i-1].To-s.Words[i-1].From == 1 {
			before = w.Hash
			continue // letters that are spelled out, not words
		}
		if folded[w.From] < utf8.RuneSelf {
			d.features = append(d.features, wordFeature(w.Hash))
			if i > 0 {
				d.features = append(d.features, wordFeature(before*31+w.Hash))
			}
			before = w.Hash
			continue
		}
		var a, b rune
		for _, c := range string(folded[w.From:w.To]) {
			if a != 0 {
				d.features = append(d.features, wordFeature((uint32(a)*2654435761+uint32(b))*2654435761+uint32(c)))
			}
			a, b = b, c
		}
		before = w.Hash
	}
}

// Widest is how many sentences a passage may have.
const Widest = 3

// longName is how many words a name has that is not a sentence.
const longName = 3

// together reports whether sentences can be one passage.
func (d *Document) together(from, to int) bool {
	a, b := &d.Sentences[from], &d.Sentences[to-1]
	// Names of parameters stand between descriptions; fields are read in a row.
	return a.Text == b.Text || to-from <= Widest
}

var (
	// legitimate is what a purpose makes legitimate.
	legitimate = frame.Deeds.Or(frame.Things)
	// ends are where a deed leads, or whom it passes over.
	ends = frame.Sinks.Or(frame.Of(frame.Hide, frame.NoAsk, frame.User, frame.Always, frame.Not, frame.Partner, frame.Unasked, frame.Bother, frame.ShowAs))
	// aims are what makes a name that is a sentence an order.
	aims = frame.Things.Or(frame.Sinks).Or(frame.Of(frame.Hide, frame.NoAsk, frame.User, frame.Not))
	// steering is how one tool rules over another.
	steering = frame.Of(frame.Must, frame.First, frame.When, frame.Always, frame.Call, frame.Change, frame.Instead, frame.Quoted)
)

// meant is a concept of a passage: whether the purpose has it, whether it stands in
// quotation marks only, and whether a description of a parameter has it.
type meant struct {
	frame.Concept
	known, quoted, argument bool
}

// meanings appends the features of a passage besides those of its sentences and those
// of the whole document.
func (d *Document) meanings(from, to int, out []uint32) []uint32 {
	var has, bare frame.Set
	words, shared, others, texts, data := 0, 0, 0, 1, false
	var argument frame.Set // concepts of descriptions of parameters
	var ordering frame.Set // concepts of names that are sentences
	for i := from; i < to; i++ {
		s := &d.Sentences[i]
		has = has.Or(s.has)
		bare = bare.Or(s.has.Without(s.quoted))
		words += s.words
		for _, r := range s.spoke[:s.rules] {
			out = append(out, ruleAt+uint32(r))
		}
		shared += s.shared
		others += s.others
		if i > from && s.Text != d.Sentences[i-1].Text {
			texts++
		}
		data = data || s.Place.data()
		if s.Place == Argument {
			argument = argument.Or(s.has)
		}
		if s.words > longName && (s.Place == Name || s.Place == Property) {
			ordering = ordering.Or(s.has)
		}
	}
	purpose := d.Purpose.Has.And(legitimate)
	quoted := has.Without(bare)
	d.each = d.each[:0]
	for c := range has.Each {
		d.each = append(d.each, meant{c, purpose.Has(c), quoted.Has(c), argument.Has(c)})
	}
	for i, a := range d.each {
		if a.quoted {
			out = append(out, oneFeature(inQuotes, a.Concept))
		}
		if a.argument && !a.known {
			out = append(out, oneFeature(inArgument, a.Concept))
		}
		if ordering.Has(a.Concept) {
			out = append(out, oneFeature(inLongName, a.Concept))
		}
		switch {
		case a.known:
			out = append(out, oneFeature(known, a.Concept))
			if !d.Purpose.Said.Has(a.Concept) {
				out = append(out, oneFeature(inNamesOnly, a.Concept))
			}
		case data:
			out = append(out, oneFeature(inData, a.Concept), oneFeature(plain, a.Concept))
		default:
			out = append(out, oneFeature(plain, a.Concept))
		}
		for _, b := range d.each[i+1:] {
			if a.known || b.known {
				out = append(out, pairFeature(oneKnown, a.Concept, b.Concept))
			} else {
				out = append(out, pairFeature(bothNew, a.Concept, b.Concept))
				if a.argument && b.argument {
					out = append(out, pairFeature(bothInArgument, a.Concept, b.Concept))
				}
			}
			// Who quotes an order reports it. These come on top, so that an order in
			// quotation marks is an order until what stands around it says otherwise.
			switch {
			case a.quoted && b.quoted:
				out = append(out, pairFeature(bothQuoted, a.Concept, b.Concept))
			case a.quoted || b.quoted:
				out = append(out, pairFeature(oneQuoted, a.Concept, b.Concept))
			}
		}
	}
	for deed := range has.And(frame.Deeds).Each {
		for thing := range has.And(frame.Things).Without(purpose).Each {
			for sink := range has.And(ends).Each {
				h := (uint32(deed)*128+uint32(thing))*128 + uint32(sink)
				out = append(out, tripleAt+(h*2654435761)>>(32-tripleBits))
			}
		}
	}
	first := d.Sentences[from]
	sign := func(n uint32) { out = append(out, signAt+n) }
	sign(uint32(first.Place))
	sign(8 + uint32(to-from))
	sign(16 + uint32(min(texts, 3)))
	sign(24 + uint32(min(words/6, 7)))
	sign(32 + uint32(min(shared, 3)))
	sign(40 + uint32(min(has.Len(), 15)))
	sign(56 + uint32(min(has.Without(purpose).And(legitimate).Len(), 7)))
	sign(64 + uint32(min(has.And(frame.Sinks).Len(), 3)))
	if first.first && first.Place == Prose {
		sign(72)
	}
	if data && words > 4 {
		sign(73)
	}
	if ordering.Any(frame.Deeds) && ordering.Any(aims) {
		sign(76)
	}
	sign(80 + uint32(min(others, 3)))
	switch {
	case quoted.Empty():
		sign(88)
	case quoted == has:
		sign(89)
	default:
		sign(90)
	}
	if others > 0 && d.Bare {
		sign(84)
		for c := range has.And(steering).Each {
			sign(signs + uint32(c))
		}
	}
	if others > 1 {
		for c := range has.And(steering).Each {
			sign(signs + room + uint32(c))
		}
	}
	if purpose.Any(frame.Of(frame.Secret, frame.Talk, frame.Prompt, frame.Personal)) {
		sign(74)
	}
	return out
}

// Passage returns the features of the sentences from (included) to (excluded).
// The slice is reused by the next call.
func (d *Document) Passage(from, to int) []uint32 {
	d.scratch = d.scratch[:0]
	for i := from; i < to; i++ {
		s := &d.Sentences[i]
		d.scratch = append(d.scratch, d.features[s.from:s.to]...)
	}
	d.scratch = d.whole(d.meanings(from, to, d.scratch))
	return d.scratch
}

// whole appends the features that every passage of the document has.
func (d *Document) whole(out []uint32) []uint32 {
	d.topic.signs(func(n uint32) { out = append(out, signAt+n) })
	return out
}

// Passages yields every passage.
func (d *Document) Passages(yield func(from, to int) bool) {
	for from := range d.Sentences {
		for to := from + 1; to <= len(d.Sentences) && to-from <= Widest; to++ {
			if !d.together(from, to) {
				break
			}
			if !yield(from, to) {
				return
			}
		}
	}
}
