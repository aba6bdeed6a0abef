package language

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// flag is what the lexer sees of a token besides which word it is.
type flag uint32

const (
	flagURL     flag = 1 << iota
	flagDataURL      // an address that ends where data is filled in
	flagImage        // an address shown as an image
	flagEmail
	flagPath
	flagSecret  // a path where nothing but credentials lies
	flagPrivate // a path of settings, often with credentials among them
	flagIdent   // snake_case, camelCase or a quoted name
	flagCamel   // camelCase
	flagOther   // a name of a tool that is neither this one nor of its server
	flagTag     // inside <...> or [...]
	flagQuoted  // inside quotation marks
	flagCaps    // ALL CAPITALS
	flagColon   // followed by a colon
	flagPipe    // followed by | & or >
	flagOption  // -x or --xyz
	flagNumber  // of six digits or more
	flagStart   // opens a line
	flagHeading // ends a heading in capitals that no manual has
	flagEffect  // a name of another server's tool that changes something
	flagHost    // a name or number of a host without a scheme
	flagDanger  // such a tool that destroys, pays, runs commands or hands out rights
)

// flagNames are how patterns write flags.
var flagNames = map[string]flag{
	"URL": flagURL, "DATAURL": flagDataURL, "IMAGE": flagImage, "EMAIL": flagEmail, "PATH": flagPath,
	"SECRETPATH": flagSecret, "PRIVATEPATH": flagPrivate, "IDENT": flagIdent, "OTHERTOOL": flagOther, "TAG": flagTag,
	"QUOTED": flagQuoted, "CAPS": flagCaps, "COLON": flagColon, "PIPE": flagPipe, "OPTION": flagOption, "NUMBER": flagNumber,
	"HOST": flagHost, "START": flagStart, "HEADING": flagHeading, "EFFECTTOOL": flagEffect, "DANGERTOOL": flagDanger,
}

// wordID stands for a word of the language; 0 for every other word.
type wordID uint16

// wordSet is a set of words, one bit each.
type wordSet []uint64

func (s wordSet) has(w wordID) bool { return s[w>>6]&(1<<(w&63)) != 0 }
func (s wordSet) add(w wordID)      { s[w>>6] |= 1 << (w & 63) }

func (s wordSet) each(f func(wordID)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			f(wordID(i<<6 + bits.TrailingZeros64(word)))
		}
	}
}

// grammar is the lexicon and the rules, ready to run. It is made once and never
// changes.
type grammar struct {
	words    map[string]wordID
	longestN int // bytes of the longest word of a script without blanks
	rules    []rule
	patterns []pattern
	table    wordTable
	traits   []trait   // of every word
	byBit    [32]trait // of every flag
	deeds    starts    // patterns of rules that are deeds
	manners  starts    // and of those that are not

	negation, without, slip, hypothetical, detection, example, toolNoun, callVerb, using, toBe, passive, inUse, docWord wordSet
}

// starts says which patterns a token may start.
type starts struct {
	byWord [][]start
	byFlag []flagStarts
}

// start is a pattern with the two bits of its trait that the fewest words have: nine
// of ten patterns are refused without a look at the pattern.
type start struct {
	pattern    uint16
	rare, next uint8
}

type flagStarts struct {
	flags   flag
	pattern uint16
}

var theGrammar = sync.OnceValue(func() *grammar {
	b := builder{words: map[string]wordID{}, families: map[string][]wordID{}, sets: map[string]wordSet{}}
	for _, row := range lexicon {
		for w := range strings.FieldsSeq(row.verbs) {
			b.verb(w, row.name)
		}
		for w := range strings.FieldsSeq(row.words) {
			b.add(w, row.name)
		}
	}
	return b.grammar(rules)
})

// The families that verbs join by their form.
const (
	baseForm  = "BASE" // as in a command
	otherForm = "FORM" // -ing or -ed; what is left is the third person, which describes
)

// builder makes a language.
type builder struct {
	words    map[string]wordID
	families map[string][]wordID
	sets     map[string]wordSet // of every alternative that a pattern writes
	longestN int
}

func (b *builder) id(word string) wordID {
	id, ok := b.words[word]
	if !ok {
		id = wordID(len(b.words) + 1)
		b.words[word] = id
		if c, _ := utf8.DecodeRuneInString(word); unbroken(c) {
			b.longestN = max(b.longestN, len(word))
		}
	}
	return id
}

func (b *builder) add(word string, families ...string) {
	id := b.id(word)
	for _, f := range families {
		b.families[f] = append(b.families[f], id)
	}
}

