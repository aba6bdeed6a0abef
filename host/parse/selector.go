package parse

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/glovebox-run/glovebox/host/hostcall"
)

const (
	// maxSelector is the longest CSS selector in bytes.
	maxSelector = 4 << 10
	// maxSteps is how many combinators one selector may have.
	maxSteps = 64
	// maxInner is how many combinators may stand inside one pseudo-class such as
	// :has(). They are matched by trying, at each node anew.
	maxInner = 2
	// selectTime bounds one selection: :nth-child() and :has() look at more than
	// one node for each node.
	selectTime = 2 * time.Second
)

// selector is a group of alternatives.
//
// cascadia matches a chain such as `a b c d` by trying every ancestor for every
// step, which grows with a power of the document's depth. So chains are cut at
// their combinators here, cascadia judges one compound at one node, and a chain
// is matched in one pass over the document for each compound.
type selector []chain

type chain []step

type step struct {
	relation byte // to the step before: ' ', '>', '+', '~'; 0 for the first
	compound cascadia.Sel
}

func parseSelector(css string) (selector, error) {
	invalid := func(format string, args ...any) error {
		return failHTML(hostcall.InvalidInput, "invalid-selector", format, args...)
	}
	if len(css) > maxSelector {
		return nil, invalid("%d bytes; a selector has at most %d", len(css), maxSelector)
	}
	var all selector
	steps := 0
	alternatives, err := cut(css)
	if err != nil {
		return nil, invalid("%v in %q", err, css)
	}
	for _, pieces := range alternatives {
		var c chain
		for _, p := range pieces {
			compound, err := cascadia.Parse(fromJsoup(p.text))
			if err != nil {
				return nil, invalid("%v in %q", err, css)
			}
			c = append(c, step{p.relation, compound})
		}
		if steps += len(c); steps > maxSteps {
			return nil, invalid("more than %d steps", maxSteps)
		}
		all = append(all, c)
	}
	return all, nil
}

type piece struct {
	relation byte
	text     string
}

// cut splits a selector at its commas and combinators, but not inside brackets,
// parentheses and strings.
func cut(css string) ([][]piece, error) {
	var alternatives [][]piece
	var chain []piece
	var relation byte // seen since the last compound
	start, inner := -1, 0
	var nested []byte // closing brackets that are awaited
	end := func(at int) {
		if start >= 0 {
			if len(chain) > 0 && relation == 0 {
				relation = ' '
			}
			chain = append(chain, piece{relation, css[start:at]})
			start, relation, inner = -1, 0, 0
		}
	}
	for i := 0; i < len(css); i++ {
		c := css[i]
		if len(nested) > 0 && strings.IndexByte(" >+~", c) >= 0 && nested[0] == ')' && i > 0 && strings.IndexByte(" >+~(,", css[i-1]) < 0 {
			if inner++; inner > maxInner+strings.Count(css[start:i], ",") {
				return nil, errors.New("too many combinators inside a pseudo-class")
			}
		}
		switch {
		case c == '\\':
			if start < 0 {
				start = i
			}
			i++ // whatever is escaped
		case c == '"' || c == '\'':
			if start < 0 {
				return nil, errors.New("a string outside brackets")
			}
			for i++; i < len(css) && css[i] != c; i++ {
				if css[i] == '\\' {
					i++
				}
			}
			if i >= len(css) {
				return nil, errors.New("a string that does not end")
			}
		case c == '(' || c == '[':
			if start < 0 {
				start = i
			}
			nested = append(nested, map[byte]byte{'(': ')', '[': ']'}[c])
		case len(nested) > 0:
			if c == nested[len(nested)-1] {
				nested = nested[:len(nested)-1]
			}
		case c == ',':
			end(i)
			if len(chain) == 0 || relation != 0 {
				return nil, errors.New("an empty alternative")
			}
			alternatives, chain = append(alternatives, chain), nil
		case c == '>' || c == '+' || c == '~':
			end(i)
			if len(chain) == 0 || relation != 0 {
				return nil, errors.New("a combinator without a left side")
			}
			relation = c
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			end(i)
		case start < 0:
			start = i
		}
	}
	if len(nested) > 0 {
		return nil, errors.New("a bracket that does not close")
	}
	end(len(css))
	if len(chain) == 0 || relation != 0 {
		return nil, errors.New("an empty alternative")
	}
	return append(alternatives, chain), nil
}

// matches returns the elements of a whole tree that match, in document order.
// The error says that it took too long.
func (s selector) matches(ctx context.Context, root *html.Node) (map[*html.Node]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, selectTime)
	defer cancel()
	found := map[*html.Node]bool{}
	for _, c := range s {
		var last map[*html.Node]bool
		for _, st := range c {
			next, err := st.among(ctx, root, last)
			if err != nil {
				return nil, err
			}
			last = next
		}
		for n := range last {
			found[n] = true
		}
	}
	return found, nil
}

// checkEvery is how many nodes are judged between two looks at the clock.
const checkEvery = 256

// among returns the elements that match a compound and stand in its relation to
// one of the elements before.
func (st step) among(ctx context.Context, root *html.Node, before map[*html.Node]bool) (map[*html.Node]bool, error) {
	found := map[*html.Node]bool{}
	if st.relation != 0 && len(before) == 0 {
		return found, nil
	}
	// The ancestors, or earlier siblings, of a node that are in before: they are
	// those of its parent, or of the sibling before it, and that one itself.
	below := map[*html.Node]bool{}
	seen := 0
	for n := range root.Descendants() {
		if seen++; seen%checkEvery == 0 && ctx.Err() != nil {
			return nil, failHTML(hostcall.Runtime, "selector-too-costly", "the selector did not finish in %v on this document", selectTime)
		}
		related := st.relation == 0
		switch st.relation {
		case ' ':
			related = below[n.Parent] || before[n.Parent]
			if related {
				below[n] = true
			}
		case '>':
			related = before[n.Parent]
		case '+', '~':
			if p := previousElement(n); p != nil {
				related = before[p] || st.relation == '~' && below[p]
			}
			if related {
				below[n] = true
			}
		}
		if related && n.Type == html.ElementNode && st.compound.Match(n) {
			found[n] = true
		}
	}
	return found, nil
}

// previousElement skips text and comments, which a page may have in any number:
// each is passed once for the element that follows it.
func previousElement(n *html.Node) *html.Node {
	if n.Type != html.ElementNode {
		return nil
	}
	for p := n.PrevSibling; p != nil; p = p.PrevSibling {
		if p.Type == html.ElementNode {
			return p
		}
	}
	return nil
}
