package frame

import (
	"math"
	"slices"
	"strings"
)

// builder collects the entries of a trie.
type builder struct {
	children [][]child // by node, the root first
	ends     [][]end   // by node, of each language or group of them one
	trie     *trie
}

type child struct {
	c  byte
	to int32
}

func newBuilder() *builder {
	return &builder{children: make([][]child, 1), ends: make([][]end, 1), trie: &trie{}}
}

// add adds an entry that holds in the given languages.
func (b *builder) add(word string, c Concept, in tongues) {
	stem := strings.HasSuffix(word, "-")
	word = strings.Join(strings.FieldsFunc(Fold(strings.ReplaceAll(strings.TrimSuffix(word, "-"), "'", "")), func(c rune) bool { return !isPart(c) }), " ")
	at := int32(0)
	for i := range len(word) {
		at = b.child(at, word[i])
	}
	stem = c != Count && (stem || strings.ContainsFunc(word, unbroken))
	switch e := b.end(at, in); {
	case c == Count:
		e.nothing = true
	case stem:
		e.stem.Add(c)
	default:
		e.word.Add(c)
	}
	b.trie.start(word, stem)
}

// end returns what ends at a node in the given languages.
func (b *builder) end(at int32, in tongues) *end {
	all := b.ends[at]
	i := slices.IndexFunc(all, func(e end) bool { return e.in == in })
	if i < 0 {
		i = len(all)
		b.ends[at] = append(all, end{in: in})
	}
	return &b.ends[at][i]
}

// child returns the child of a node by c, and makes it if there is none.
func (b *builder) child(of int32, c byte) int32 {
	for _, k := range b.children[of] {
		if k.c == c {
			return k.to
		}
	}
	to := int32(len(b.ends))
	b.children[of] = append(b.children[of], child{c, to})
	b.children, b.ends = append(b.children, nil), append(b.ends, nil)
	return to
}

// crowded is how many places are tried below the first free one before it is passed
// over for good: gaps between words are hardly ever filled, and looking at all of them
// for every node would take time that grows with the square of the lexicon.
const crowded = 64

// finish lays the nodes out, those near the root first: they have the most children and
// find room most easily while there are few others.
func (b *builder) finish() *trie {
	l := b.trie
	l.ends = []end{{}}
	place := make([]int32, len(b.ends))
	l.grow(256)
	l.nodes[0].parent = math.MaxInt32 // the child of nobody
	free, tried := int32(1), 0
	for queue := []int32{0}; len(queue) > 0; queue = queue[1:] {
		number := queue[0]
		at := place[number]
		for _, e := range b.ends[number] {
			e.next = l.nodes[at].end
			l.nodes[at].end = int32(len(l.ends))
			l.ends = append(l.ends, e)
		}
		kids := b.children[number]
		if len(kids) == 0 {
			continue
		}
		slices.SortFunc(kids, func(x, y child) int { return int(x.c) - int(y.c) })
		for free < int32(len(l.nodes)) && l.nodes[free].parent >= 0 {
			free, tried = free+1, 0
		}
		base := free - int32(kids[0].c)
		for base < 0 || !l.fits(base, kids) {
			base++
		}
		if tried++; tried > crowded {
			free, tried = free+1, 0
		}
		l.nodes[at].base = base
		for _, k := range kids {
			l.nodes[base+int32(k.c)].parent = at
			place[k.to] = base + int32(k.c)
			queue = append(queue, k.to)
		}
	}
	return l
}

// fits reports whether all places that kids need at a base are free.
func (l *trie) fits(base int32, kids []child) bool {
	l.grow(int(base) + 256)
	for _, k := range kids {
		if l.nodes[base+int32(k.c)].parent >= 0 {
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
