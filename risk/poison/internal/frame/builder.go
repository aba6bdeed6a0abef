package frame

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// builder collects the entries of a trie.
type builder struct {
	entries []entry
	trie    *trie
}

type entry struct {
	word string
	of   Concept // Count for nothing
	stem bool
	in   tongues
}

func newBuilder() *builder { return &builder{trie: &trie{}} }

// add adds an entry that holds in the given languages.
func (b *builder) add(word string, c Concept, in tongues) {
	stem := strings.HasSuffix(word, "-")
	word = strings.Join(strings.FieldsFunc(Fold(strings.ReplaceAll(strings.TrimSuffix(word, "-"), "'", "")), func(c rune) bool { return !isPart(c) }), " ")
	if word == "" {
		return
	}
	stem = c != Count && (stem || strings.ContainsFunc(word, unbroken))
	b.entries = append(b.entries, entry{word, c, stem, in})
	b.trie.start(word, stem)
}

// reach is a node that has no children yet: the entries that go through it.
type reach struct {
	entries []entry // in order
	depth   int     // bytes that they have in common
	place   int32
}

// crowded is how many nodes are placed from the same first free place on before it is
// passed over for good: gaps are hardly ever filled, and looking at all of them for every
// node would take time that grows with the square of the lexicon.
const crowded = 64

// finish lays the nodes out, those near the root first: they have the most children and
// find room most easily while there are few others.
func (b *builder) finish() *trie {
	l := b.trie
	l.ends = []end{{}}
	slices.SortFunc(b.entries, func(x, y entry) int {
		return cmp.Or(cmp.Compare(x.word, y.word), cmp.Compare(x.in, y.in))
	})
	l.grow(256)
	l.nodes[0].parent = math.MaxInt32 // the child of nobody
	free, tried := int32(1), 0
	var kids []reach
	for queue := []reach{{b.entries, 0, 0}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		rest := l.finishHere(at)
		if kids = at.children(rest, kids[:0]); len(kids) == 0 {
			continue
		}
		for free < int32(len(l.nodes)) && l.nodes[free].parent >= 0 {
			free, tried = free+1, 0
		}
		base := max(0, free-int32(kids[0].entries[0].word[at.depth]))
		for !l.fits(base, at.depth, kids) {
			base++
		}
		if tried++; tried > crowded {
			free, tried = free+1, 0
		}
		l.nodes[at.place].base = base
		for _, k := range kids {
			k.place = base + int32(k.entries[0].word[at.depth])
			l.nodes[k.place].parent = at.place
			queue = append(queue, k)
		}
	}
	return l
}

// finishHere notes what ends at a node, one end for each group of languages, and returns
// the entries that go on.
func (l *trie) finishHere(at reach) []entry {
	rest := at.entries
	for len(rest) > 0 && len(rest[0].word) == at.depth {
		e := rest[0]
		rest = rest[1:]
		first := &l.nodes[at.place].end
		if *first == 0 || l.ends[*first].in != e.in {
			l.ends = append(l.ends, end{in: e.in, next: *first})
			*first = int32(len(l.ends) - 1)
		}
		switch to := &l.ends[*first]; {
		case e.of == Count:
			to.nothing = true
		case e.stem:
			to.stem.Add(e.of)
		default:
			to.word.Add(e.of)
		}
	}
	return rest
}

// children divides entries by their next byte.
func (at reach) children(rest []entry, kids []reach) []reach {
	for len(rest) > 0 {
		c, n := rest[0].word[at.depth], 1
		for n < len(rest) && rest[n].word[at.depth] == c {
			n++
		}
		kids = append(kids, reach{entries: rest[:n], depth: at.depth + 1})
		rest = rest[n:]
	}
	return kids
}

// fits reports whether all places that children need at a base are free.
func (l *trie) fits(base int32, depth int, kids []reach) bool {
	l.grow(int(base) + 256)
	for _, k := range kids {
		if l.nodes[base+int32(k.entries[0].word[depth])].parent >= 0 {
			return false
		}
	}
	return true
}

// grow makes room for so many nodes, so that base + c is always within.
func (l *trie) grow(size int) {
	for len(l.nodes) < size {
		l.nodes = append(l.nodes, node{parent: -1})
	}
}
