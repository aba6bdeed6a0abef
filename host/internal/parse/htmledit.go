package parse

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// Source serves html.source: the first node as HTML, with place "outer" itself
// included.
func (h *HTML) Source(_ context.Context, account *budget.Account, r Request) (*budget.Builder, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := htmlWriter{account, budget.NewQuotedBuilder(account)}
	nodes, err := h.find(account, r.Nodes)
	if err != nil || len(nodes) == 0 {
		return w.out, err
	}
	if r.Place == "outer" {
		w.node(nodes[0])
	} else {
		for child := range nodes[0].ChildNodes() {
			w.node(child)
		}
	}
	return w.out, nil
}

// Describe serves html.describe: tag and attributes of the first node. The tag of
// a document is "#document", of text "#text".
func (h *HTML) Describe(_ context.Context, account *budget.Account, r Request) (Description, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(account, r.Nodes)
	if err != nil || len(nodes) == 0 {
		return Description{}, err
	}
	n := nodes[0]
	d := Description{Tag: n.Data, Attributes: [][2]string{}}
	switch n.Type {
	case html.DocumentNode:
		d.Tag = "#document"
	case html.TextNode:
		d.Tag = "#text"
	}
	size := len(d.Tag)
	for _, a := range n.Attr {
		size += 2*attributeSize + len(a.Key) + len(a.Val)
	}
	// The list, and the library's JSON of it before and after it is copied.
	const escaped = 6 // a control character becomes \u0000
	if err := account.Hold(2 * escaped * size); err != nil {
		return Description{}, err
	}
	for _, a := range n.Attr {
		d.Attributes = append(d.Attributes, [2]string{attributeName(a), a.Val})
	}
	return d, account.ChargeEach(size, budget.Scan)
}

// Description is an element's tag and its attributes in order.
type Description struct {
	Tag        string      `json:"tag"`
	Attributes [][2]string `json:"attributes"`
}

func attributeName(a html.Attribute) string {
	if a.Namespace == "" {
		return a.Key
	}
	return a.Namespace + ":" + a.Key
}

// SetAttribute serves html.setAttribute: gives every node the attribute, or
// takes it away when there is no value.
func (h *HTML) SetAttribute(_ context.Context, account *budget.Account, r Request) (bool, error) {
	name := strings.ToLower(r.Name)
	if name == "" || strings.ContainsAny(name, " \t\n\f\r\"'>/=\x00") {
		return false, failHTML(hostcall.InvalidInput, "invalid-attribute", "%q is no attribute name", r.Name)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(account, r.Nodes)
	if err != nil {
		return false, err
	}
	if r.Value != nil { // one text for all of them
		if err := h.keep(account, len(*r.Value)); err != nil {
			return false, err
		}
	}
	for _, n := range nodes {
		if n.Type != html.ElementNode {
			continue
		}
		if err := account.Charge(budget.Element + uint64(len(n.Attr))*visitNode); err != nil {
			return false, err
		}
		if err := h.keep(account, 2*attributeSize+len(name)); err != nil {
			return false, err
		}
		at := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return attributeName(a) == name })
		switch {
		case r.Value == nil && at >= 0:
			n.Attr = slices.Delete(n.Attr, at, at+1)
		case r.Value != nil && at >= 0:
			n.Attr[at].Val = *r.Value
		case r.Value != nil:
			n.Attr = append(n.Attr, html.Attribute{Key: name, Val: *r.Value})
		}
	}
	return true, nil
}

// Go serves html.go: from every node to its relatives of one kind, each once.
// The kinds are "parent", "parents", "children", "siblings", "next", "prev",
// "root", "title", "head" and "body".
func (h *HTML) Go(_ context.Context, account *budget.Account, r Request) ([]int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(account, r.Nodes)
	if err != nil {
		return nil, err
	}
	walk, ok := walks[r.To]
	if !ok {
		return nil, failHTML(hostcall.InvalidInput, "invalid-argument", "no relation %q", r.To)
	}
	w := walker{account: account, seen: map[*html.Node]bool{}, left: map[*html.Node]*html.Node{}}
	for _, n := range nodes {
		if walk(&w, n); account.Err() != nil {
			return nil, account.Err()
		}
	}
	return h.numbers(account, w.found)
}

// walker collects relatives.
type walker struct {
	account *budget.Account
	found   []*html.Node
	seen    map[*html.Node]bool
	left    map[*html.Node]*html.Node // by parent: the one child that was not collected, itself if all were
}

