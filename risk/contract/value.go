package contract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// kind is the JSON type of a value. The zero kind is null, so that an absent
// member and a null one read the same.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindText
	kindArray
	kindObject
)

// maxDigits is the longest integer the published evaluator's runtime converts;
// a longer one is an error there, so it is no request here.
const maxDigits = 4300

// value is one JSON value with its members in the order they were written: the
// text of an object that arrives where text is expected depends on that order.
type value struct {
	kind   kind
	truth  bool     // of a boolean
	text   string   // of a text; of a number, as it was written
	items  []value  // of an array, or the values of an object
	labels []string // the names of an object's members
}

// parseValue reads exactly one JSON value. It refuses what a strict reader
// refuses: two members of one name, text that is not Unicode, NaN, bytes that
// follow, and nesting deeper than 10,000 (the decoder's own limit).
func parseValue(data []byte) (value, error) {
	return new(parser).parse(data)
}

// parser is parseValue with a decoder that is used again.
type parser struct{ dec jsontext.Decoder }

func (p *parser) parse(data []byte) (value, error) {
	dec := &p.dec
	dec.Reset(bytes.NewBuffer(data))
	v, err := readValue(dec)
	if err != nil {
		return value{}, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return value{}, fmt.Errorf("something follows the JSON value at byte %d", dec.InputOffset())
	}
	return v, nil
}

func readValue(dec *jsontext.Decoder) (value, error) {
	tok, err := dec.ReadToken()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return value{}, err
	}
	switch tok.Kind() {
	case 't', 'f':
		return value{kind: kindBool, truth: tok.Bool()}, nil
	case '0':
		v := value{kind: kindNumber, text: tok.String()}
		if v.integer() && len(v.text) > maxDigits {
			return value{}, fmt.Errorf("an integer of %d digits at byte %d; at most %d are read", len(v.text), dec.InputOffset(), maxDigits)
		}
		return v, nil
	case '"':
		return textValue(tok.String()), nil
	case '[':
		return readItems(dec, value{kind: kindArray})
	case '{':
		return readItems(dec, value{kind: kindObject})
	}
	return value{}, nil
}

// readItems reads up to the end of the array or object whose start was read.
func readItems(dec *jsontext.Decoder, v value) (value, error) {
	if v.kind == kindObject && dec.PeekKind() != '}' {
		// Saves growing twice. More room would let a line of many small objects
		// take a hundred times its own size.
		const room = 4
		v.items, v.labels = make([]value, 0, room), make([]string, 0, room)
	}
	for {
		switch dec.PeekKind() {
		case ']', '}':
			_, err := dec.ReadToken()
			return v, err
		}
		if v.kind == kindObject {
			name, err := dec.ReadToken()
			if err != nil {
				return value{}, err
			}
			v.labels = append(v.labels, name.String())
		}
		item, err := readValue(dec)
		if err != nil {
			return value{}, err
		}
		v.items = append(v.items, item)
	}
}

func textValue(s string) value { return value{kind: kindText, text: s} }

func boolValue(b bool) value { return value{kind: kindBool, truth: b} }

// integer reports whether a number was written without fraction and exponent.
func (v value) integer() bool { return !strings.ContainsAny(v.text, ".eE") }

// lookup returns an object's member.
func (v value) lookup(name string) (value, bool) {
	if v.kind != kindObject {
		return value{}, false
	}
	if i := slices.Index(v.labels, name); i >= 0 {
		return v.items[i], true
	}
	return value{}, false
}

// get returns an object's member, or null.
func (v value) get(name string) value {
	member, _ := v.lookup(name)
	return member
}

// clone returns a copy of an object whose members can be set. What is no object
// counts as an empty one.
func (v value) clone() value {
	if v.kind != kindObject {
		return value{kind: kindObject}
	}
	return value{kind: kindObject, labels: slices.Clone(v.labels), items: slices.Clone(v.items)}
}

// set gives an object's member a value.
func (v *value) set(name string, member value) {
	if i := slices.Index(v.labels, name); i >= 0 {
		v.items[i] = member
		return
	}
	v.labels = append(v.labels, name)
	v.items = append(v.items, member)
}
