package meter

import "github.com/glovebox-run/glovebox/guest/internal/wasm"

// callGraph has a node for each function, then one for each type: call_indirect
// has an edge to the node of its type, which has an edge to every function of that
// type that can be in a table.
type callGraph struct {
	funcs int // nodes below this are functions
	out   [][]int32
}

func newCallGraph(m *wasm.Module) *callGraph {
	imports := m.ImportedFuncs()
	g := &callGraph{funcs: imports + len(m.Funcs)}
	g.out = make([][]int32, g.funcs+len(m.Types))
	reachable := map[uint32]bool{} // functions an indirect call may find
	for _, e := range m.Elems {
		for _, f := range e.Funcs {
			reachable[f] = true
		}
		for _, x := range e.Exprs {
			markRefs(reachable, x)
		}
	}
	for i := range m.Funcs {
		seen := map[int32]bool{}
		from := imports + i
		for _, in := range m.Funcs[i].Code {
			to := int32(in.Imm)
			switch in.Op {
			case wasm.OpCall:
			case wasm.OpCallIndirect:
				to += int32(g.funcs)
			case wasm.OpRefFunc:
				reachable[uint32(in.Imm)] = true
				continue
			default:
				continue
			}
			if !seen[to] {
				seen[to] = true
				g.out[from] = append(g.out[from], to)
			}
		}
	}
	for _, e := range m.Exports {
		// An imported function may call back in.
		if e.Kind == wasm.KindFunc {
			for i := range imports {
				g.out[i] = append(g.out[i], int32(e.Index))
			}
			reachable[e.Index] = true
		}
	}
	for f := range reachable {
		ft, ok := m.FuncTypeOf(f)
		if !ok {
			continue
		}
		for t := range m.Types {
			if m.Types[t].Equal(ft) {
				g.out[g.funcs+t] = append(g.out[g.funcs+t], int32(f))
			}
		}
	}
	return g
}

func markRefs(reachable map[uint32]bool, code []wasm.Instr) {
	for _, in := range code {
		if in.Op == wasm.OpRefFunc {
			reachable[uint32(in.Imm)] = true
		}
	}
}

// checkedFuncs chooses, by function index, the functions that check their fuel on
// entry, so that every cycle of calls passes one. It takes a function out of each
// strongly connected component and examines the rest, until there are no cycles.
// Few functions are chosen: 72 of 1,267 in QuickJS.
func checkedFuncs(m *wasm.Module) []bool {
	g := newCallGraph(m)
	checked := make([]bool, g.funcs)
	all := make([]int32, len(g.out))
	for i := range all {
		all[i] = int32(i)
	}
	imports := int32(m.ImportedFuncs())
	work := [][]int32{all}
	part := make([]int32, len(g.out)) // which set of nodes a node belongs to now
	label := int32(0)
	for len(work) > 0 {
		set := work[len(work)-1]
		work = work[:len(work)-1]
		label++
		for _, v := range set {
			part[v] = label
		}
		for _, scc := range g.components(set, part, label) {
			pick := g.pick(scc, part, imports)
			if pick < 0 {
				continue
			}
			checked[pick] = true
			rest := make([]int32, 0, len(scc)-1)
			for _, v := range scc {
				if v != pick {
					rest = append(rest, v)
				}
			}
			work = append(work, rest)
		}
	}
	return checked
}

// pick chooses the function with a body that most of a component's edges pass.
// It returns -1 when there is no cycle.
func (g *callGraph) pick(scc []int32, part []int32, imports int32) int32 {
	inside := map[int32]bool{}
	for _, v := range scc {
		inside[v] = true
	}
	in := map[int32]int{}
	for _, v := range scc {
		for _, w := range g.out[v] {
			if inside[w] {
				in[w]++
			}
		}
	}
	best, bestScore := int32(-1), 0
	for _, v := range scc {
		if v < imports || int(v) >= g.funcs {
			continue
		}
		out := 0
		for _, w := range g.out[v] {
			if inside[w] {
				out++
			}
		}
		if score := in[v] * out; score > bestScore || score == bestScore && score > 0 && v < best {
			best, bestScore = v, score
		}
	}
	return best
}

// components returns the strongly connected components of the nodes with a label
// (Tarjan), with an explicit stack because call chains are long.
func (g *callGraph) components(set, part []int32, label int32) [][]int32 {
	type visit struct {
		node int32
		edge int
	}
	index, low, onStack := map[int32]int{}, map[int32]int{}, map[int32]bool{}
	var stack []int32
	var calls []visit
	var found [][]int32
	push := func(v int32) {
		index[v], low[v] = len(index), len(index)
		onStack[v] = true
		stack = append(stack, v)
		calls = append(calls, visit{node: v})
	}
	for _, root := range set {
		if _, seen := index[root]; seen {
			continue
		}
		push(root)
		for len(calls) > 0 {
			c := &calls[len(calls)-1]
			if c.edge < len(g.out[c.node]) {
				w := g.out[c.node][c.edge]
				c.edge++
				if part[w] != label {
					continue
				}
				if _, seen := index[w]; !seen {
					push(w)
				} else if onStack[w] {
					low[c.node] = min(low[c.node], index[w])
				}
				continue
			}
			v := c.node
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				parent := calls[len(calls)-1].node
				low[parent] = min(low[parent], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			var scc []int32
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack[w] = false
				scc = append(scc, w)
				if w == v {
					break
				}
			}
			found = append(found, scc)
		}
	}
	return found
}