// step charges for one node on the way and says whether to go on.
func (w *walker) step() bool { return w.account.Charge(visitNode) == nil }

func (w *walker) add(n *html.Node) {
	const size = 100 // bytes of a place in the list and one in the map
	if n == nil || w.seen[n] || w.account.Charge(budget.Element) != nil || w.account.Hold(size) != nil {
		return
	}
	w.seen[n] = true
	w.found = append(w.found, n)
}

var walks = map[string]func(*walker, *html.Node){
	"parent": func(w *walker, n *html.Node) { w.add(elementOrNil(n.Parent)) },
	"parents": func(w *walker, n *html.Node) {
		for p := elementOrNil(n.Parent); p != nil && !w.seen[p] && w.step(); p = elementOrNil(p.Parent) {
			w.add(p)
		}
	},
	"children": func(w *walker, n *html.Node) { w.children(n, nil) },
	"siblings": func(w *walker, n *html.Node) {
		if n.Parent != nil {
			w.children(n.Parent, n)
		}
	},
	"next": func(w *walker, n *html.Node) {
		for n = n.NextSibling; n != nil && n.Type != html.ElementNode && w.step(); n = n.NextSibling {
		}
		w.add(n)
	},
	"prev": func(w *walker, n *html.Node) {
		if n.Type != html.ElementNode {
			return
		}
		for n = n.PrevSibling; n != nil && n.Type != html.ElementNode && w.step(); n = n.PrevSibling {
		}
		w.add(n)
	},
	"root": func(w *walker, n *html.Node) {
		for n.Parent != nil && w.step() {
			n = n.Parent
		}
		w.add(n)
	},
	"title": func(w *walker, n *html.Node) { w.first(n, atom.Title) },
	"head":  func(w *walker, n *html.Node) { w.first(n, atom.Head) },
	"body":  func(w *walker, n *html.Node) { w.first(n, atom.Body) },
}

// children collects the element children of a parent, all or all but one. The
// siblings of many children of one parent are passed twice and no oftener.
func (w *walker) children(parent, except *html.Node) {
	left, before := w.left[parent]
	if before && (left == parent || left == except) || !before && w.account.Hold(handleSize) != nil {
		return
	}
	if w.left[parent] = except; before || except == nil {
		w.left[parent] = parent
	}
	for c := parent.FirstChild; c != nil && w.step(); c = c.NextSibling {
		if c.Type == html.ElementNode && c != except {
			w.add(c)
		}
	}
}

func (w *walker) first(n *html.Node, a atom.Atom) {
	for d := range below(n) {
		if !w.step() {
			return
		}
		if d != n && d.Type == html.ElementNode && d.DataAtom == a {
			w.add(d)
			return
		}
	}
}

func elementOrNil(n *html.Node) *html.Node {
	if n == nil || n.Type != html.ElementNode {
		return nil
	}
	return n
}

// Edit serves html.edit: puts new content, HTML or nodes, at a place of every
// node, or takes the node away. The places are "remove", "empty", "inner",
// "text", "append", "prepend", "before", "after", "replace" and "wrap".
//
// Content that is already in a document moves; for further nodes it is copied.
func (h *HTML) Edit(_ context.Context, account *budget.Account, r Request) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	targets, err := h.find(account, r.Nodes)
	if err != nil {
		return false, err
	}
	content, err := h.find(account, r.With)
	if err != nil {
		return false, err
	}
	edit, ok := edits[r.Place]
	if !ok {
		return false, failHTML(hostcall.InvalidInput, "invalid-argument", "no place %q", r.Place)
	}
	h.forget(account)
	for i, target := range targets {
		fresh := content
		switch {
		case r.Place == "text":
			if err := h.keep(account, nodeSize+len(r.HTML)); err != nil {
				return false, err
			}
			fresh = []*html.Node{{Type: html.TextNode, Data: r.HTML}}
		case r.HTML != "":
			var size int
			if fresh, size, err = parseFragment(account, []byte(r.HTML), target); err != nil {
				return false, err
			}
			if err := h.adopt(account, size); err != nil {
				return false, err
			}
		case i > 0:
			if fresh, err = h.copies(account, content); err != nil {
				return false, err
			}
		}
		if err := account.Charge(uint64(1+len(fresh)) * budget.Element); err != nil {
			return false, err
		}
		if i == 0 && len(r.With) > 0 { // what is new contains nothing
			inside, err := contain(account, fresh, target)
			if err != nil {
				return false, err
			}
			if inside {
				return false, failHTML(hostcall.InvalidInput, "invalid-argument", "a node cannot be put inside itself")
			}
		}
		for _, n := range fresh {
			detach(n)
		}
		if r.Place == "inner" || r.Place == "text" || r.Place == "empty" {
			for target.FirstChild != nil {
				if err := account.Charge(visitNode); err != nil {
					return false, err
				}
				target.RemoveChild(target.FirstChild)
			}
		}
		if err := edit(account, target, fresh); err != nil {
			return false, err
		}
	}
	return true, nil
}

