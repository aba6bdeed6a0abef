// Package jsonwalk goes through JSON string by string without building it, and knows the
// member, the column and the pointer of each.
package jsonwalk

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
	LeafString leafKind = iota
	LeafKey
	LeafNumber
)

// Leaf is a string, member name or number in a JSON text. For the first two
// the quotes are part of it.
type Leaf struct {
	Kind       leafKind
	Start, End int
	Escaped    bool // a backslash occurs in it
}

// Frame is an object or array that is open, with the member being read.
type Frame struct {
	Object           bool
	KeyStart, KeyEnd int // inside the quotes
	Index            int

	// The value of a member called "name" or the like: it names the value of a
	// member called "value". In an array it is the element before, the name of a header.
	NameStart, NameEnd int
	nameIndex          int // of that element

	SecretKey bool // the name itself holds a secret: a pointer must not repeat it
}

// Walker reads one JSON text. Its fields tell a visitor where it is.
type Walker struct {
	Data []byte
	Pos  int
	Open []Frame

	// Columns are the names in an array of that name, for the rows beside it.
	Columns [][2]int
}

// Walk calls visit for every leaf of a JSON text in order. It reports false,
// possibly after some calls, when data is anything else.
func (w *Walker) Walk(data []byte, visit func(Leaf)) bool {
	w.Data, w.Pos, w.Open = data, 0, w.Open[:0]
	for {
		if !w.value(visit) {
			return false
		}
		// A value is complete; close what ends here and find the next.
		for {
			if len(w.Open) == 0 {
				w.space()
				return w.Pos == len(data)
			}
			top := &w.Open[len(w.Open)-1]
			w.space()
			c := w.peek()
			w.Pos++
			if c == ',' {
				top.Index++
				if top.Object && !w.key(visit) {
					return false
				}
				break
			}
			if (c != '}' || !top.Object) && (c != ']' || top.Object) {
				return false
			}
			w.Open = w.Open[:len(w.Open)-1]
		}
	}
}

