package frame

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"unicode"

	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

//go:embed lexicon/*.txt
var lexicons embed.FS

// lexicon is two tries, so that a text in English walks through a small one, and the
// words by which a sentence in the Latin script shows its language.
type lexicon struct {
	english, all *trie
	function     map[string]tongues
	alphabetic   tongues // languages that have such words
}

// trie is a trie over the bytes of folded words, as a double array (Aoe 1989): the
// child of a node by byte c stands at its base + c, if its parent is that node. Each
// step is one look into one array, so a walk costs the same however many words there
// are.
type trie struct {
	nodes  []node // the root is the first
	ends   []end
	starts [1 << startBits / 64]uint64
}

type node struct {
	base   int32
	parent int32 // its place; -1 if this place is free
	end    int32 // in ends; 0 if nothing ends here
}

// Half of the words of a text are in no lexicon, and their first three bytes say so:
// starts has a bit for each three bytes that an entry and what follows it begin with.
const startBits = 15

func startOf(a, b, c byte) (at int, bit uint64) {
	h := (uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * 2654435761 >> (32 - startBits)
	return int(h >> 6), 1 << (h & 63)
}

// starting reports whether an entry may begin as s does. Behind s is its end, which ends
// a word as a blank does.
func (l *trie) starting(s []byte) bool {
	var a, b, c byte = ' ', ' ', ' '
	switch {
	case len(s) > 2:
		a, b, c = s[0], s[1], s[2]
	case len(s) == 2:
		a, b = s[0], s[1]
	case len(s) == 1:
		a = s[0]
	}
	at, bit := startOf(a, b, c)
	return l.starts[at]&bit != 0
}

// start marks what may follow the first letters of an entry: anything a stem, a blank a word.
func (l *trie) start(entry string, stem bool) {
	switch {
	case len(entry) > 2:
		at, bit := startOf(entry[0], entry[1], entry[2])
		l.starts[at] |= bit
	case stem:
		for c := range 256 {
			l.start(entry+string([]byte{byte(c)}), true)
		}
	default:
		l.start(entry+" ", true)
	}
}

// end says what ends at a node, in some languages. A stem goes on as it likes, a word
// does not.
type end struct {
	in         tongues
	stem, word Set
	nothing    bool
	next       int32 // in other languages; 0 for none
}

// nothing is how files write phrases that hold the word of a concept and do not
// mean it, such as next_token.
const nothing = "none"

// functionWords is how files write the articles, conjunctions and prepositions of their
// language.
const functionWords = "function"

// theLexicon is compiled once, at first use. The files are part of the program,
// so a fault in one is a bug and a test finds it.
var theLexicon = sync.OnceValue(func() *lexicon {
	l, err := compile(lexicons)
	if err != nil {
		panic(err)
	}
	return l
})

// compile reads files of lines "concept: word stem- two_words". A dash at the end
// makes a stem; in scripts without blanks everything is a stem.
func compile(files fs.FS) (*lexicon, error) {
	ids := map[string]Concept{}
	for c := range Count {
		ids[names[c].id] = c
	}
	english, all := newBuilder(), newBuilder()
	l := &lexicon{function: map[string]tongues{}}
	names, err := fs.Glob(files, "lexicon/*.txt")
	if err != nil {
		return nil, err
	}
	if len(names) > maxTongues {
		return nil, fmt.Errorf("%d languages, at most %d", len(names), maxTongues)
	}
	for number, name := range names {
		in := tongues(1) << number
		raw, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		inEnglish := name == "lexicon/en.txt"
		for n, line := range strings.Split(string(raw), "\n") {
			line, _, _ = strings.Cut(line, "#")
			if strings.TrimSpace(line) == "" {
				continue
			}
			id, words, ok := strings.Cut(line, ":")
			c, known := ids[strings.TrimSpace(id)]
			if ok && strings.TrimSpace(id) == functionWords {
				for word := range strings.FieldsSeq(words) {
					l.function[Fold(word)] |= in
				}
				l.alphabetic |= in
				continue
			}
			if strings.TrimSpace(id) == nothing {
				c, known = Count, true
			}
			if !ok || !known {
				return nil, fmt.Errorf("%s:%d: no concept %q", name, n+1, id)
			}
			for word := range strings.FieldsSeq(words) {
				switch {
				case c == Count: // what stands for nothing does so in every text
					all.add(word, c, everyTongue)
					english.add(word, c, everyTongue)
				case inEnglish: // words of English are used in every language
					all.add(word, c, everyTongue)
					english.add(word, c, everyTongue)
				default:
					all.add(word, c, in)
				}
			}
		}
	}
	l.english, l.all = english.finish(), all.finish()
	return l, nil
}

// maxMatch is how many bytes the longest phrase may have; it bounds the work at
// each word.
const maxMatch = 64

// longest is the set that the longest word or stem at the start of s stands for in the given
// languages, and its length; skip says that it stands for nothing, nor do its words. s is
// folded.
func (l *trie) longest(s []byte, in tongues) (set Set, length int, skip bool) {
	if !l.starting(s) {
		return Set{}, 0, false
	}
	at := int32(0)
	for i := 0; i < len(s) && i < maxMatch; i++ {
		to := l.nodes[at].base + int32(s[i])
		n := &l.nodes[to]
		if n.parent != at {
			break
		}
		at = to
		if n.end == 0 {
			continue
		}
		word, nothing := i+1 == len(s) || s[i+1] == ' ', false
		var here Set
		for number := n.end; number != 0; {
			e := &l.ends[number]
			if number = e.next; e.in&in == 0 {
				continue
			}
			here = here.Or(e.stem)
			if word {
				here, nothing = here.Or(e.word), nothing || e.nothing
			}
		}
		if !here.Empty() {
			set, length, skip = here, i+1, false
		}
		if nothing {
			set, length, skip = Set{}, i+1, true
		}
	}
	return set, length, skip
}

// Fold is a word as the lexicon knows it: revealed, in small letters, without points
// that most people leave out, and with the letters of Arabic that are written either
// way made one.
func Fold(s string) string {
	v, _ := glyph.Reveal(s)
	return strings.Map(foldRune, v.Text)
}

// foldRune returns -1 for what is left out.
func foldRune(c rune) rune {
	if optional(c) {
		return -1
	}
	switch c {
	case 'أ', 'إ', 'آ', 'ٱ':
		return 'ا'
	case 'ة':
		return 'ه'
	case 'ى', 'ی':
		return 'ي'
	case 'ک':
		return 'ك'
	case 'ё':
		return 'е'
	case 'ς':
		return 'σ'
	case 0x09DC: // Bengali and Hindi have letters that are written as one character or as two
		return 'ড'
	case 0x09DD:
		return 'ঢ'
	case 0x09DF:
		return 'য'
	}
	if c >= 0x0958 && c <= 0x095F {
		return [...]rune{'क', 'ख', 'ग', 'ज', 'ड', 'ढ', 'फ', 'य'}[c-0x0958]
	}
	if c < 0x80 {
		if c >= 'A' && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}
	if c >= 0x0370 && c < 0x0400 {
		return greekBase(unicode.ToLower(c))
	}
	return unicode.ToLower(c)
}

// optional reports a point or a vowel sign that writers may set or leave out: those of
// Hebrew and Arabic, and the nukta of Hindi and Bengali.
func optional(c rune) bool {
	return c >= 0x0591 && c <= 0x05BD || c == 0x05BF || c >= 0x05C1 && c <= 0x05C2 || c >= 0x064B && c <= 0x0655 || c == 0x0670 ||
		c == 0x093C || c == 0x09BC
}

// greekBase takes the accent off a small letter of Greek.
func greekBase(c rune) rune {
	const accented, base = "άέήίόύώϊϋΐΰ", "αεηιουωιυιυ"
	for i, a := range []rune(accented) {
		if a == c {
			return []rune(base)[i]
		}
	}
	return c
}

// unbroken are scripts in which a blank does not end every word, or in which
// endings grow onto words (Hangul).
func unbroken(c rune) bool {
	return c >= 0x0E00 && (c <= 0x0E7F || c >= 0x1000 && c <= 0x109F || c >= 0x1100 && c <= 0x11FF || c >= 0x1780 && c <= 0x17FF || c >= 0x2E80 && c <= 0x9FFF && (c < 0x3000 || c > 0x3004) ||
		c >= 0xAC00 && c <= 0xD7AF || c >= 0xF900 && c <= 0xFAFF || c >= 0xFF66 && c <= 0xFF9F || c >= 0x20000 && c <= 0x3FFFF)
}