// copies returns copies of nodes with all below them.
func (h *HTML) copies(account *budget.Account, originals []*html.Node) ([]*html.Node, error) {
	list := make([]*html.Node, len(originals))
	for k, original := range originals {
		made := map[*html.Node]*html.Node{} // of the ancestors, by original
		for n := range below(original) {
			if err := account.Charge(budget.Allocation); err != nil {
				return nil, err
			}
			if err := h.keep(account, nodeSize+len(n.Attr)*attributeSize); err != nil { // their texts are shared
				return nil, err
			}
			c := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: slices.Clone(n.Attr)}
			if n == original {
				list[k] = c
			} else {
				made[n.Parent].AppendChild(c)
			}
			if n.FirstChild != nil {
				made[n] = c
			}
			if n.NextSibling == nil && n != original {
				delete(made, n.Parent)
			}
		}
	}
	return list, nil
}

// contain reports whether one of the nodes is a node or lies above it.
func contain(account *budget.Account, nodes []*html.Node, n *html.Node) (bool, error) {
	if err := account.Hold(64 * len(nodes)); err != nil {
		return false, err
	}
	set := make(map[*html.Node]bool, len(nodes))
	for _, outer := range nodes {
		set[outer] = true
	}
	for ; n != nil; n = n.Parent {
		if err := account.Charge(visitNode); err != nil {
			return false, err
		}
		if set[n] {
			return true, nil
		}
	}
	return false, nil
}

// edits put content at a place, where what was there before is gone if it had to
// go.
var edits = map[string]func(account *budget.Account, target *html.Node, content []*html.Node) error{
	"remove": func(_ *budget.Account, t *html.Node, _ []*html.Node) error { detach(t); return nil },
	"empty":  func(*budget.Account, *html.Node, []*html.Node) error { return nil },
	"inner":  atEnd,
	"text":   atEnd,
	"append": atEnd,
	"prepend": func(_ *budget.Account, t *html.Node, content []*html.Node) error {
		return insert(t, t.FirstChild, content)
	},
	"before": func(_ *budget.Account, t *html.Node, content []*html.Node) error { return insert(t.Parent, t, content) },
	"after": func(_ *budget.Account, t *html.Node, content []*html.Node) error {
		return insert(t.Parent, t.NextSibling, content)
	},
	"replace": func(_ *budget.Account, t *html.Node, content []*html.Node) error {
		defer detach(t)
		return insert(t.Parent, t, content)
	},
	"wrap": wrap,
}

func atEnd(_ *budget.Account, t *html.Node, content []*html.Node) error {
	return insert(t, nil, content)
}

// insert puts nodes into parent before a child, or at the end. A node without a
// parent has no place beside it.
func insert(parent, before *html.Node, content []*html.Node) error {
	if parent == nil || parent.Type == html.TextNode {
		return nil
	}
	for _, n := range content {
		parent.InsertBefore(n, before)
	}
	return nil
}

// wrap puts the first element of content in the target's place and the target
// into its innermost first element.
func wrap(account *budget.Account, t *html.Node, content []*html.Node) error {
	at := slices.IndexFunc(content, func(n *html.Node) bool { return n.Type == html.ElementNode })
	if at < 0 || t.Parent == nil {
		return nil
	}
	outer := content[at]
	inner := outer
	for c := inner.FirstChild; c != nil; {
		if err := account.Charge(visitNode); err != nil {
			return err
		}
		if c.Type == html.ElementNode {
			inner, c = c, c.FirstChild
		} else {
			c = c.NextSibling
		}
	}
	t.Parent.InsertBefore(outer, t)
	detach(t)
	inner.AppendChild(t)
	return nil
}

func detach(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}
