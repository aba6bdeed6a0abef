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

// lexicon is two tries, so that a text in English walks through a small one.
type lexicon struct{ english, all *trie }

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

// end says what ends at a node. A stem goes on as it likes, a word does not.
type end struct {
	stem, word Set
	nothing    bool
}

// nothing is how files write phrases that hold the word of a concept and do not
// mean it, such as next_token.
const nothing = "none"

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
	names, err := fs.Glob(files, "lexicon/*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
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
			if strings.TrimSpace(id) == nothing {
				c, known = Count, true
			}
			if !ok || !known {
				return nil, fmt.Errorf("%s:%d: no concept %q", name, n+1, id)
			}
			for word := range strings.FieldsSeq(words) {
				all.add(word, c)
				if inEnglish || c == Count { // what stands for nothing does so in every text
					english.add(word, c)
				}
			}
		}
	}
	return &lexicon{english.finish(), all.finish()}, nil
}

// maxMatch is how many bytes the longest phrase may have; it bounds the work at
// each word.
const maxMatch = 64

// longest is the set that the longest word or stem at the start of s stands for, and its
// length; skip says that it stands for nothing, nor do its words. s is folded. A text in
// English is not asked about the words of other languages: "such" is German for seek and
// "page" begins like Spanish for pay.
func (l *lexicon) longest(s []byte, inEnglish bool) (set Set, length int, skip bool) {
	if inEnglish {
		return l.english.longest(s)
	}
	return l.all.longest(s)
}

func (l *trie) longest(s []byte) (set Set, length int, skip bool) {
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
		e := &l.ends[n.end]
		here := e.stem
		word := i+1 == len(s) || s[i+1] == ' '
		if word {
			here = here.Or(e.word)
		}
		if !here.Empty() {
			set, length, skip = here, i+1, false
		}
		if word && e.nothing {
			set, length, skip = Set{}, i+1, true
		}
	}
	return set, length, skip
}

// Fold is a word as the lexicon knows it: revealed, in small letters, and with
// the letters of Arabic that are written either way made one.
func Fold(s string) string {
	v, _ := glyph.Reveal(s)
	return strings.Map(foldRune, v.Text)
}

func foldRune(c rune) rune {
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
