package parse

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// HTML holds the documents of one call. The guest knows nodes by number; they go
// with the call.
type HTML struct {
	mu     sync.Mutex
	nodes  []*html.Node // by handle
	handle map[*html.Node]int

	// kept is what the documents count against the call's memory, at least their
	// size; swept is their size when it was last measured.
	kept, swept int

	tree    *tree // of the document that was last looked at as a whole
	indexed *html.Node
}

// NewHTML returns a store without documents.
func NewHTML() *HTML { return &HTML{handle: map[*html.Node]int{}} }

func failHTML(kind hostcall.Kind, reason, format string, args ...any) error {
	return hostcall.Errorf(kind, HelperHTML, reason, format, args...)
}

// Parse serves html.parse: text is the page, the reply the document's handle.
// Like a browser it makes something of any text.
func (h *HTML) Parse(_ context.Context, account *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	root, size, err := parsePage(account, text)
	if err != nil {
		return nil, nil, err
	}
	if err := h.adopt(account, size); err != nil {
		return nil, nil, err
	}
	ids, err := h.numbers(account, []*html.Node{root})
	if err != nil {
		return nil, nil, err
	}
	return strconv.AppendInt(nil, int64(ids[0]), 10), nil, nil
}

// adopt notes that parsed trees, which their parser has kept, are the store's.
func (h *HTML) adopt(account *budget.Account, size int) error {
	h.kept += size
	return h.sweep(account)
}

// keep reserves memory for what is about to be added to the documents.
func (h *HTML) keep(account *budget.Account, bytes int) error {
	if err := h.sweep(account); err != nil {
		return err
	}
	h.kept += bytes
	return account.Keep(bytes)
}

// sweep measures the documents when they have doubled: what was taken out of them
// and has no handle is gone, and its memory is given back.
func (h *HTML) sweep(account *budget.Account) error {
	const few = 4 << 20
	if h.kept-h.swept < max(few, h.swept) {
		return nil
	}
	list, _, err := roots(account, h.nodes)
	if err != nil {
		return err
	}
	size := 0
	for _, root := range list {
		for n := range below(root) {
			if err := account.Charge(visitNode); err != nil {
				return err
			}
			size += sizeOf(n)
		}
	}
	// A text that several nodes share was measured for each of them.
	size = min(size, h.kept)
	account.Forget(h.kept - size)
	h.kept, h.swept = size, size
	return nil
}

// handleSize is the memory of a handle in bytes: a place in the list and one in
// the map.
const handleSize = 80

// numbers gives nodes their handles.
func (h *HTML) numbers(account *budget.Account, nodes []*html.Node) ([]int, error) {
	ids := make([]int, len(nodes))
	for i, n := range nodes {
		if err := account.Charge(budget.Element); err != nil {
			return nil, err
		}
		id, ok := h.handle[n]
		if !ok {
			if err := account.Keep(handleSize); err != nil {
				return nil, err
			}
			id = len(h.nodes)
			h.handle[n] = id
			h.nodes = append(h.nodes, n)
		}
		ids[i] = id
	}
	return ids, nil
}

// find returns the nodes of handles. Numbers that were never given out come from
// a guest that made them up.
func (h *HTML) find(account *budget.Account, ids []int) ([]*html.Node, error) {
	if err := account.Hold(16 * len(ids)); err != nil { // the list, and one of results
		return nil, err
	}
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
func (h *HTML) Select(_ context.Context, account *budget.Account, r Request) ([]int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(account, r.Nodes)
	if err != nil {
		return nil, err
	}
	list, of, err := roots(account, nodes)
	if err != nil {
		return nil, err
	}
	var found []*html.Node
	for k, root := range list {
		asked := map[*html.Node]bool{}
		for i, n := range nodes {
			if of[i] == k {
				asked[n] = true
			}
		}
		t, matching, err := h.matching(account, root, r.CSS)
		if err != nil {
			return nil, err
		}
		below := int32(0) // nodes up to here lie below one of those asked
		for i, n := range t.nodes {
			in := int32(i) < below
			if asked[n] {
				below = max(below, t.end[i])
				in = in || r.Place == "self"
			}
			if in && matching[i] {
				found = append(found, n)
			}
		}
		if err := account.Hold(2 * 8 * len(found)); err != nil {
			return nil, err
		}
	}
	return h.numbers(account, found)
}

// matching marks what a selector matches in the tree below a root.
func (h *HTML) matching(account *budget.Account, root *html.Node, css string) (*tree, marks, error) {
	if err := account.ChargeEach(len(css), 100*budget.Scan); err != nil {
		return nil, nil, err
	}
	s, err := parseSelector(css)
	if err != nil {
		return nil, nil, err
	}
	t, err := h.index(account, root)
	if err != nil {
		return nil, nil, err
	}
	m := matcher{account: account, tree: t}
	found, err := m.match(s)
	return t, found, err
}

// Is serves html.is: whether the first node matches a selector.
func (h *HTML) Is(_ context.Context, account *budget.Account, r Request) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(account, r.Nodes)
	if err != nil {
		return false, err
	}
	if len(nodes) == 0 {
		_, err := parseSelector(r.CSS)
		return false, err
	}
	list, _, err := roots(account, nodes[:1])
	if err != nil {
		return false, err
	}
	t, matching, err := h.matching(account, list[0], r.CSS)
	if err != nil {
		return false, err
	}
	at := slices.Index(t.nodes, nodes[0])
	return at >= 0 && matching[at], nil
}

// Text serves html.text. place "normal" reads as a person sees it, with blocks
// apart and spaces folded; "own" does so without children; "raw" is every
// character of every text below, as textContent has it.
func (h *HTML) Text(_ context.Context, account *budget.Account, r Request) (*budget.Builder, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes, err := h.find(account, r.Nodes)
	if err != nil {
		return nil, err
	}
	t := textWriter{account: account, out: budget.NewBuilder(account)}
	for i, n := range nodes {
		if i > 0 && r.Place != "raw" {
			t.out.WriteByte(' ')
		}
		t.begin()
		switch r.Place {
		case "raw":
			for d := range below(n) {
				if d.Type == html.TextNode {
					t.out.WriteString(d.Data)
				}
				if t.charge(d) != nil {
					break
				}
			}
		case "own":
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				if c.Type == html.TextNode {
					t.add(c.Data)
				}
				if t.charge(c) != nil {
					break
				}
			}
		default:
			t.walk(n)
		}
		if err := account.Err(); err != nil {
			return nil, err
		}
		if r.Place != "raw" {
			t.end()
		}
	}
	return t.out, nil
}

// textWriter folds runs of space and keeps blocks apart.
type textWriter struct {
	account *budget.Account
	out     *budget.Builder
	start   int  // of the node's text
	space   bool // the last thing written was a space
}

func (t *textWriter) begin() { t.start, t.space = t.out.Len(), false }

func (t *textWriter) end() { t.out.TrimSpace(t.start) }

func (t *textWriter) charge(n *html.Node) error {
	return t.account.Charge(visitNode + uint64(len(n.Data))*budget.Scan)
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
	if !t.space && t.out.Len() > t.start {
		t.out.WriteByte(' ')
	}
	t.space = true
}

// walk reads text in document order without recursion, so that no depth of a
// page matters.
func (t *textWriter) walk(root *html.Node) {
	for n := root; n != nil && t.charge(n) == nil; {
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
