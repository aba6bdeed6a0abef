package automaton

import "math/bits"

// trie is the automaton under construction, in order of insertion.
type trie struct {
	label   []byte
	child   []int32
	sibling []int32
	pattern []int32 // 1 + the pattern that ends in the state, 0 for none
}

func newTrie() *trie {
	t := &trie{}
	t.add(0)
	return t
}

func (t *trie) add(label byte) int32 {
	t.label = append(t.label, label)
	t.child = append(t.child, noEdge)
	t.sibling = append(t.sibling, noEdge)
	t.pattern = append(t.pattern, 0)
	return int32(len(t.label) - 1)
}

func (t *trie) insert(pattern string, index int32, fold bool) {
	state := int32(0)
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		if fold {
			c = lower(c)
		}
		e := t.child[state]
		for e != noEdge && t.label[e] != c {
			e = t.sibling[e]
		}
		if e == noEdge {
			e = t.add(c)
			t.sibling[e] = t.child[state]
			t.child[state] = e
		}
		state = e
	}
	if t.pattern[state] == 0 {
		t.pattern[state] = index + 1
	}
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// assignClasses gives every byte that occurs in a pattern a column of its own.
// 255 different ones at most: with all 256 in use the last two would have to
// share the column of the unused ones, of which there are none.
func (a *Automaton) assignClasses(t *trie, fold bool) {
	var used [256]bool
	for _, c := range t.label[1:] {
		used[c] = true
	}
	next := 0
	if used != allBytes() {
		next = 1
	}
	for c, u := range used {
		if u {
			a.class[c] = uint8(next)
			next++
		}
	}
	a.shift = bits.Len(uint(max(next, 1) - 1))
	if fold {
		for c := 'A'; c <= 'Z'; c++ {
			a.class[c] = a.class[lower(byte(c))]
		}
	}
}

func allBytes() (all [256]bool) {
	for i := range all {
		all[i] = true
	}
	return all
}

// number renumbers the states breadth first, so that the dense ones come first.
func (a *Automaton) number(t *trie) {
	n := len(t.label)
	order := make([]int32, 1, n) // order[new] = old
	renamed := make([]int32, n)
	for i := 0; i < len(order); i++ {
		for e := t.child[order[i]]; e != noEdge; e = t.sibling[e] {
			renamed[e] = int32(len(order))
			order = append(order, e)
		}
	}
	a.label, a.child, a.sibling = make([]byte, n), make([]int32, n), make([]int32, n)
	a.fail, a.longest = make([]int32, n), make([]int32, n)
	for i, old := range order {
		a.label[i] = t.label[old]
		a.child[i] = renamed[t.child[old]]
		a.sibling[i] = renamed[t.sibling[old]]
		a.longest[i] = t.pattern[old]
	}
}

// link sets the failure links and carries patterns that are suffixes of a state
// over to it. Breadth-first numbers mean that a suffix is done before the state.
func (a *Automaton) link() {
	for state := range a.child {
		for e := a.child[state]; e != noEdge; e = a.sibling[e] {
			if state != 0 {
				f := a.fail[state]
				for f != 0 && a.edge(f, a.class[a.label[e]]) == noEdge {
					f = a.fail[f]
				}
				a.fail[e] = a.edge(f, a.class[a.label[e]])
			}
			suffix := a.longest[a.fail[e]]
			if own := a.longest[e]; own != 0 {
				a.shorter[own-1] = suffix
			} else {
				a.longest[e] = suffix
			}
		}
	}
}

// fillRows writes the complete transitions of the states near the root.
func (a *Automaton) fillRows() {
	if len(a.child) == 1 {
		return // no patterns
	}
	dense, last := 0, 1
	for depth := 0; depth <= denseDepth && dense < last; depth++ {
		dense, last = last, a.firstBelow(dense, last)
	}
	a.rows = make([]uint32, dense<<a.shift)
	for state := range dense {
		row := a.rows[state<<a.shift:][:1<<a.shift]
		if state != 0 {
			copy(row, a.rows[int(a.fail[state])<<a.shift:][:1<<a.shift])
		}
		for e := a.child[state]; e != noEdge; e = a.sibling[e] {
			to := uint32(e)
			if a.longest[e] != 0 {
				to |= matchBit
			}
			row[a.class[a.label[e]]] = to
		}
	}
}

// firstBelow returns the end of the level that follows the states [from, to).
func (a *Automaton) firstBelow(from, to int) int {
	end := to
	for state := from; state < to; state++ {
		for e := a.child[state]; e != noEdge; e = a.sibling[e] {
			end = max(end, int(e)+1)
		}
	}
	return end
}