// value reads up to the end of a scalar or of an empty container, going down
// through the opening brackets before it.
func (w *Walker) value(visit func(Leaf)) bool {
	for {
		w.space()
		switch c := w.peek(); {
		case c == '{':
			w.Pos++
			if len(w.Open) == deepest {
				return false
			}
			w.Open = append(w.Open, Frame{Object: true})
			w.space()
			if w.peek() == '}' {
				w.Open = w.Open[:len(w.Open)-1]
				w.Pos++
				return true
			}
			if !w.key(visit) {
				return false
			}
		case c == '[':
			w.Pos++
			if len(w.Open) == deepest {
				return false
			}
			w.space()
			if w.peek() == ']' {
				w.Pos++
				return true
			}
			w.Open = append(w.Open, Frame{})
		case c == '"':
			l, ok := w.text(LeafString)
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
func (w *Walker) key(visit func(Leaf)) bool {
	w.space()
	if w.peek() != '"' {
		return false
	}
	l, ok := w.text(LeafKey)
	if !ok {
		return false
	}
	top := &w.Open[len(w.Open)-1]
	top.KeyStart, top.KeyEnd, top.SecretKey = l.Start+1, l.End-1, false
	visit(l)
	w.space()
	if w.peek() != ':' {
		return false
	}
	w.Pos++
	return true
}

// text reads a string from its opening quote on.
func (w *Walker) text(kind leafKind) (Leaf, bool) {
	l := Leaf{Kind: kind, Start: w.Pos}
	for i := w.Pos + 1; i < len(w.Data); i++ {
		switch c := w.Data[i]; {
		case c == '"':
			l.End = i + 1
			w.Pos = l.End
			return l, true
		case c == '\\':
			l.Escaped = true
			i++
			if i < len(w.Data) && !strings.ContainsRune(`"\/bfnrtu`, rune(w.Data[i])) {
				return l, false
			}
		case c < ' ':
			return l, false
		}
	}
	return l, false
}

func (w *Walker) number(visit func(Leaf)) bool {
	l := Leaf{Kind: LeafNumber, Start: w.Pos}
	for w.Pos < len(w.Data) {
		c := w.Data[w.Pos]
		if (c < '0' || '9' < c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			break
		}
		w.Pos++
	}
	l.End = w.Pos
	visit(l)
	return true
}

func (w *Walker) literal(word string) bool {
	if len(w.Data)-w.Pos < len(word) || string(w.Data[w.Pos:w.Pos+len(word)]) != word {
		return false
	}
	w.Pos += len(word)
	return true
}

func (w *Walker) space() {
	for w.Pos < len(w.Data) {
		if c := w.Data[w.Pos]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return
		}
		w.Pos++
	}
}

func (w *Walker) peek() byte {
	if w.Pos < len(w.Data) {
		return w.Data[w.Pos]
	}
	return 0
}

// Member returns where the name is, without its quotes, of the member whose value
// or array of values is being read.
func (w *Walker) Member() (start, end int) {
	for i := len(w.Open) - 1; i >= 0; i-- {
		if w.Open[i].Object {
			return w.Open[i].KeyStart, w.Open[i].KeyEnd
		}
	}
	return 0, 0
}

// Pointer returns where the walker is, as a JSON pointer (RFC 6901) in which a
// name that holds a secret is a star.
func (w *Walker) Pointer() string {
	var b strings.Builder
	for _, f := range w.Open {
		b.WriteByte('/')
		if !f.Object {
			b.WriteString(strconv.Itoa(f.Index))
			continue
		}
		if f.SecretKey {
			b.WriteByte('*')
			continue
		}
		name := string(Unquote(nil, w.Data[f.KeyStart:f.KeyEnd]))
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}

// NoteName remembers the value of a member that names a value beside it.
func (w *Walker) NoteName(l Leaf) {
	if len(w.Open) == 0 {
		return
	}
	top := &w.Open[len(w.Open)-1]
	if !top.Object {
		w.NoteColumn(l, top.Index)
		if text := w.Data[l.Start+1 : l.End-1]; headerName(text) && (top.Index%2 == 0 || text[0] == '-') {
			top.NameStart, top.NameEnd, top.nameIndex = l.Start+1, l.End-1, top.Index
		}
		return
	}
	switch string(w.Data[top.KeyStart:top.KeyEnd]) {
	case "name", "key", "Name", "Key", "header", "variable", "env", "field", "setting", "parameter", "label", "Label", "ParameterKey", "OptionName", "attribute":
		top.NameStart, top.NameEnd = l.Start+1, l.End-1
	}
}

// headerName reports whether an element of an array reads like the name of a header or an
// option: in ["Accept", "*/*", "X-Api-Key", "..."] names and values take turns.
func headerName(text []byte) bool {
	const longest = 40
	if len(text) < len("cookie") || len(text) > longest {
		return false
	}
	hyphens := 0
	for _, c := range text {
		switch letter := c | 0x20; {
		case c == '-':
			hyphens++
		case letter < 'a' || 'z' < letter:
			return false
		}
	}
	return hyphens > 0 || strings.EqualFold(string(text), "authorization") || strings.EqualFold(string(text), "cookie")
}

// NoteColumn remembers an element of an array that names the columns of a table.
func (w *Walker) NoteColumn(l Leaf, index int) {
	n := len(w.Open)
	if n < 2 || !w.Open[n-2].Object {
		return
	}
	switch string(w.Data[w.Open[n-2].KeyStart:w.Open[n-2].KeyEnd]) {
	case "columns", "header", "headers", "fields", "cols", "columnNames", "column_names":
		if index == 0 {
			w.Columns = w.Columns[:0]
		}
		if index == len(w.Columns) {
			w.Columns = append(w.Columns, [2]int{l.Start + 1, l.End - 1})
		}
	}
}

// ValueName returns the name that says most about the current value: that of its
// member, or the one given beside it when the member is called "value".
func (w *Walker) ValueName() (start, end int) {
	if n := len(w.Open); n > 2 && !w.Open[n-1].Object && !w.Open[n-2].Object {
		if i := w.Open[n-1].Index; i < len(w.Columns) {
			return w.Columns[i][0], w.Columns[i][1]
		}
	}
	start, end = w.Member()
	if len(w.Open) > 0 {
		top := &w.Open[len(w.Open)-1]
		if !top.Object && top.NameEnd > 0 && top.Index == top.nameIndex+1 {
			return top.NameStart, top.NameEnd
		}
		if top.Object && top.NameEnd > 0 {
			switch string(w.Data[start:end]) {
			case "value", "Value", "val", "content", "data", "ParameterValue", "OptionValue", "stringValue", "string_value":
				return top.NameStart, top.NameEnd
			}
		}
	}
	return start, end
}
