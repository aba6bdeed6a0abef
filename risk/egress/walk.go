package egress

import (
	"strconv"
	"strings"
)

// deepest is the nesting of JSON that is walked as JSON. encoding/json stops at
// 10,000; no schema and no reader gets near either, and a text that is deeper is
// still read as plain text.
const deepest = 1000

type leafKind uint8

const (
	leafString leafKind = iota
	leafKey
	leafNumber
)

// leaf is a string, member name or number in a JSON text. For the first two
// the quotes are part of it.
type leaf struct {
	kind       leafKind
	start, end int
	escaped    bool // a backslash occurs in it
}

// frame is an object or array that is open, with the member being read.
type frame struct {
	object           bool
	keyStart, keyEnd int // inside the quotes
	index            int

	// The value of a member called "name" or the like: it names the value of a
	// member called "value".
	nameStart, nameEnd int

	secretKey bool // the name itself holds a secret: a pointer must not repeat it
}

// walker reads one JSON text. Its fields tell a visitor where it is.
type walker struct {
	data []byte
	pos  int
	open []frame

	// columns are the names in an array of that name, for the rows beside it.
	columns [][2]int
}

// walk calls visit for every leaf of a JSON text in order. It reports false,
// possibly after some calls, when data is anything else.
func (w *walker) walk(data []byte, visit func(leaf)) bool {
	w.data, w.pos, w.open = data, 0, w.open[:0]
	for {
		if !w.value(visit) {
			return false
		}
		// A value is complete; close what ends here and find the next.
		for {
			if len(w.open) == 0 {
				w.space()
				return w.pos == len(data)
			}
			top := &w.open[len(w.open)-1]
			w.space()
			c := w.peek()
			w.pos++
			if c == ',' {
				top.index++
				if top.object && !w.key(visit) {
					return false
				}
				break
			}
			if (c != '}' || !top.object) && (c != ']' || top.object) {
				return false
			}
			w.open = w.open[:len(w.open)-1]
		}
	}
}

// value reads up to the end of a scalar or of an empty container, going down
// through the opening brackets before it.
func (w *walker) value(visit func(leaf)) bool {
	for {
		w.space()
		switch c := w.peek(); {
		case c == '{':
			w.pos++
			if len(w.open) == deepest {
				return false
			}
			w.open = append(w.open, frame{object: true})
			w.space()
			if w.peek() == '}' {
				w.open = w.open[:len(w.open)-1]
				w.pos++
				return true
			}
			if !w.key(visit) {
				return false
			}
		case c == '[':
			w.pos++
			if len(w.open) == deepest {
				return false
			}
			w.space()
			if w.peek() == ']' {
				w.pos++
				return true
			}
			w.open = append(w.open, frame{})
		case c == '"':
			l, ok := w.text(leafString)
			if ok {
				visit(l)
			}
			return ok
		case c == '-' || '0' <= c && c <= '9':
			return w.number(visit)
		default:
			return w.literal("true") || w.literal("false") || w.literal("null")
		}
	}
}

// key reads a member name and the colon.
func (w *walker) key(visit func(leaf)) bool {
	w.space()
	if w.peek() != '"' {
		return false
	}
	l, ok := w.text(leafKey)
	if !ok {
		return false
	}
	top := &w.open[len(w.open)-1]
	top.keyStart, top.keyEnd, top.secretKey = l.start+1, l.end-1, false
	visit(l)
	w.space()
	if w.peek() != ':' {
		return false
	}
	w.pos++
	return true
}

// text reads a string from its opening quote on.
func (w *walker) text(kind leafKind) (leaf, bool) {
	l := leaf{kind: kind, start: w.pos}
	for i := w.pos + 1; i < len(w.data); i++ {
		switch c := w.data[i]; {
		case c == '"':
			l.end = i + 1
			w.pos = l.end
			return l, true
		case c == '\\':
			l.escaped = true
			i++
			if i < len(w.data) && !strings.ContainsRune(`"\/bfnrtu`, rune(w.data[i])) {
				return l, false
			}
		case c < ' ':
			return l, false
		}
	}
	return l, false
}

func (w *walker) number(visit func(leaf)) bool {
	l := leaf{kind: leafNumber, start: w.pos}
	for w.pos < len(w.data) {
		c := w.data[w.pos]
		if (c < '0' || '9' < c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			break
		}
		w.pos++
	}
	l.end = w.pos
	visit(l)
	return true
}

func (w *walker) literal(word string) bool {
	if len(w.data)-w.pos < len(word) || string(w.data[w.pos:w.pos+len(word)]) != word {
		return false
	}
	w.pos += len(word)
	return true
}

func (w *walker) space() {
	for w.pos < len(w.data) {
		if c := w.data[w.pos]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return
		}
		w.pos++
	}
}

func (w *walker) peek() byte {
	if w.pos < len(w.data) {
		return w.data[w.pos]
	}
	return 0
}

// member returns where the name is, without its quotes, of the member whose value
// or array of values is being read.
func (w *walker) member() (start, end int) {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].object {
			return w.open[i].keyStart, w.open[i].keyEnd
		}
	}
	return 0, 0
}

// pointer returns where the walker is, as a JSON pointer (RFC 6901) in which a
// name that holds a secret is a star.
func (w *walker) pointer() string {
	var b strings.Builder
	for _, f := range w.open {
		b.WriteByte('/')
		if !f.object {
			b.WriteString(strconv.Itoa(f.index))
			continue
		}
		if f.secretKey {
			b.WriteByte('*')
			continue
		}
		name := string(unquote(nil, w.data[f.keyStart:f.keyEnd]))
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}
