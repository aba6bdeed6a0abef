package parse

import (
	"context"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/hostcall"
)

// Source serves html.source: the first node as HTML, with place "outer" itself
// included.
func (h *HTML) Source(_ context.Context, _ *budget.Account, r Request) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(r.Nodes)
	if err != nil || len(nodes) == 0 {
		return "", err
	}
	var w htmlWriter
	if r.Place == "outer" {
		w.node(nodes[0])
	} else {
		for child := range nodes[0].ChildNodes() {
			w.node(child)
		}
	}
	return w.out.String(), nil
}

// Describe serves html.describe: tag and attributes of the first node. The tag of
// a document is "#document", of text "#text".
func (h *HTML) Describe(_ context.Context, _ *budget.Account, r Request) (Description, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(r.Nodes)
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
	for _, a := range n.Attr {
		d.Attributes = append(d.Attributes, [2]string{attributeName(a), a.Val})
	}
	return d, nil
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
func (h *HTML) SetAttribute(_ context.Context, _ *budget.Account, r Request) (bool, error) {
	name := strings.ToLower(r.Name)
	if name == "" || strings.ContainsAny(name, " \t\n\f\r\"'>/=\x00") {
		return false, failHTML(hostcall.InvalidInput, "invalid-attribute", "%q is no attribute name", r.Name)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(r.Nodes)
	if err != nil {
		return false, err
	}
	for _, n := range nodes {
		if n.Type != html.ElementNode {
			continue
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
func (h *HTML) Go(_ context.Context, _ *budget.Account, r Request) ([]int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(r.Nodes)
	if err != nil {
		return nil, err
	}
	walk, ok := walks[r.To]
	if !ok {
		return nil, failHTML(hostcall.InvalidInput, "invalid-argument", "no relation %q", r.To)
	}
	seen := map[*html.Node]bool{}
	var found []*html.Node
	for _, n := range nodes {
		for _, to := range walk(n) {
			if !seen[to] {
				seen[to] = true
				found = append(found, to)
			}
		}
	}
	return h.numbers(found), nil
}

var walks = map[string]func(*html.Node) []*html.Node{
	"parent":   func(n *html.Node) []*html.Node { return only(elementOrNil(n.Parent)) },
	"parents":  ancestors,
	"children": elementChildren,
	"siblings": siblings,
	"next": func(n *html.Node) []*html.Node {
		for n = n.NextSibling; n != nil && n.Type != html.ElementNode; n = n.NextSibling {
		}
		return only(n)
	},
	"prev": func(n *html.Node) []*html.Node { return only(previousElement(n)) },
	"root": func(n *html.Node) []*html.Node {
		for n.Parent != nil {
			n = n.Parent
		}
		return only(n)
	},
	"title": func(n *html.Node) []*html.Node { return only(firstOf(n, atom.Title)) },
	"head":  func(n *html.Node) []*html.Node { return only(firstOf(n, atom.Head)) },
	"body":  func(n *html.Node) []*html.Node { return only(firstOf(n, atom.Body)) },
}

func only(n *html.Node) []*html.Node {
	if n == nil {
		return nil
	}
	return []*html.Node{n}
}

func elementOrNil(n *html.Node) *html.Node {
	if n == nil || n.Type != html.ElementNode {
		return nil
	}
	return n
}

func ancestors(n *html.Node) []*html.Node {
	var up []*html.Node
	for p := elementOrNil(n.Parent); p != nil; p = elementOrNil(p.Parent) {
		up = append(up, p)
	}
	return up
}

func elementChildren(n *html.Node) []*html.Node {
	var children []*html.Node
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode {
			children = append(children, c)
		}
	}
	return children
}

func siblings(n *html.Node) []*html.Node {
	if n.Parent == nil {
		return nil
	}
	return slices.DeleteFunc(elementChildren(n.Parent), func(s *html.Node) bool { return s == n })
}

func firstOf(n *html.Node, a atom.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == a {
			return d
		}
	}
	return nil
}

// Edit serves html.edit: puts new content, HTML or nodes, at a place of every
// node, or takes the node away. The places are "remove", "empty", "inner",
// "text", "append", "prepend", "before", "after", "replace" and "wrap".
//
// Content that is already in a document moves; for further nodes it is copied.
func (h *HTML) Edit(_ context.Context, _ *budget.Account, r Request) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	targets, err := h.find(r.Nodes)
	if err != nil {
		return false, err
	}
	content, err := h.find(r.With)
	if err != nil {
		return false, err
	}
	edit, ok := edits[r.Place]
	if !ok {
		return false, failHTML(hostcall.InvalidInput, "invalid-argument", "no place %q", r.Place)
	}
	for i, target := range targets {
		fresh := content
		switch {
		case r.Place == "text":
			fresh = []*html.Node{{Type: html.TextNode, Data: r.HTML}}
		case r.HTML != "":
			if fresh, err = fragment(r.HTML, target); err != nil {
				return false, err
			}
		case i > 0:
			fresh = make([]*html.Node, len(content))
			for j, n := range content {
				fresh[j] = goquery.NewDocumentFromNode(n).Clone().Nodes[0]
			}
		}
		if r.HTML != "" || i > 0 {
			if err := h.count(fresh...); err != nil {
				return false, err
			}
		}
		if slices.ContainsFunc(fresh, func(n *html.Node) bool { return contains(n, target) }) {
			return false, failHTML(hostcall.InvalidInput, "invalid-argument", "a node cannot be put inside itself")
		}
		for _, n := range fresh {
			detach(n)
		}
		edit(target, fresh)
	}
	return true, nil
}

var edits = map[string]func(target *html.Node, content []*html.Node){
	"remove":  func(t *html.Node, _ []*html.Node) { detach(t) },
	"empty":   func(t *html.Node, _ []*html.Node) { empty(t) },
	"inner":   func(t *html.Node, content []*html.Node) { empty(t); insert(t, nil, content) },
	"text":    func(t *html.Node, content []*html.Node) { empty(t); insert(t, nil, content) },
	"append":  func(t *html.Node, content []*html.Node) { insert(t, nil, content) },
	"prepend": func(t *html.Node, content []*html.Node) { insert(t, t.FirstChild, content) },
	"before":  func(t *html.Node, content []*html.Node) { insert(t.Parent, t, content) },
	"after":   func(t *html.Node, content []*html.Node) { insert(t.Parent, t.NextSibling, content) },
	"replace": func(t *html.Node, content []*html.Node) {
		insert(t.Parent, t, content)
		detach(t)
	},
	"wrap": wrap,
}

// insert puts nodes into parent before a child, or at the end. A node without a
// parent has no place beside it.
func insert(parent, before *html.Node, content []*html.Node) {
	if parent == nil || parent.Type == html.TextNode {
		return
	}
	for _, n := range content {
		parent.InsertBefore(n, before)
	}
}

// wrap puts the first element of content in the target's place and the target
// into its innermost first element.
func wrap(t *html.Node, content []*html.Node) {
	at := slices.IndexFunc(content, func(n *html.Node) bool { return n.Type == html.ElementNode })
	if at < 0 || t.Parent == nil {
		return
	}
	outer := content[at]
	inner := outer
	for {
		children := elementChildren(inner)
		if len(children) == 0 {
			break
		}
		inner = children[0]
	}
	insert(t.Parent, t, []*html.Node{outer})
	detach(t)
	inner.AppendChild(t)
}

func detach(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

func empty(n *html.Node) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
}

// contains reports whether n is outer or lies below it.
func contains(outer, n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

// fragment parses HTML as it would be parsed inside the target.
func fragment(source string, target *html.Node) ([]*html.Node, error) {
	if err := checkInput(HelperHTML, []byte(source)); err != nil {
		return nil, err
	}
	if err := checkRoots([]byte(source)); err != nil {
		return nil, err
	}
	context := target
	if context.Type != html.ElementNode {
		context = &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	}
	nodes, err := html.ParseFragmentWithOptions(strings.NewReader(source), context, scriptless)
	if err != nil {
		return nil, failHTML(hostcall.Runtime, "parse-failed", "%v", err)
	}
	return nodes, nil
}