// verb adds the forms of a regular English verb.
func (b *builder) verb(w, family string) {
	b.add(w, family, baseForm)
	stem, last := strings.TrimSuffix(w, "e"), w[len(w)-1]
	switch {
	case last == 'y' && !strings.ContainsRune("aeou", rune(w[len(w)-2])):
		short := w[:len(w)-1]
		b.add(short+"ies", family)
		b.add(short+"ied", family, otherForm)
		b.add(w+"ing", family, otherForm)
		return
	case last == 's' || last == 'x' || strings.HasSuffix(w, "sh") || strings.HasSuffix(w, "ch"):
		b.add(w+"es", family)
	default:
		b.add(w+"s", family)
	}
	b.add(stem+"ing", family, otherForm)
	b.add(stem+"ed", family, otherForm)
	if doubles(w) {
		b.add(w+string(last)+"ing", family, otherForm)
		b.add(w+string(last)+"ed", family, otherForm)
	}
}

// doubles reports a verb that ends consonant, vowel, consonant ("get", "submit").
func doubles(w string) bool {
	n := len(w)
	vowel := func(i int) bool { return strings.IndexByte("aeiou", w[i]) >= 0 }
	return n > 2 && !vowel(n-1) && vowel(n-2) && !vowel(n-3) && strings.IndexByte("wxy", w[n-1]) < 0
}

// part is one alternative of a pattern: any of the words, or any of the flags.
type part struct {
	words wordSet
	flags flag
}

// element is one step of a pattern: a token that is in all of the parts, at most
// gap tokens behind the one before.
type element struct {
	all []part
	gap int
}

// pattern is a sequence of elements inside one sentence.
type pattern struct {
	rule     uint16
	elements []element
	needs    trait // what a sentence must have for the pattern to match
}

// trait is a coarse fingerprint of sets of words and of flags: each set has one
// of its bits. A sentence without a bit that a pattern needs cannot match it,
// which settles nine of ten attempts with one comparison.
type trait [4]uint64

func (t *trait) add(bit int) { t[bit>>6&3] |= 1 << (bit & 63) }

func (t *trait) holds(bit uint8) bool { return t[bit>>6]&(1<<(bit&63)) != 0 }

// bits yields the bits that are set.
func (t *trait) bits(yield func(uint8) bool) {
	for bit := range 256 {
		if t.holds(uint8(bit)) && !yield(uint8(bit)) {
			return
		}
	}
}

func (t *trait) join(other *trait) {
	for i := range t {
		t[i] |= other[i]
	}
}

func (t *trait) has(other *trait) bool {
	return t[0]&other[0] == other[0] && t[1]&other[1] == other[1] && t[2]&other[2] == other[2] && t[3]&other[3] == other[3]
}

func (e *element) matches(t *token) bool {
	for i := range e.all {
		if p := &e.all[i]; !p.words.has(t.word) && p.flags&t.flags == 0 {
			return false
		}
	}
	return true
}

// maxSpan is how many tokens a pattern may reach over: one machine word.
const maxSpan = 64

// grammar reads the patterns of the rules. In a pattern UPPER CASE is a family
// or a flag, lower case a word, a|b either, A+B both at once, and ~n lets up to n
// tokens stand in between. Tables are wrong at start-up or never: it panics.
func (b *builder) grammar(rules []rule) *grammar {
	for _, r := range rules {
		for field := range strings.FieldsSeq(r.patterns) {
			for w := range strings.FieldsFuncSeq(field, func(c rune) bool { return c == '|' || c == '+' }) {
				if !strings.HasPrefix(w, "~") && w == strings.ToLower(w) {
					b.id(w) // all words have an id before the first set is made
				}
			}
		}
	}
	l := &grammar{words: b.words, table: newWordTable(b.words), longestN: b.longestN, rules: rules}
	l.deeds.byWord, l.manners.byWord = make([][]start, len(b.words)+1), make([][]start, len(b.words)+1)
	if len(rules) > maxRules {
		panic("language: more rules than a rule set holds")
	}
	for n, r := range rules {
		for source := range strings.SplitSeq(r.patterns, "\n") {
			if source = strings.TrimSpace(source); source != "" {
				l.patterns = append(l.patterns, pattern{rule: uint16(n), elements: b.elements(r.id, source)})
			}
		}
	}
	l.traits = make([]trait, len(b.words)+1)
	bit := map[partKey]int{}
	for n := range l.patterns {
		p := &l.patterns[n]
		for _, e := range p.elements {
			l.fingerprint(&p.needs, e, bit)
		}
	}
	l.enter()
	for family, set := range map[string]*wordSet{
		"NEG": &l.negation, "WITHOUT": &l.without, "SLIP": &l.slip, "HYPOTHETICAL": &l.hypothetical, "DETECT": &l.detection,
		"EXAMPLE": &l.example, "TOOLNOUN": &l.toolNoun, "CALLING": &l.callVerb, "USINGVERB": &l.using, "TOBE": &l.toBe,
		"PASSIVE": &l.passive, "INUSE": &l.inUse, "DOCWORD": &l.docWord,
	} {
		*set = b.set("", family)
	}
	return l
}

