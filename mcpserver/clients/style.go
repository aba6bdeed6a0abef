package clients

import (
	"bytes"
	"encoding/json"
)

// style is how a JSON text is laid out.
type style struct {
	newline string // empty: all of it is on one line
	unit    string // one step of indentation
}

func styleOf(text []byte, root object) style {
	inside := text[root.open : root.shut+1]
	s := style{unit: "  "}
	switch {
	case bytes.Contains(inside, []byte("\r\n")):
		s.newline = "\r\n"
	case bytes.Contains(inside, []byte("\n")):
		s.newline = "\n"
	}
	if len(root.members) > 0 && s.newline != "" {
		if indent := indentAt(text, root.members[0].start); indent != "" {
			s.unit = indent
		}
	}
	return s
}

// indentAt returns the white space that the line of a place begins with.
func indentAt(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:nextByte(line, 0, len(line))])
}

// print lays a value out as it stands in a line with that indentation.
func (s style) print(value []byte, indent string) ([]byte, error) {
	var b bytes.Buffer
	if s.newline == "" {
		err := json.Compact(&b, value)
		return b.Bytes(), err
	}
	err := json.Indent(&b, value, indent, s.unit)
	return bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(s.newline)), err
}

// insert puts a member behind the others of an object, and behind what is said
// about them.
func (s style) insert(text []byte, o object, key string, value []byte) ([]byte, error) {
	outer := indentAt(text, o.open)
	indent := outer + s.unit
	wide := s.newline != "" && (len(o.members) == 0 || bytes.Contains(text[o.open:o.shut], []byte("\n")))
	if len(o.members) > 0 {
		indent = indentAt(text, o.members[len(o.members)-1].start)
	}
	if !wide {
		s.newline = ""
	}
	printed, err := s.print(value, indent)
	if err != nil {
		return nil, err
	}
	between := ":"
	if s.newline != "" {
		between = ": "
	}
	entered := append(append(quote(key), between...), printed...)

	// What follows the last member: perhaps a comma, and comments.
	last := o.open + 1
	var comma, trailing string
	if len(o.members) > 0 {
		last = o.members[len(o.members)-1].end
		if at := commaAfter(text, last, o.shut); at >= 0 {
			trailing = ","
		} else {
			comma = ","
		}
	}
	tail := bytes.TrimRight(text[last:o.shut], " \t\r\n")
	rest := text[last+len(tail):]
	if s.newline != "" {
		entered = append([]byte(s.newline+indent), entered...)
		if !bytes.Contains(text[last+len(tail):o.shut], []byte("\n")) {
			trailing += s.newline + outer
			rest = text[o.shut:]
		}
	}
	return bytes.Join([][]byte{text[:last], []byte(comma), tail, entered, []byte(trailing), rest}, nil), nil
}

// commaAfter returns where a comma is between two places, comments aside; -1 if
// there is none.
func commaAfter(text []byte, from, to int) int {
	// A value before it keeps the comma from being taken for one without a value;
	// nothing closes behind it.
	bare := blank(append([]byte("0"), text[from:to]...))
	if at := bytes.IndexByte(bare, ','); at >= 0 {
		return from + at - 1
	}
	return -1
}
