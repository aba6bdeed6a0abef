package parse

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/glovebox-run/glovebox/budget"
)

// marks are nodes of a tree, by number.
type marks []bool

// matcher finds what a selector matches in a tree. Each test is one pass, charged
// before it is made.
type matcher struct {
	account *budget.Account
	tree    *tree
	texts   [2]*treeText // as it is, and in lower case; made when first used
}

// pass charges for looking at every node once and returns an empty set.
func (m *matcher) pass() (marks, error) {
	n := len(m.tree.nodes)
	if err := m.account.ChargeEach(n, visitNode); err != nil {
		return nil, err
	}
	if err := m.account.Hold(n); err != nil {
		return nil, err
	}
	return make(marks, n), nil
}

func (m *matcher) done(sets ...marks) {
	for _, s := range sets {
		m.account.Drop(len(s))
	}
}

// match returns the elements that a selector matches.
func (m *matcher) match(s selector) (marks, error) {
	found, err := m.pass()
	if err != nil {
		return nil, err
	}
	for _, c := range s {
		matched, err := m.chain(c)
		if err != nil {
			return nil, err
		}
		for i, yes := range matched {
			found[i] = found[i] || yes
		}
		m.done(matched)
	}
	return found, nil
}

func (m *matcher) chain(c chain) (marks, error) {
	var last marks
	for _, st := range c {
		next, err := m.related(st.relation, last)
		if err != nil {
			return nil, err
		}
		for i := range st.tests {
			if err := m.filter(next, &st.tests[i]); err != nil {
				return nil, err
			}
		}
		m.done(last)
		last = next
	}
	return last, nil
}

// related returns the elements that stand in a relation to one of those before.
func (m *matcher) related(relation byte, before marks) (marks, error) {
	set, err := m.pass()
	if err != nil {
		return nil, err
	}
	t := m.tree
	switch relation {
	case ' ', '>':
		for i, parent := range t.parent {
			set[i] = parent >= 0 && (before[parent] || relation == ' ' && set[parent])
		}
	case '+', '~':
		for i, previous := range t.previous {
			set[i] = previous >= 0 && (before[previous] || relation == '~' && set[previous])
		}
	default:
		for i := range set {
			set[i] = true
		}
	}
	if err := m.account.ChargeEach(len(set), visitNode); err != nil {
		return nil, err
	}
	for i, n := range t.nodes {
		set[i] = set[i] && n.Type == html.ElementNode
	}
	return set, nil
}

// filter takes out of a set what does not meet a test.
func (m *matcher) filter(set marks, t *test) error {
	if err := m.account.ChargeEach(len(set), visitNode); err != nil {
		return err
	}
	switch {
	case t.plain != nil, t.pattern != nil:
		return m.filterOne(set, t)
	case t.nth != nil:
		return m.filterNth(set, t.nth)
	case t.group != nil:
		return m.filterGroup(set, t.group)
	case t.inherited != nil:
		return m.filterInherited(set, t.inherited)
	}
	return m.filterText(set, t.text)
}

// filterOne judges each node by itself.
func (m *matcher) filterOne(set marks, t *test) error {
	for i, n := range m.tree.nodes {
		if !set[i] {
			continue
		}
		cost := uint64(budget.Element)
		if t.perByte > 0 {
			for _, a := range n.Attr {
				cost += budget.Element/4 + uint64(len(a.Val))*t.perByte
			}
		}
		if err := m.account.Charge(cost); err != nil {
			return err
		}
		if t.plain != nil {
			set[i] = t.plain.Match(n)
			continue
		}
		set[i] = false
		for _, a := range n.Attr {
			if a.Key == t.pattern.key && !set[i] {
				matches, err := t.pattern.match(m.account, a.Val)
				if err != nil {
					return err
				}
				set[i] = matches
			}
		}
	}
	return nil
}

