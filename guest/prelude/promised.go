package prelude

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Place is the position of a name in a program: a line and a column in characters,
// from 1.
type Place struct{ Line, Column int }

// Use describes how a program uses the results of a response's body methods, as
// far as its text shows it.
//
// Older tools were written for a synchronous fetch: json() gives them the value
// itself. Programs for browsers get a promise. A method cannot tell which of them
// called it, but nearly every call shows it: a result that is chained on or handed
// to Promise.all has to be a promise, and a result that is awaited, returned or
// used at once may be the value.
type Use struct {
	// Promised are the calls whose result has to be a promise.
	Promised []Place
	// Chains says that the program chains somewhere, so a result may reach a chain
	// on a path that the text does not show.
	Chains bool
	// Unserved are calls whose result is used as both, so that one use is wrong.
	Unserved []Place
}

var (
	bodyCall = regexp.MustCompile(`\.\s*(json|text|bytes|arrayBuffer|blob|formData)\s*(?:\?\.\s*)?\(`)
	chain    = regexp.MustCompile(`^\s*\??\.\s*(?:then|catch|finally)\b`)
	isType   = regexp.MustCompile(`^\s*instanceof\b`)
	chaining = regexp.MustCompile(`\.\s*(?:then|catch|finally)\b|\beval\b|\bFunction\b`)
	indexed  = regexp.MustCompile(`\[\s*["'](?:then|catch|finally)["']`)
	combined = regexp.MustCompile(`\bPromise\s*\.\s*(?:all|allSettled|any|race)\s*$`)
)

// nearby bounds, in bytes, the surroundings of a call that are searched, so that
// the work stays linear in the size of the program.
const nearby = 2000

// Bounds of the search: variables that are followed through the whole program,
// calls, and brackets around a call.
const (
	maxNames    = 64
	maxCalls    = 2000
	maxBrackets = 8
)

// UseOf reads a program.
func UseOf(code string) Use {
	var use Use
	if !strings.Contains(code, "fetch") && !strings.Contains(code, "Response") && !strings.Contains(code, "Request") {
		return use
	}
	code = strings.ReplaceAll(code, "\r", " ")
	text := mask(code)
	use.Chains = chaining.MatchString(text) || indexed.MatchString(code)
	if !use.Chains && !strings.Contains(text, "Promise") {
		return use
	}
	lines := counter{text: text}
	names := map[string]nameUse{}
	for _, found := range bodyCall.FindAllStringSubmatchIndex(text, maxCalls) {
		name, open := found[2], found[1]-1
		end := matching(text, open)
		if end < 0 {
			continue
		}
		c := bodyUse{text: text, start: found[0], end: end + 1, names: names}
		switch promised, both := c.judge(); {
		case both:
			use.Unserved = append(use.Unserved, lines.place(name))
		case promised:
			use.Promised = append(use.Promised, lines.place(name))
		}
	}
	return use
}

// bodyUse is one call of a body method: text[start:end] is ".json()".
type bodyUse struct {
	text       string
	start, end int
	names      map[string]nameUse // what was found out of variables
}

func (c *bodyUse) judge() (promised, both bool) {
	after := near(c.text, c.end)
	if chain.MatchString(after) || isType.MatchString(after) {
		return true, false
	}
	if name, ok := c.variable(); ok {
		u := c.useOfName(name)
		return u.chained && !u.used, u.chained && u.used
	}
	return c.enclosed(), false
}

// enclosed reports whether the call's result reaches a chain or Promise.all
// through the parentheses, lists and callbacks around it.
func (c *bodyUse) enclosed() bool {
	end := c.end
	at := c.start
	for range maxBrackets {
		open := opener(c.text, at)
		if open < 0 || c.text[open] == '{' {
			return false
		}
		next := strings.TrimLeft(near(c.text, end), " \t\n")
		if next == "" || !strings.ContainsRune(")],", rune(next[0])) {
			return false
		}
		shut := matching(c.text, open)
		if shut < 0 {
			return false
		}
		before := strings.TrimRight(c.text[max(0, open-40):open], " \t\n")
		switch {
		case c.text[open] == '[':
		case combined.MatchString(before):
			return true
		case groups(before):
			if chain.MatchString(near(c.text, shut+1)) { // (response.json()).then
				return true
			}
		case !strings.HasSuffix(before, ".map"):
			return false // the argument of something else
		}
		at, end = open, shut+1
	}
	return false
}

// groups reports whether a parenthesis after text only groups and does not call.
func groups(text string) bool {
	if text == "" {
		return true
	}
	if word := nameBefore(text); word > 0 {
		return slices.Contains(beforeRegexp, text[len(text)-word:])
	}
	return !strings.HasSuffix(text, ")") && !strings.HasSuffix(text, "]")
}

var assigned = regexp.MustCompile(`(?:^|[^\w$.])([A-Za-z_$][\w$]*)\s*$`)

// variable is the name of the variable that the call's result is assigned to.
func (c *bodyUse) variable() (string, bool) {
	before := c.text[max(0, c.start-300):c.start]
	at := strings.LastIndexByte(before, '=')
	if at < 1 || at+1 < len(before) && before[at+1] == '>' || strings.ContainsRune("=!<>+-*/%&|^?", rune(before[at-1])) {
		return "", false
	}
	value := strings.TrimSpace(before[at+1:])
	if strings.ContainsAny(value, ";{}") || strings.HasPrefix(value, "await ") || strings.Count(value, "(") != strings.Count(value, ")") {
		return "", false
	}
	if next := strings.TrimLeft(near(c.text, c.end), " \t"); next != "" && !strings.ContainsRune(";,\n})", rune(next[0])) {
		return "", false // another value is assigned, computed from the result
	}
	found := assigned.FindStringSubmatch(before[:at])
	if found == nil {
		return "", false
	}
	return found[1], true
}

// nameUse is how a variable is used: as a promise, or as a value.
type nameUse struct{ chained, used bool }

func (c *bodyUse) useOfName(name string) nameUse {
	if u, known := c.names[name]; known {
		return u
	}
	var u nameUse
	if len(c.names) == maxNames {
		return u
	}
	for rest := c.text; ; {
		at := strings.Index(rest, name)
		if at < 0 {
			break
		}
		whole := at == 0 || !inName(rest[at-1]) && rest[at-1] != '.'
		rest = rest[at+len(name):]
		if !whole || rest != "" && inName(rest[0]) {
			continue
		}
		next := strings.TrimLeft(near(rest, 0), " \t\n")
		switch {
		case chain.MatchString(next):
			u.chained = true
		case strings.HasPrefix(next, "."), strings.HasPrefix(next, "?."), strings.HasPrefix(next, "["):
			u.used = true
		}
	}
	c.names[name] = u
	return u
}

func near(text string, from int) string { return text[from:min(len(text), from+nearby)] }

// matching returns the index of the bracket that closes the one at open, or -1.
func matching(text string, open int) int {
	depth := 0
	for i := open; i < len(text) && i < open+nearby; i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// opener returns the index of the bracket that is open at an offset, or -1.
func opener(text string, at int) int {
	depth := 0
	for i := at - 1; i >= 0 && i > at-nearby; i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return -1
}

// counter turns increasing offsets into places.
type counter struct {
	text   string
	at     int
	line   int // lines ended so far
	begins int // where the current one begins
}

func (c *counter) place(offset int) Place {
	for ; c.at < offset; c.at++ {
		if c.text[c.at] == '\n' {
			c.line++
			c.begins = c.at + 1
		}
	}
	return Place{c.line + 1, utf8.RuneCountInString(c.text[c.begins:offset]) + 1}
}
