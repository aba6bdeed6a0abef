package parse

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/hostcall"
)

// maxHTMLNodes is how many nodes all documents of one call may have together:
// what 16 MiB of ordinary pages come to.
const maxHTMLNodes = 2_000_000

// HTML holds the documents of one call. The guest knows nodes by number; they go
// with the call.
type HTML struct {
	mu     sync.Mutex
	nodes  []*html.Node // by handle
	handle map[*html.Node]int
	total  int // nodes that were parsed
}

// NewHTML returns a store without documents.
func NewHTML() *HTML { return &HTML{handle: map[*html.Node]int{}} }

func failHTML(kind hostcall.Kind, reason, format string, args ...any) error {
	return hostcall.Errorf(kind, HelperHTML, reason, format, args...)
}

// scriptless makes noscript an ordinary element: nothing here runs scripts.
var scriptless = html.ParseOptionEnableScripting(false)

// Parse serves html.parse: text is the page, the reply the document's handle.
// Like a browser it makes something of any text.
func (h *HTML) Parse(_ context.Context, _ *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	if err := checkInput(HelperHTML, text); err != nil {
		return nil, nil, err
	}
	if err := checkRoots(text); err != nil {
		return nil, nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	root, err := html.ParseWithOptions(bytes.NewReader(text), scriptless)
	if err != nil {
		return nil, nil, failHTML(hostcall.Runtime, "parse-failed", "%v", err)
	}
	if err := h.count(root); err != nil {
		return nil, nil, err
	}
	reply, err := json.Marshal(h.number(root))
	return reply, nil, err
}

// maxRootWork bounds how many attributes the parser may look at for html and
// body tags that come again: it compares those of each with all before, which
// for 30,000 tags takes minutes.
const maxRootWork = 1_000_000

// checkRoots refuses pages with too many html and body tags.
func checkRoots(page []byte) error {
	const few = 4 // ordinary pages have two
	tags := 0
	for rest := page; ; {
		at := bytes.IndexByte(rest, '<')
		if at < 0 {
			break
		}
		rest = rest[at+1:]
		if len(rest) >= 4 && (bytes.EqualFold(rest[:4], []byte("html")) || bytes.EqualFold(rest[:4], []byte("body"))) {
			tags++
		}
	}
	if tags <= few {
		return nil
	}
	attributes, work := 0, 0
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return nil
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		name, more := z.TagName()
		if a := atom.Lookup(name); a != atom.Html && a != atom.Body {
			continue
		}
		for more {
			_, _, more = z.TagAttr()
			attributes++
		}
		if work += attributes; work > maxRootWork {
			return failHTML(hostcall.Runtime, "parse-failed", "the html and body tags have too many attributes together")
		}
	}
}

// count adds a tree to what this call may hold.
func (h *HTML) count(roots ...*html.Node) error {
	for _, root := range roots {
		for range root.Descendants() {
			h.total++
		}
		h.total++
	}
	if h.total > maxHTMLNodes {
		return failHTML(hostcall.Runtime, "too-many-nodes", "the documents of one call have more than %d nodes", maxHTMLNodes)
	}
	return nil
}

// number gives a node its handle.
func (h *HTML) number(n *html.Node) int {
	if id, ok := h.handle[n]; ok {
		return id
	}
	h.handle[n] = len(h.nodes)
	h.nodes = append(h.nodes, n)
	return len(h.nodes) - 1
}

func (h *HTML) numbers(nodes []*html.Node) []int {
	ids := make([]int, len(nodes))
	for i, n := range nodes {
		ids[i] = h.number(n)
	}
	return ids
}

// find returns the nodes of handles. Numbers that were never given out come from
// a guest that made them up.
func (h *HTML) find(ids []int) ([]*html.Node, error) {
	nodes := make([]*html.Node, len(ids))
	for i, id := range ids {
		if id < 0 || id >= len(h.nodes) {
			return nil, failHTML(hostcall.InvalidInput, "invalid-node", "no node %d", id)
		}
		nodes[i] = h.nodes[id]
	}
	return nodes, nil
}

// Request names nodes and what is asked of them. Which fields count depends on
// the operation.
type Request struct {
	Nodes []int   `json:"nodes"`
	CSS   string  `json:"css"`
	Name  string  `json:"name"`
	Value *string `json:"value"`
	To    string  `json:"to"`
	Place string  `json:"place"`
	HTML  string  `json:"html"`
	With  []int   `json:"with"`
}

// Select serves html.select: the elements below the nodes that match a selector,
// each once, in document order. With place "self" the nodes themselves count.
func (h *HTML) Select(ctx context.Context, _ *budget.Account, r Request) ([]int, error) {
	selector, err := parseSelector(r.CSS)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(r.Nodes)
	if err != nil {
		return nil, err
	}
	var found []*html.Node
	for _, tree := range byTree(nodes) {
		matching, err := selector.matches(ctx, tree.root)
		if err != nil {
			return nil, err
		}
		found = append(found, tree.within(matching, r.Place == "self")...)
	}
	return h.numbers(found), nil
}

