package parse

import (
	"iter"

	"golang.org/x/net/html"

	"github.com/glovebox-run/glovebox/budget"
)

// below yields a node and all nodes below it in document order. It does not
// recurse, so that no depth of a document matters.
func below(root *html.Node) iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for n := root; n != nil; {
			if !yield(n) {
				return
			}
			if n.FirstChild != nil {
				n = n.FirstChild
				continue
			}
			for n != root && n.NextSibling == nil {
				n = n.Parent
			}
			if n == root {
				return
			}
			n = n.NextSibling
		}
	}
}

// tree is a whole document in document order, so that relations between nodes are
// numbers: what lies below node i are the nodes from i+1 to end[i].
type tree struct {
	nodes    []*html.Node
	parent   []int32
	end      []int32
	previous []int32 // the element before it among its siblings; -1 for none
}

// treeSize is the memory of a tree for each node, in bytes.
const treeSize = 8 + 3*4

// visitNode is the fuel for looking at a node once, 5 to 10 ns.
const visitNode = 80

// index returns the tree that a node is the root of. It is kept until a document
// changes, as tools tend to ask many things of one page.
func (h *HTML) index(account *budget.Account, root *html.Node) (*tree, error) {
	if h.indexed == root {
		return h.tree, nil
	}
	h.forget(account)
	n := 0
	for range below(root) {
		n++
	}
	if err := account.ChargeEach(n, 4*visitNode); err != nil {
		return nil, err
	}
	if err := account.Keep(n * treeSize); err != nil {
		return nil, err
	}
	t := &tree{nodes: make([]*html.Node, 0, n), parent: make([]int32, n), end: make([]int32, n), previous: make([]int32, n)}
	// open are the ancestors of the node, and the last element child of each so far.
	type ancestor struct{ at, last int32 }
	open := []ancestor{}
	for node := range below(root) {
		at := int32(len(t.nodes))
		t.nodes = append(t.nodes, node)
		for len(open) > 0 && t.nodes[open[len(open)-1].at] != node.Parent {
			t.end[open[len(open)-1].at] = at
			open = open[:len(open)-1]
		}
		t.parent[at], t.previous[at] = -1, -1
		if len(open) > 0 {
			above := &open[len(open)-1]
			t.parent[at], t.previous[at] = above.at, above.last
			if node.Type == html.ElementNode {
				above.last = at
			}
		}
		open = append(open, ancestor{at, -1})
	}
	for _, a := range open {
		t.end[a.at] = int32(len(t.nodes))
	}
	h.tree, h.indexed = t, root
	return t, nil
}

// forget drops the index: a document is about to change.
func (h *HTML) forget(account *budget.Account) {
	if h.tree != nil {
		account.Forget(len(h.tree.nodes) * treeSize)
	}
	h.tree, h.indexed = nil, nil
}

// roots returns the roots of the trees that nodes are in now, in order of
// appearance, and to which of them each belongs.
func roots(account *budget.Account, nodes []*html.Node) ([]*html.Node, []int, error) {
	var list []*html.Node
	number := map[*html.Node]int{} // of ancestors that were seen
	of := make([]int, len(nodes))
	for i, n := range nodes {
		steps := 0
		root, known := n, -1
		for ; root.Parent != nil; root = root.Parent {
			if k, ok := number[root]; ok {
				known = k
				break
			}
			steps++
		}
		if known < 0 {
			k, ok := number[root]
			if !ok {
				k = len(list)
				list = append(list, root)
				number[root] = k
			}
			known = k
		}
		number[n] = known
		if n.Parent != nil {
			number[n.Parent] = known // siblings find it at once
		}
		of[i] = known
		if err := account.Charge(budget.Allocation + uint64(steps)*visitNode); err != nil {
			return nil, nil, err
		}
	}
	return list, of, nil
}