func (m *matcher) filterGroup(set marks, g *group) error {
	inner, err := m.match(g.of)
	if err != nil {
		return err
	}
	defer m.done(inner)
	t := m.tree
	switch g.name {
	case "not":
		for i := range set {
			set[i] = set[i] && !inner[i]
		}
	case "haschild":
		has, err := m.pass()
		if err != nil {
			return err
		}
		defer m.done(has)
		for i, parent := range t.parent {
			if inner[i] && parent >= 0 {
				has[parent] = true
			}
		}
		for i := range set {
			set[i] = set[i] && has[i]
		}
	case "has":
		// The next match behind a node in document order is below it, or none is.
		next := int32(len(set))
		for i := len(set) - 1; i >= 0; i-- {
			set[i] = set[i] && next < t.end[i]
			if inner[i] {
				next = int32(i)
			}
		}
	}
	return nil
}

// filterNth numbers the element children of each node.
func (m *matcher) filterNth(set marks, n *nth) error {
	// How many siblings stand before each element, and how many there are with it.
	size := len(set) * 8
	if err := m.account.Hold(size); err != nil {
		return err
	}
	defer m.account.Drop(size)
	if err := m.account.ChargeEach(len(set), 2*budget.Element); err != nil {
		return err
	}
	type kind struct {
		parent int32
		name   string
	}
	of := func(i int) kind {
		k := kind{parent: m.tree.parent[i]}
		if n.ofType {
			k.name = m.tree.nodes[i].Data
		}
		return k
	}
	position := make([]int32, len(set))
	total := map[kind]int32{}
	for i, node := range m.tree.nodes {
		if node.Type != html.ElementNode || m.tree.parent[i] < 0 {
			continue
		}
		k := of(i)
		if _, known := total[k]; !known {
			const entry = 64 // bytes of the map
			if err := m.account.Hold(entry); err != nil {
				return err
			}
			defer m.account.Drop(entry)
		}
		total[k]++
		position[i] = total[k]
	}
	for i := range set {
		if !set[i] || position[i] == 0 {
			set[i] = false
			continue
		}
		at := int(position[i])
		all := int(total[of(i)])
		if n.only {
			set[i] = all == 1
			continue
		}
		if n.last {
			at = all - at + 1
		}
		at -= n.b
		set[i] = at == 0 || n.a != 0 && at%n.a == 0 && at/n.a >= 0
	}
	return nil
}

// filterInherited takes conditions down the tree.
func (m *matcher) filterInherited(set marks, in *inherited) error {
	holds, err := m.pass()
	if err != nil {
		return err
	}
	defer m.done(holds)
	t := m.tree
	if in.lang != "" {
		for i, n := range t.nodes {
			parent := t.parent[i]
			holds[i] = parent >= 0 && holds[parent] || slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
				return n.Type == html.ElementNode && a.Key == "lang" && (a.Val == in.lang || strings.HasPrefix(a.Val, in.lang+"-"))
			})
			set[i] = set[i] && holds[i]
		}
		return nil
	}
	// Behind a legend: an earlier sibling is one.
	behind, err := m.pass()
	if err != nil {
		return err
	}
	defer m.done(behind)
	for i, n := range t.nodes {
		if previous := t.previous[i]; previous >= 0 {
			behind[i] = behind[previous] || t.nodes[previous].DataAtom == atom.Legend
		}
		// holds: a fieldset around the node disables it.
		if parent := t.parent[i]; parent >= 0 {
			above := t.nodes[parent]
			holds[i] = holds[parent] || above.DataAtom == atom.Fieldset && hasAttribute(above, "disabled") && (n.DataAtom != atom.Legend || behind[i])
		}
		if set[i] {
			set[i] = enabled(n, holds[i], in.disabled)
		}
	}
	return nil
}

// enabled reports whether a form's element is enabled, or else disabled; most
// elements are neither.
func enabled(n *html.Node, inDisabled, disabled bool) bool {
	switch n.DataAtom {
	case atom.A, atom.Area, atom.Link:
		return !disabled && hasAttribute(n, "href")
	case atom.Optgroup, atom.Menuitem, atom.Fieldset:
		return hasAttribute(n, "disabled") == disabled
	case atom.Button, atom.Input, atom.Select, atom.Textarea, atom.Option:
		return (hasAttribute(n, "disabled") || inDisabled) == disabled
	}
	return false
}