// partKey identifies a part: equal alternatives share their set.
type partKey struct {
	words *uint64
	flags flag
}

// fingerprint gives every part of an element a bit of the trait, which its words
// and flags get as well.
func (l *grammar) fingerprint(needs *trait, e element, known map[partKey]int) {
	for _, p := range e.all {
		key := partKey{&p.words[0], p.flags}
		bit, seen := known[key]
		if !seen {
			bit = len(known) * 37 % 256 // neighbours in the tables share no word of the trait
			known[key] = bit
			p.words.each(func(w wordID) { l.traits[w].add(bit) })
			for f := range l.byBit {
				if p.flags&(1<<f) != 0 {
					l.byBit[f].add(bit)
				}
			}
		}
		needs.add(bit)
	}
}

// sentence is the trait of the sentence that starts at token i.
func (l *grammar) sentence(tokens []token, i int) (all trait) {
	var flags flag
	for k := i; k <= int(tokens[i].last); k++ {
		all.join(&l.traits[tokens[k].word])
		flags |= tokens[k].flags
	}
	for ; flags != 0; flags &= flags - 1 {
		all.join(&l.byBit[bits.TrailingZeros32(uint32(flags))])
	}
	return all
}

// enter says which patterns a word and a flag may start, in the order of the patterns.
func (l *grammar) enter() {
	var common [256]int // words with each bit
	for i := range l.traits {
		for bit := range l.traits[i].bits {
			common[bit]++
		}
	}
	for n := range l.patterns {
		p := &l.patterns[n]
		s := &l.deeds
		if l.rules[p.rule].group > lastAction {
			s = &l.manners
		}
		rare := slices.SortedFunc(p.needs.bits, func(a, b uint8) int { return common[a] - common[b] })
		one := start{uint16(n), rare[0], rare[min(1, len(rare)-1)]}
		first := p.elements[0].all[0]
		first.words.each(func(w wordID) { s.byWord[w] = append(s.byWord[w], one) })
		if first.flags != 0 {
			s.byFlag = append(s.byFlag, flagStarts{first.flags, one.pattern})
		}
	}
}

func (b *builder) elements(id, source string) (all []element) {
	gap, reach := 0, 0
	for field := range strings.FieldsSeq(source) {
		if n, ok := strings.CutPrefix(field, "~"); ok {
			if _, err := fmt.Sscan(n, &gap); err != nil {
				panic("language: rule " + id + ": " + field)
			}
			continue
		}
		e := element{gap: gap}
		for alternatives := range strings.SplitSeq(field, "+") {
			e.all = append(e.all, part{b.set(id, alternatives), flagsOf(alternatives)})
		}
		reach += gap + 1
		gap = 0
		all = append(all, e)
	}
	if reach > maxSpan {
		panic("language: rule " + id + " reaches too far: " + source)
	}
	return all
}

// set is the set of words that "a|B|c" names.
func (b *builder) set(id, alternatives string) wordSet {
	if s, ok := b.sets[alternatives]; ok {
		return s
	}
	s := make(wordSet, len(b.words)/64+1)
	for name := range strings.SplitSeq(alternatives, "|") {
		switch words, ok := b.families[name]; {
		case ok:
			for _, w := range words {
				s.add(w)
			}
		case flagNames[name] != 0:
		case name == strings.ToLower(name):
			s.add(b.id(name))
		default:
			panic("language: rule " + id + " names an unknown family " + name)
		}
	}
	b.sets[alternatives] = s
	return s
}

func flagsOf(alternatives string) (all flag) {
	for name := range strings.SplitSeq(alternatives, "|") {
		all |= flagNames[name]
	}
	return all
}

// longest returns the length of the longest known word that s starts with.
func (l *grammar) longest(s string) (int, wordID) {
	n := min(len(s), l.longestN)
	for ; n > 0; n-- {
		if n < len(s) && !utf8.RuneStart(s[n]) {
			continue
		}
		if known, ok := l.words[s[:n]]; ok {
			return n, known
		}
	}
	return 0, 0
}

// leetLetters are digits written for letters; 1 stands for two.
var leetLetters = map[byte]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g'}

// leet looks a word up with its digits read as letters.
func (l *grammar) leet(w []byte) wordID {
	if len(w) < 3 || len(w) > 24 {
		return 0
	}
	letters := 0
	var read [2][24]byte
	for i, c := range w {
		letter, ok := leetLetters[c]
		if !ok {
			letter = c
			letters++
		}
		read[0][i], read[1][i] = letter, letter
		if c == '1' {
			read[1][i] = 'l'
		}
	}
	if letters == 0 {
		return 0
	}
	for _, r := range read {
		if known := l.words[string(r[:len(w)])]; known != 0 {
			return known
		}
	}
	return 0
}
