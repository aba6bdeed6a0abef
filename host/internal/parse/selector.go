package parse

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

const (
	// maxSelector is the longest CSS selector in bytes.
	maxSelector = 4 << 10
	// maxSteps is how many compounds one selector may have, those inside of :has()
	// and :not() included.
	maxSteps = 64
)

// selector is a group of alternatives.
//
// cascadia matches a chain such as `a b c d` by trying every ancestor for every
// step, :has() by trying every descendant, :nth-child() by counting every
// sibling: each a power of the document's size, and none can be stopped. So
// selectors are taken apart here. cascadia says what is a selector and judges
// names, classes and attributes at one node; everything that looks at other nodes
// is one pass over the document for the whole of it.
type selector []chain

type chain []step

type step struct {
	relation byte // to the step before: ' ', '>', '+', '~'; 0 for the first
	tests    []test
}

// test is one condition on a node. Exactly one of plain, nth, group, text and
// inherited is set.
type test struct {
	plain     cascadia.Sel
	perByte   uint64 // fuel of plain for each byte of the attributes' values; 0 when it does not look at them
	pattern   *attributePattern
	nth       *nth
	group     *group
	text      *textTest
	inherited *inherited
}

// nth counts siblings: the a*n+b-th, from the end or among those of the same name.
type nth struct {
	a, b         int
	last, ofType bool
	only         bool
}

// group is a selector inside: ":not", ":has" or ":haschild".
type group struct {
	name string
	of   selector
}

// textTest looks into the text of a node, or into what is its own.
type textTest struct {
	own      bool
	contains string // in lower case
	pattern  *pattern
}

// inherited are conditions that an ancestor can meet for a node.
type inherited struct {
	lang     string
	disabled bool // otherwise :enabled
}

// pattern is a regular expression and how many steps it may take for each
// character.
type pattern struct {
	*regexp.Regexp
	steps uint64
}

// attributePattern is [key#=pattern].
type attributePattern struct {
	key string
	pattern
}

func parseSelector(css string) (selector, error) {
	if len(css) > maxSelector {
		return nil, failHTML(hostcall.InvalidInput, "invalid-selector", "%d bytes; a selector has at most %d", len(css), maxSelector)
	}
	if repeats(css) {
		return nil, failHTML(hostcall.InvalidInput, "invalid-selector", "a pattern with so many repetitions has more than %d steps", maxPattern)
	}
	steps := 0
	s, err := parseGroup(css, &steps)
	if err != nil {
		return nil, failHTML(hostcall.InvalidInput, "invalid-selector", "%v in %q", err, css)
	}
	return s, nil
}

// maxPattern is how many steps a regular expression may have when its counted
// repetitions are written out, which is how the library compiles it: a{1000}
// nested twice takes seconds and a hundred megabytes.
const maxPattern = 100_000

var counted = regexp.MustCompile(`\{(\d{1,4})(?:,(\d{0,4}))?\}`)

// repeats reports whether a selector has patterns that may have too many steps:
// as if all that is counted in it was nested.
func repeats(css string) bool {
	if !strings.Contains(css, "#=") && !strings.Contains(strings.ToLower(css), ":matches") {
		return false
	}
	steps := len(css)
	for _, m := range counted.FindAllStringSubmatch(css, -1) {
		most := 1
		for _, digits := range m[1:] {
			if n, err := strconv.Atoi(digits); err == nil { // none in {2,}
				most = max(most, n)
			}
		}
		if steps *= most; steps > maxPattern {
			return true
		}
	}
	return false
}

func parseGroup(css string, steps *int) (selector, error) {
	alternatives, err := cut(css)
	if err != nil {
		return nil, err
	}
	var all selector
	for _, pieces := range alternatives {
		var c chain
		for _, p := range pieces {
			if *steps++; *steps > maxSteps {
				return nil, errors.New("more than " + strconv.Itoa(maxSteps) + " steps")
			}
			tests, err := parseCompound(fromJsoup(p.text), steps)
			if err != nil {
				return nil, err
			}
			c = append(c, step{p.relation, tests})
		}
		all = append(all, c)
	}
	return all, nil
}

// parseCompound takes a compound apart into tests, after cascadia has read it.
func parseCompound(compound string, steps *int) ([]test, error) {
	if _, err := cascadia.Parse(compound); err != nil {
		return nil, err
	}
	var tests []test
	var plain strings.Builder
	for _, simple := range simples(compound) {
		name, argument := pseudo(simple)
		t, err := parseTest(simple, name, argument, steps)
		if err != nil {
			return nil, err
		}
		if t == nil {
			plain.WriteString(simple)
			continue
		}
		tests = append(tests, *t)
	}
	if plain.Len() > 0 || len(tests) == 0 {
		sel, err := cascadia.Parse(plain.String())
		if err != nil {
			return nil, err
		}
		tests = append([]test{{plain: sel, perByte: perByte(plain.String())}}, tests...)
	}
	return tests, nil
}

