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

// lexicon is a trie over the bytes of folded words. Each step is one look into a
// hash table, so a walk costs the same however many words there are.
type lexicon struct {
	mask  uint32
	edges []edge
	ends  []end       // by node
	first [256]uint32 // nodes of the first byte; 0 means none
}

type edge struct {
	from uint32 // node + 1; 0 means free
	to   uint32
	c    byte
}

// end says what ends at a node, in English and in the other languages. A stem
// goes on as it likes, a word does not.
type end struct {
	stem, word [2]Set
	nothing    bool
}

// nothing is how files write phrases that hold the word of a concept and do not
// mean it, such as next_token.
const nothing = "none"

const (
	english = 0
	others  = 1
)

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
	b := builder{next: map[[2]uint32]uint32{}, ends: make([]end, 1)}
	names, err := fs.Glob(files, "lexicon/*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		raw, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		language := others
		if name == "lexicon/en.txt" {
			language = english
		}
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
				b.add(word, c, language)
			}
		}
	}
	return b.lexicon(), nil
}

type builder struct {
	next map[[2]uint32]uint32
	ends []end
}

func (b *builder) add(word string, c Concept, language int) {
	stem := strings.HasSuffix(word, "-")
	word = strings.Join(strings.FieldsFunc(Fold(strings.ReplaceAll(strings.TrimSuffix(word, "-"), "'", "")), func(c rune) bool { return !isPart(c) }), " ")
	node := uint32(0)
	for i := range len(word) {
		key := [2]uint32{node, uint32(word[i])}
		to, ok := b.next[key]
		if !ok {
			to = uint32(len(b.ends))
			b.next[key] = to
			b.ends = append(b.ends, end{})
		}
		node = to
	}
	if c == Count {
		b.ends[node].nothing = true
		return
	}
	if stem || strings.ContainsFunc(word, unbroken) {
		b.ends[node].stem[language] |= 1 << c
	} else {
		b.ends[node].word[language] |= 1 << c
	}
}

func (b *builder) lexicon() *lexicon {
	size := 1
	for size < 2*len(b.next) {
		size *= 2
	}
	l := &lexicon{mask: uint32(size - 1), edges: make([]edge, size), ends: b.ends}
	for key, to := range b.next {
		i := slot(key[0], byte(key[1])) & l.mask
		for l.edges[i].from != 0 {
			i = (i + 1) & l.mask
		}
		l.edges[i] = edge{key[0] + 1, to, byte(key[1])}
		if key[0] == 0 {
			l.first[key[1]] = to
		}
	}
	return l
}

func slot(node uint32, c byte) uint32 {
	h := (node<<8 | uint32(c)) * 2654435761
	return h ^ h>>15
}

// maxMatch is how many bytes the longest phrase may have; it bounds the work at
// each word.
const maxMatch = 64

// longest is the set that the longest word or stem at the start of s stands for,
// and its length; skip says that it stands for nothing, nor do its words. s is folded. A text in English is not asked about the words of
// other languages: "such" is German for seek and "page" begins like Spanish for pay.
func (l *lexicon) longest(s []byte, inEnglish bool) (set Set, length int, skip bool) {
	if len(s) == 0 || l.first[s[0]] == 0 {
		return 0, 0, false
	}
	node := uint32(0)
	for i := 0; i < len(s) && i < maxMatch; i++ {
		at := slot(node, s[i]) & l.mask
		for {
			e := &l.edges[at]
			if e.from == 0 {
				return set, length, skip
			}
			if e.from == node+1 && e.c == s[i] {
				node = e.to
				break
			}
			at = (at + 1) & l.mask
		}
		e := &l.ends[node]
		here := e.stem[english]
		if !inEnglish {
			here |= e.stem[others]
		}
		if i+1 == len(s) || s[i+1] == ' ' {
			here |= e.word[english]
			if !inEnglish {
				here |= e.word[others]
			}
		}
		if here != 0 {
			set, length, skip = here, i+1, false
		}
		if e.nothing && (i+1 == len(s) || s[i+1] == ' ') {
			set, length, skip = 0, i+1, true
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
