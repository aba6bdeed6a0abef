package pyjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the JSON type of a value. The zero kind is null, so that an absent
// member and a null one read the same.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	Text
	Array
	Object
)

// maxDigits is the longest integer that Python converts; a longer one is an error
// there and here, unless its member is skipped.
const maxDigits = 4300

// Value is one JSON value with its members in the order they were written: the
// text of an object that arrives where text is expected depends on that order.
type Value struct {
	Kind  Kind
	Truth bool     // of a boolean
	Text  string   // of a text; of a number, as it was written
	Items []Value  // of an array, or the values of an object
	Names []string // of an object's members
}

// Parse reads exactly one JSON value. It refuses what a strict reader refuses:
// two members of one name, text that is not Unicode, NaN, bytes that follow, and
// nesting deeper than 10,000 (the decoder's own limit).
func Parse(data []byte) (Value, error) {
	return new(Parser).Parse(data)
}

// Parser parses one document after the other with the same decoder.
type Parser struct{ dec jsontext.Decoder }

// Parse is the function of that name.
func (p *Parser) Parse(data []byte) (Value, error) {
	p.dec.Reset(bytes.NewBuffer(data))
	v, err := readValue(&p.dec)
	if err != nil {
		return Value{}, err
	}
	return v, p.end()
}

func (p *Parser) end() error {
	if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("something follows the JSON value at byte %d", p.dec.InputOffset())
	}
	return nil
}

// ParseMembers parses an object and keeps the named members. The others are
// checked as strictly and cost no memory.
func (p *Parser) ParseMembers(data []byte, names ...string) (Value, error) {
	p.dec.Reset(bytes.NewBuffer(data))
	if tok, err := p.dec.ReadToken(); err != nil {
		return Value{}, err
	} else if tok.Kind() != '{' {
		return Value{}, errors.New("want a JSON object")
	}
	v := Value{Kind: Object}
	for p.dec.PeekKind() != '}' {
		name, err := p.dec.ReadToken()
		if err != nil {
			return Value{}, err
		}
		i := slices.Index(names, name.String())
		if i < 0 {
			if err := p.dec.SkipValue(); err != nil {
				return Value{}, err
			}
			continue
		}
		item, err := readValue(&p.dec)
		if err != nil {
			return Value{}, err
		}
		v.Names, v.Items = append(v.Names, names[i]), append(v.Items, item)
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return Value{}, err
	}
	return v, p.end()
}

// Leading finds a member of an object that is no JSON as a whole, when it stands
// before the place where the text breaks. Use it to say which text was refused.
func (p *Parser) Leading(data []byte, member string) Value {
	p.dec.Reset(bytes.NewBuffer(data))
	if tok, err := p.dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return Value{}
	}
	for p.dec.PeekKind() == '"' {
		name, err := p.dec.ReadToken()
		if err != nil {
			return Value{}
		}
		if name.String() == member {
			v, _ := readValue(&p.dec)
			return v
		}
		if p.dec.SkipValue() != nil {
			return Value{}
		}
	}
	return Value{}
}

func readValue(dec *jsontext.Decoder) (Value, error) {
	tok, err := dec.ReadToken()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return Value{}, err
	}
	switch tok.Kind() {
	case 't', 'f':
		return Value{Kind: Bool, Truth: tok.Bool()}, nil
	case '0':
		v := Value{Kind: Number, Text: tok.String()}
		if v.Integer() && len(v.Text) > maxDigits {
			return Value{}, fmt.Errorf("an integer of %d digits at byte %d; at most %d are read", len(v.Text), dec.InputOffset(), maxDigits)
		}
		return v, nil
	case '"':
		return OfText(tok.String()), nil
	case '[':
		return readItems(dec, Value{Kind: Array})
	case '{':
		return readItems(dec, Value{Kind: Object})
	}
	return Value{}, nil
}

// readItems reads up to the end of the array or object whose start was read.
func readItems(dec *jsontext.Decoder, v Value) (Value, error) {
	if v.Kind == Object && dec.PeekKind() != '}' {
		// Saves growing twice. More room would let a line of many small objects
		// take a hundred times its own size.
		const room = 4
		v.Items, v.Names = make([]Value, 0, room), make([]string, 0, room)
	}
	for {
		switch dec.PeekKind() {
		case ']', '}':
			_, err := dec.ReadToken()
			return v, err
		}
		if v.Kind == Object {
			name, err := dec.ReadToken()
			if err != nil {
				return Value{}, err
			}
			v.Names = append(v.Names, name.String())
		}
		item, err := readValue(dec)
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, item)
	}
}

// OfText returns a text.
func OfText(s string) Value { return Value{Kind: Text, Text: s} }

// OfBool returns a boolean.
func OfBool(b bool) Value { return Value{Kind: Bool, Truth: b} }

// Integer reports whether a number was written without fraction and exponent.
func (v Value) Integer() bool { return !strings.ContainsAny(v.Text, ".eE") }

// Lookup returns an object's member.
func (v Value) Lookup(name string) (Value, bool) {
	if v.Kind != Object {
		return Value{}, false
	}
	if i := slices.Index(v.Names, name); i >= 0 {
		return v.Items[i], true
	}
	return Value{}, false
}

// Get returns an object's member, or null.
func (v Value) Get(name string) Value {
	member, _ := v.Lookup(name)
	return member
}

// Clone returns a copy of an object whose members can be set. What is no object
// counts as an empty one.
func (v Value) Clone() Value {
	if v.Kind != Object {
		return Value{Kind: Object}
	}
	return Value{Kind: Object, Names: slices.Clone(v.Names), Items: slices.Clone(v.Items)}
}

// Set gives an object's member a value.
func (v *Value) Set(name string, member Value) {
	if i := slices.Index(v.Names, name); i >= 0 {
		v.Items[i] = member
		return
	}
	v.Names = append(v.Names, name)
	v.Items = append(v.Items, member)
}