// perByte is what cascadia's tests cost for each byte of a value: classes are words
// of it, cut out one by one at 10 ns a byte; all else compares or searches.
func perByte(plain string) uint64 {
	switch {
	case strings.ContainsAny(plain, ".~"), strings.Contains(plain, "i]"), strings.Contains(plain, "I]"):
		return 80
	case strings.ContainsAny(plain, "#[:"):
		return 8
	}
	return 0
}

// parseTest returns nil for what cascadia judges at one node.
func parseTest(simple, name, argument string, steps *int) (*test, error) {
	switch name {
	case "not", "has", "haschild":
		of, err := parseGroup(argument, steps)
		if err != nil {
			return nil, err
		}
		return &test{group: &group{name, of}}, nil
	case "only-child":
		return &test{nth: &nth{only: true}}, nil
	case "only-of-type":
		return &test{nth: &nth{only: true, ofType: true}}, nil
	case "enabled", "disabled":
		return &test{inherited: &inherited{disabled: name == "disabled"}}, nil
	case "first-child", "last-child", "first-of-type", "last-of-type":
		return &test{nth: &nth{b: 1, last: name[0] == 'l', ofType: strings.HasSuffix(name, "type")}}, nil
	case "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type", "contains", "containsown", "matches", "matchesown", "lang":
	default:
		if at := strings.Index(simple, "#="); simple[0] == '[' && at >= 0 {
			p, err := newPattern(strings.TrimSpace(strings.TrimSuffix(simple[at+2:], "]")))
			key := strings.ToLower(strings.TrimSpace(simple[1:at]))
			return &test{pattern: &attributePattern{key, p}}, err
		}
		return nil, nil
	}
	// cascadia writes arguments in one way, however they were written.
	sel, err := cascadia.Parse(simple)
	if err != nil {
		return nil, err
	}
	_, argument = pseudo(sel.String())
	switch name {
	case "lang":
		return &test{inherited: &inherited{lang: argument}}, nil
	case "contains", "containsown":
		return &test{text: &textTest{own: name == "containsown", contains: strings.TrimSuffix(strings.TrimPrefix(argument, `"`), `"`)}}, nil
	case "matches", "matchesown":
		p, err := newPattern(argument)
		return &test{text: &textTest{own: name == "matchesown", pattern: &p}}, err
	}
	n := &nth{last: strings.HasPrefix(name, "nth-last"), ofType: strings.HasSuffix(name, "type"), b: 1}
	if a, b, found := strings.Cut(argument, "n"); found { // "2n+1"; :nth-child(1) is written :first-child
		n.a, err = strconv.Atoi(a)
		if err == nil {
			n.b, err = strconv.Atoi(b)
		}
	}
	return &test{nth: n}, err
}

func newPattern(source string) (pattern, error) {
	re, err := regexp.Compile(source)
	if err != nil {
		return pattern{}, err
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return pattern{}, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return pattern{}, err
	}
	return pattern{re, uint64(len(program.Inst))}, nil
}

// pseudo returns the name and the argument of a pseudo-class.
func pseudo(simple string) (name, argument string) {
	rest, found := strings.CutPrefix(simple, ":")
	if !found {
		return "", ""
	}
	name, argument, found = strings.Cut(rest, "(")
	if found {
		argument = strings.TrimSuffix(argument, ")")
	}
	return strings.ToLower(name), argument
}

// simples cuts a compound before each of its simple selectors.
func simples(compound string) []string {
	var list []string
	start, depth := 0, 0
	regex := false // inside of a regular expression quotes mean nothing
	for i := 0; i < len(compound); i++ {
		switch c := compound[i]; {
		case c == '\\' && !regex:
			i++
		case (c == '"' || c == '\'') && !regex:
			for i++; i < len(compound) && compound[i] != c; i++ {
				if compound[i] == '\\' {
					i++
				}
			}
		case c == '(' || c == '[':
			if depth == 0 && c == '[' && i > start {
				list, start = append(list, compound[start:i]), i
			}
			if depth == 0 && c == '(' {
				name := strings.ToLower(compound[start:i])
				regex = name == ":matches" || name == ":matchesown"
			}
			depth++
		case c == ')' || c == ']':
			if depth--; depth == 0 {
				regex = false
			}
		case depth == 0 && i > start && (c == '.' || c == '#' || c == ':'):
			list, start = append(list, compound[start:i]), i
		case depth == 1 && c == '=' && compound[i-1] == '#' && compound[start] == '[':
			regex = true
		}
	}
	if start < len(compound) {
		list = append(list, compound[start:])
	}
	return list
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
	start := -1
	var nested []byte // closing brackets that are awaited
	end := func(at int) {
		if start >= 0 {
			if len(chain) > 0 && relation == 0 {
				relation = ' '
			}
			chain = append(chain, piece{relation, css[start:at]})
			start, relation = -1, 0
		}
	}
	for i := 0; i < len(css); i++ {
		c := css[i]
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