// tree is nodes that hang together.
type tree struct {
	root  *html.Node
	nodes map[*html.Node]bool
}

// byTree sorts nodes by the tree that each is in now, in order of appearance.
func byTree(nodes []*html.Node) []*tree {
	var trees []*tree
	byRoot := map[*html.Node]*tree{}
	for _, n := range nodes {
		root := n
		for root.Parent != nil {
			root = root.Parent
		}
		t := byRoot[root]
		if t == nil {
			t = &tree{root, map[*html.Node]bool{}}
			byRoot[root] = t
			trees = append(trees, t)
		}
		t.nodes[n] = true
	}
	return trees
}

// within returns the matching nodes that lie below one of the tree's nodes, or
// are one if self is set, in document order.
func (t *tree) within(matching map[*html.Node]bool, self bool) []*html.Node {
	var found []*html.Node
	if t.nodes[t.root] && self && matching[t.root] {
		found = append(found, t.root)
	}
	below := map[*html.Node]bool{} // nodes under one of ours
	for n := range t.root.Descendants() {
		if t.nodes[n.Parent] || below[n.Parent] {
			below[n] = true
		}
		if matching[n] && (below[n] || self && t.nodes[n]) {
			found = append(found, n)
		}
	}
	return found
}

// Is serves html.is: whether the first node matches a selector.
func (h *HTML) Is(ctx context.Context, _ *budget.Account, r Request) (bool, error) {
	selector, err := parseSelector(r.CSS)
	if err != nil {
		return false, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(r.Nodes)
	if err != nil || len(nodes) == 0 {
		return false, err
	}
	matching, err := selector.matches(ctx, byTree(nodes[:1])[0].root)
	return matching[nodes[0]], err
}

// Text serves html.text. place "normal" reads as a person sees it, with blocks
// apart and spaces folded; "own" does so without children; "raw" is every
// character of every text below, as textContent has it.
func (h *HTML) Text(_ context.Context, _ *budget.Account, r Request) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(r.Nodes)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, n := range nodes {
		var t textWriter
		switch r.Place {
		case "raw":
			parts = append(parts, goquery.NewDocumentFromNode(n).Text())
			continue
		case "own":
			for child := range n.ChildNodes() {
				if child.Type == html.TextNode {
					t.add(child.Data)
				}
			}
		default:
			t.walk(n)
		}
		parts = append(parts, strings.TrimSpace(t.out.String()))
	}
	if r.Place == "raw" {
		return strings.Join(parts, ""), nil
	}
	return strings.Join(parts, " "), nil
}

// textWriter folds runs of space and keeps blocks apart.
type textWriter struct {
	out   strings.Builder
	space bool // the last thing written was a space
}

func (t *textWriter) add(s string) {
	for _, r := range s {
		if r == ' ' || r == '\t' || r == '\n' || r == '\f' || r == '\r' {
			t.gap()
			continue
		}
		t.out.WriteRune(r)
		t.space = false
	}
}

func (t *textWriter) gap() {
	if !t.space && t.out.Len() > 0 {
		t.out.WriteByte(' ')
	}
	t.space = true
}

// walk reads text in document order without recursion, so that no depth of a
// page matters.
func (t *textWriter) walk(root *html.Node) {
	for n := root; n != nil; {
		if n.Type == html.TextNode {
			t.add(n.Data)
		} else if isBlock(n) {
			t.gap()
		}
		next := n.FirstChild
		if hasNoText(n) {
			next = nil
		}
		for next == nil {
			if isBlock(n) {
				t.gap()
			}
			if n == root {
				return
			}
			if next = n.NextSibling; next == nil {
				if n = n.Parent; n == nil {
					return
				}
			}
		}
		n = next
	}
}

// hasNoText reports elements whose content is not for reading.
func hasNoText(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template:
		return n.Type == html.ElementNode
	}
	return false
}

// inline are the elements that do not start a line of their own. Any other does,
// also one that HTML does not know.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Button: true, atom.Cite: true, atom.Code: true,
	atom.Data: true, atom.Del: true, atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Img: true, atom.Input: true,
	atom.Ins: true, atom.Kbd: true, atom.Label: true, atom.Mark: true, atom.Q: true, atom.Rp: true, atom.Rt: true, atom.Ruby: true,
	atom.S: true, atom.Samp: true, atom.Select: true, atom.Small: true, atom.Span: true, atom.Strike: true, atom.Strong: true,
	atom.Sub: true, atom.Sup: true, atom.Textarea: true, atom.Time: true, atom.Tt: true, atom.U: true, atom.Var: true, atom.Wbr: true,
}

func isBlock(n *html.Node) bool { return n.Type == html.ElementNode && !inline[n.DataAtom] }
