// Package automaton finds many byte strings in a text in one pass (Aho and
// Corasick, 1975). The time depends on the length of the text alone, whatever
// the patterns and however hostile the text.
//
// Read [Build] and [Each] first. The package does not know what a match means.
package automaton

// Text is what can be searched.
type Text interface{ ~string | ~[]byte }

// noEdge ends a list of edges; state 0 is the root, which is nobody's child.
const noEdge = 0

// matchBit marks a transition into a state in which a pattern ends, so that the
// search loop tests one register and touches no second table.
const matchBit = 1 << 31

// denseDepth is the depth up to which a state has a full row of transitions.
// Ordinary text rarely gets deeper than three bytes into a pattern; below that a
// short list of edges with failure links costs a fraction of the memory.
const denseDepth = 3

// Automaton holds the patterns. It is immutable and safe for use by several
// goroutines; the zero value has no patterns.
type Automaton struct {
	class [256]uint8 // byte -> column of a row; bytes in no pattern share column 0
	shift int        // a row has 1<<shift columns: finding it takes no multiplication
	rows  []uint32   // of the states nearest to the root

	// One entry per state, in breadth-first order.
	label   []byte  // the byte that leads into the state
	child   []int32 // its first child
	sibling []int32 // the next child of its parent
	fail    []int32 // the state of its longest proper suffix
	longest []int32 // 1 + the longest pattern that ends here, 0 for none

	shorter []int32 // per pattern: 1 + the longest other one that is its suffix
	size    []int   // per pattern: its length
}

// Build makes an automaton for the patterns; a match is reported by a pattern's
// index. Of equal patterns the first is reported. Empty patterns never match.
// With fold, ASCII letters match in either case.
func Build(patterns []string, fold bool) *Automaton {
	a := &Automaton{size: make([]int, len(patterns)), shorter: make([]int32, len(patterns))}
	t := newTrie()
	for i, p := range patterns {
		a.size[i] = len(p)
		if p != "" {
			t.insert(p, int32(i), fold)
		}
	}
	a.assignClasses(t, fold)
	a.number(t)
	a.link()
	a.fillRows()
	return a
}

// Len returns the length of a pattern.
func (a *Automaton) Len(pattern int) int { return a.size[pattern] }

// Each calls found for every position at which patterns end, with the longest
// of them and the position after its last byte. [Automaton.Shorter] gives the
// others.
func Each[T Text](a *Automaton, text T, found func(pattern, end int)) {
	if len(a.rows) == 0 {
		return
	}
	rows, shift := a.rows, a.shift&31
	dense := uint32(len(rows) >> shift)
	state := uint32(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		for state >= dense {
			next := a.edge(int32(state), a.class[c])
			if next != noEdge {
				state = uint32(next)
				if a.longest[next] != 0 {
					state |= matchBit
				}
				goto moved
			}
			state = uint32(a.fail[state])
		}
		state = rows[int(state)<<shift+int(a.class[c])]
	moved:
		if state&matchBit != 0 {
			state &^= matchBit
			found(int(a.longest[state]-1), i+1)
		}
	}
}

// Shorter returns the longest other pattern that ends wherever the given one
// ends.
func (a *Automaton) Shorter(pattern int) (int, bool) {
	next := a.shorter[pattern]
	return int(next - 1), next != 0
}

// edge finds the child of a state for a class of bytes.
func (a *Automaton) edge(state int32, class uint8) int32 {
	for e := a.child[state]; e != noEdge; e = a.sibling[e] {
		if a.class[a.label[e]] == class {
			return e
		}
	}
	return noEdge
}
