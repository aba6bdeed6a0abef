package poison

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A place says what part a string plays in a tool definition. Prose is expected
// in a description and suspicious in an enum value.
type place uint8

const (
	placeName        place = iota // name of a tool, prompt or resource
	placeTitle                    // title, annotations.title
	placeDescription              // description, instructions, $comment, prompt text
	placeProperty                 // the name of a member, so also of a parameter
	placeValue                    // enum, const, default, examples: data, not prose
	placeOther                    // anything else
)

var placeNames = [...]string{"name", "title", "description", "property", "value", "other"}

func (p place) String() string { return placeNames[p] }

// text is one string of a document, decoded; number counts the strings before it.
type text struct {
	value  string
	place  place
	number int
	field  bool // in the schema of a parameter or another field
}

// Real definitions nest about ten deep; the decoder itself refuses 10,000.
const maxDepth = 512

var errDepth = errors.New("more than 512 levels of nesting")

// visit calls f with every member name and every string of a JSON document, in
// document order. It reads each byte once, whatever the nesting. The StackPointer of
// at is the JSON pointer of that string, of the member if the string is its name.
func visit(raw []byte, f func(t text, at *jsontext.Decoder)) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), // read where it lies

		jsontext.AllowDuplicateNames(true), // a second "description" is read, not refused
		jsontext.AllowInvalidUTF8(true))
	whole := string(raw) // strings are cut from it
	room := [16]level{}  // real definitions need no more
	stack := room[:0]
	number := 0
	for {
		before := int(dec.InputOffset())
		tok, err := dec.ReadToken()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("not JSON: %w", err)
		}
		depth := len(stack)
		switch kind := tok.Kind(); kind {
		case '{', '[':
			if depth >= maxDepth {
				return errDepth
			}
			stack = append(stack, inside(stack, kind == '{'))
			continue // the frame below counts its member when this one ends
		case '}', ']':
			stack = stack[:depth-1]
		case '"':
			t := text{literal(whole[before:dec.InputOffset()], tok), placeInside(stack), number, depth > 0 && stack[depth-1].field}
			number++
			if depth > 0 && stack[depth-1].object && !stack[depth-1].inMember {
				t.place = placeProperty
				f(t, dec)
				stack[depth-1].member(t.value)
				continue
			}
			f(t, dec)
		}
		if n := len(stack); n > 0 {
			stack[n-1].inMember = false
		}
	}
}

// literal is the value of a string token: a part of what was read, which is between a
// delimiter, blanks and the token, unless the token has escapes or is not UTF-8.
func literal(read string, tok jsontext.Token) string {
	value := read[strings.IndexByte(read, '"')+1 : len(read)-1]
	if strings.IndexByte(value, '\\') >= 0 || !utf8.ValidString(value) {
		return tok.String()
	}
	return value
}

// level is one open object or array.
type level struct {
	object   bool
	inMember bool  // the name was read, its value was not
	here     place // what a string that is the value of the current member is
	place    place // what the whole object or array is a value of
	fields   bool  // its members are schemas of fields
	field    bool  // it is in the schema of a field
	named    bool  // the current member is "properties"
}

// inside is the object or array that opens within the innermost of stack.
func inside(stack []level, object bool) level {
	in := level{object: object, place: placeInside(stack)}
	if len(stack) > 0 {
		top := stack[len(stack)-1]
		in.fields, in.field = top.object && top.named, top.fields || top.field
	}
	return in
}

func (fr *level) member(name string) {
	fr.inMember = true
	fr.named = name == "properties"
	fr.here = placeOther
	if p, ok := memberPlaces[name]; ok {
		fr.here = p
	}
}

var memberPlaces = map[string]place{
	"name": placeName, "title": placeTitle,
	"description": placeDescription, "instructions": placeDescription, "$comment": placeDescription, "text": placeDescription,
	"enum": placeValue, "const": placeValue, "default": placeValue, "examples": placeValue, "example": placeValue, "pattern": placeValue,
}

// placeInside is the place of a value that comes next: what its member says, or
// inside an array or a data value what the whole of it is.
func placeInside(stack []level) place {
	if len(stack) == 0 {
		return placeOther
	}
	top := stack[len(stack)-1]
	if !top.object || top.place == placeValue {
		return top.place
	}
	return top.here
}