func hasAttribute(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// treeText is the text of a whole tree, once. That of node i is what stands
// between from[i] and from[end[i]].
type treeText struct {
	text string
	from []int32
}

func (m *matcher) textOf(lower bool) (*treeText, error) {
	which := 0
	if lower {
		which = 1
	}
	if m.texts[which] != nil {
		return m.texts[which], nil
	}
	nodes := m.tree.nodes
	if err := m.account.Hold(4 * (len(nodes) + 1)); err != nil {
		return nil, err
	}
	out := budget.NewBuilder(m.account)
	from := make([]int32, len(nodes)+1)
	for i, n := range nodes {
		from[i] = int32(out.Len())
		if n.Type != html.TextNode {
			continue
		}
		if err := m.account.Charge(uint64(len(n.Data)) * budget.Scan); err != nil {
			return nil, err
		}
		if lower {
			out.WriteString(strings.ToLower(n.Data))
		} else {
			out.WriteString(n.Data)
		}
	}
	from[len(nodes)] = int32(out.Len())
	if err := m.account.Hold(out.Len()); err != nil {
		return nil, err
	}
	text, err := out.Bytes()
	if err != nil {
		return nil, err
	}
	m.texts[which] = &treeText{string(text), from}
	out.Done()
	return m.texts[which], nil
}

func (m *matcher) filterText(set marks, t *textTest) error {
	if t.own {
		return m.filterOwnText(set, t)
	}
	all, err := m.textOf(t.pattern == nil)
	if err != nil {
		return err
	}
	next := -1 // the first place at or behind the node's text where contains begins
	for i, end := range m.tree.end {
		if !set[i] {
			continue
		}
		from, to := int(all.from[i]), int(all.from[end])
		if t.pattern != nil {
			if set[i], err = t.pattern.match(m.account, all.text[from:to]); err != nil {
				return err
			}
			continue
		}
		if next < from { // nodes come in the order of their texts, so each byte is passed once
			at := strings.Index(all.text[from:], t.contains)
			if at < 0 {
				at = len(all.text) + 1
			}
			if err := m.account.Charge(uint64(min(at, len(all.text)-from)) * budget.Scan); err != nil {
				return err
			}
			next = from + at
		}
		set[i] = next+len(t.contains) <= to
	}
	return nil
}

func (m *matcher) filterOwnText(set marks, t *textTest) error {
	for i, n := range m.tree.nodes {
		if !set[i] {
			continue
		}
		text := budget.NewBuilder(m.account)
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if err := m.account.Charge(visitNode); err != nil {
				return err
			}
			if c.Type == html.TextNode {
				text.WriteString(c.Data)
			}
		}
		if err := text.Err(); err != nil {
			return err
		}
		if err := m.account.Charge(uint64(text.Len()) * budget.Scan); err != nil {
			return err
		}
		own := string(text.Done())
		if t.pattern == nil {
			set[i] = strings.Contains(strings.ToLower(own), t.contains)
			continue
		}
		matches, err := t.pattern.match(m.account, own)
		if err != nil {
			return err
		}
		set[i] = matches
	}
	return nil
}

// Fuel of a step of a regular expression on one character, 10 ns where all steps
// are possible at every character, and how much of it may be spent between two
// looks at the budget: two milliseconds.
const (
	patternStep  = 80
	patternPiece = 16_000_000
)

// match looks for a pattern in a text. A long text goes through a reader, which
// is slower, is charged for what is read only, and ends early.
func (p *pattern) match(account *budget.Account, text string) (bool, error) {
	cost := (uint64(len(text)) + 1) * p.steps * patternStep
	if cost <= patternPiece {
		return p.MatchString(text), account.Charge(cost)
	}
	r := &chargingRunes{account: account, text: text, cost: p.steps * patternStep}
	found := p.MatchReader(r)
	return found, account.Err()
}

type chargingRunes struct {
	account *budget.Account
	text    string
	at      int
	cost    uint64 // of a byte
}

func (r *chargingRunes) ReadRune() (rune, int, error) {
	if r.at == len(r.text) {
		return 0, 0, io.EOF
	}
	c, size := utf8.DecodeRuneInString(r.text[r.at:])
	if err := r.account.Charge(uint64(size) * r.cost); err != nil {
		return 0, 0, io.EOF // the account knows why
	}
	r.at += size
	return c, size, nil
}
