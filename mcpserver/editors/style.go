package editors

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"
)

// style is the layout of a JSON text.
type style struct {
	newline string // empty: everything is on one line
	unit    string // one step of indentation
}

func (d document) style() style {
	inside := d.text[d.root.StartOffset:d.root.EndOffset]
	s := style{unit: "  "}
	switch {
	case bytes.Contains(inside, []byte("\r\n")):
		s.newline = "\r\n"
	case bytes.Contains(inside, []byte("\n")):
		s.newline = "\n"
	}
	if members := d.root.Value.(*hujson.Object).Members; len(members) > 0 && s.newline != "" {
		if indent := indentAt(d.text, members[0].Name.StartOffset); indent != "" {
			s.unit = indent
		}
	}
	return s
}

// indentAt returns the indentation of the line at an offset.
func indentAt(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t\r"))])
}

// value formats a value for a line with that indentation.
func (s style) value(text []byte, indent string) (hujson.ValueTrimmed, error) {
	var b bytes.Buffer
	var err error
	if s.newline == "" {
		err = json.Compact(&b, text)
	} else {
		err = json.Indent(&b, text, indent, s.unit)
	}
	if err != nil {
		return nil, err
	}
	v, err := hujson.Parse(bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(s.newline)))
	return v.Value, err
}

// insert adds a member after the others of an object and after their comments.
// Offsets of the object refer to text.
func (s style) insert(text []byte, object hujson.Value, key string, value []byte) error {
	o := object.Value.(*hujson.Object)
	outer := indentAt(text, object.StartOffset)
	indent := outer + s.unit
	comma := false // after the last member
	if n := len(o.Members); n > 0 {
		last := o.Members[n-1]
		indent = indentAt(text, last.Name.StartOffset)
		comma = last.Value.AfterExtra != nil
		if !bytes.Contains(text[object.StartOffset:object.EndOffset], []byte("\n")) {
			s.newline = ""
		}
	}
	var m hujson.ObjectMember
	var err error
	if m.Value.Value, err = s.value(value, indent); err != nil {
		return err
	}
	m.Name.Value = hujson.String(key)
	said := trimRight(o.AfterExtra)
	rest := o.AfterExtra[len(said):]
	m.Name.BeforeExtra = said
	if s.newline != "" {
		m.Name.BeforeExtra = slices.Concat(said, hujson.Extra(s.newline+indent))
		m.Value.BeforeExtra = hujson.Extra(" ")
		if !bytes.Contains(rest, []byte("\n")) {
			rest = hujson.Extra(s.newline + outer)
		}
	}
	if comma {
		m.Value.AfterExtra = hujson.Extra{}
	}
	o.Members, o.AfterExtra = append(o.Members, m), rest
	return nil
}
