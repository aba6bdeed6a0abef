// Package form makes an HTML form of a JSON Schema, and arguments of what was filled in.
//
//	Form       Of makes it; its fields are in the order of the schema
//	Arguments  what was filled in, as a JSON object
//	Problem    what cannot be sent, and of which field
//
// Texts, numbers, booleans, enums and nested objects have fields of their own; a list of
// texts or numbers is a text with a line for each. Whatever else a schema says (oneOf,
// references, lists of objects, deep nesting) is one field of JSON, and so are all
// arguments together, if that field is filled in. What a value must be is not checked
// here: the call checks its arguments.
//
// A schema is foreign: what is read of it is bounded, and nothing of it is HTML.
package form

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/risk/unseen"
)

// Kind is how a value is filled in.
type Kind string

// The kinds.
const (
	Text   Kind = "text"
	Number Kind = "number"
	Choice Kind = "choice" // one of Options, by its number
	Lines  Kind = "lines"  // a list, with a line for each
	Group  Kind = "group"  // an object with Fields
	JSON   Kind = "json"
)

// Field is one value of the form.
type Field struct {
	Name     string // in the form: the JSON pointer
	Label    string
	Says     string // the description
	Kind     Kind
	Required bool
	Options  []Option
	Fields   []Field
	Value    string
	// Left says that there is a default that is not filled in, because it is long or has
	// characters that nobody sees.
	Left    bool
	Hint    string // what kind of value
	number  bool   // the lines are numbers
	boolean bool   // the lines are booleans
}

// Option is one choice. Its raw value is JSON.
type Option struct {
	Label string
	On    bool
	raw   string
}

// Form is a form for the arguments of a tool.
type Form struct {
	Fields []Field
	Raw    string // all arguments as JSON, if they were filled in so
	// Cut says that the schema has more than fits; what is left out can be sent as JSON.
	Cut bool
}

// Problem is a field that cannot be sent.
type Problem struct{ Field, Why string }

const (
	// maxFields bounds the fields of a form, and maxDepth how deep objects nest.
	maxFields, maxDepth = 80, 4
	// maxName bounds the name of a field, and maxBegun what it begins with, in bytes.
	maxName, maxBegun = 200, 4 << 10
	// maxOptions bounds the choices of one field.
	maxOptions = 200
	// RawName is the field for all arguments as JSON.
	RawName = "raw"
	prefix  = "a" // of fields, before the pointer
)

// Of makes the form of a schema. values are what was filled in before; nil for a new form,
// which begins with the values of the author, by pointer, or the schema's defaults.
func Of(schema json.RawMessage, values url.Values, author map[string]string) *Form {
	f := &Form{}
	m := maker{form: f, values: values, author: author, left: 4 * maxBegun}
	root := gjson.ParseBytes(schema)
	if !gjson.ValidBytes(schema) {
		root = gjson.Result{}
	}
	f.Fields = m.members(root, "", 0)
	f.Raw = values.Get(RawName)
	return f
}

type maker struct {
	form   *Form
	values url.Values
	author map[string]string
	made   int
	left   int // bytes of defaults that still fit
}

var step = strings.NewReplacer("~", "~0", "/", "~1")

func (m *maker) members(object gjson.Result, pointer string, depth int) (all []Field) {
	required := map[string]bool{}
	for _, name := range object.Get("required").Array() {
		required[name.String()] = true
	}
	object.Get("properties").ForEach(func(name, schema gjson.Result) bool {
		if m.made >= maxFields || len(name.Raw) > maxName {
			m.form.Cut = true
			return m.made < maxFields
		}
		m.made++
		all = append(all, m.field(name.String(), schema, pointer+"/"+step.Replace(name.String()), required[name.String()], depth))
		return true
	})
	return all
}

func (m *maker) field(label string, schema gjson.Result, pointer string, required bool, depth int) Field {
	f := Field{Name: prefix + pointer, Label: label, Says: schema.Get("description").String(), Required: required, Kind: JSON, Hint: "JSON"}
	kind, plain := typeOf(schema)
	switch enum := schema.Get("enum"); {
	case !plain:
		f.Hint = "JSON, as the definition says"
	case enum.IsArray() && len(enum.Array()) <= maxOptions:
		f.Kind, f.Hint = Choice, ""
		for _, v := range enum.Array() {
			f.Options = append(f.Options, Option{Label: v.String(), raw: v.Raw})
		}
	case schema.Get("const").Exists():
		f.Kind, f.Hint = Choice, ""
		f.Options = []Option{{Label: schema.Get("const").String(), raw: schema.Get("const").Raw}}
	case kind == "boolean":
		f.Kind, f.Hint = Choice, ""
		f.Options = []Option{{Label: "true", raw: "true"}, {Label: "false", raw: "false"}}
	case kind == "string":
		f.Kind, f.Hint = Text, schema.Get("format").String()
	case kind == "number" || kind == "integer":
		f.Kind, f.Hint = Number, kind
	case kind == "object" && depth+1 < maxDepth && schema.Get("properties").IsObject() && len(schema.Get("properties").Map()) > 0:
		f.Kind, f.Hint = Group, ""
		f.Fields = m.members(schema, pointer, depth+1)
		return f
	case kind == "array":
		of, simple := typeOf(schema.Get("items"))
		if simple && (of == "string" || of == "number" || of == "integer" || of == "boolean") {
			f.Kind, f.number, f.boolean = Lines, of == "number" || of == "integer", of == "boolean"
			f.Hint = "a list, one " + of + " on each line"
		} else {
			f.Hint = "JSON, a list"
		}
	case kind == "object":
		f.Hint = "JSON, an object"
	}
	f.fill(m, schema.Get("default"), pointer)
	return f
}

// typeOf returns the type of a schema. plain is false if the schema says more than a field
// can: the value is then written as JSON.
func typeOf(schema gjson.Result) (kind string, plain bool) {
	if !schema.IsObject() {
		return "", false
	}
	for _, more := range []string{"oneOf", "anyOf", "allOf", "$ref", "if", "not"} {
		if schema.Get(strings.ReplaceAll(more, "$", `\$`)).Exists() {
			return "", false
		}
	}
	of := schema.Get("type")
	if of.IsArray() { // a type or null
		kinds := slices.DeleteFunc(of.Array(), func(k gjson.Result) bool { return k.String() == "null" })
		if len(kinds) != 1 {
			return "", false
		}
		return kinds[0].String(), true
	}
	if of.String() == "" {
		return "", schema.Get("enum").Exists() || schema.Get("const").Exists()
	}
	return of.String(), true
}

// fill gives a field its value.
func (f *Field) fill(m *maker, standard gjson.Result, pointer string) {
	given, author := m.values.Get(f.Name), ""
	if m.values == nil {
		author = m.author[pointer]
		if standard.Exists() {
			given = standard.Raw
			if f.Kind == Text {
				given = standard.String()
			}
		}
	}
	if author != "" {
		given = author
	}
	if f.Kind == Lines && m.values == nil && gjson.Valid(given) && gjson.Parse(given).IsArray() {
		var lines []string
		for _, v := range gjson.Parse(given).Array() {
			lines = append(lines, v.String())
		}
		given = strings.Join(lines, "\n")
	}
	// What a person cannot see, or would not read, is not sent in their name.
	if m.values == nil && (len(given) > min(maxBegun, m.left) || strings.ContainsFunc(given, func(r rune) bool { return r != '\n' && r != '\t' && !unseen.Visible(r) })) {
		given, f.Left = "", true
	}
	m.left -= len(given)
	f.Value = given
	for i := range f.Options {
		o := &f.Options[i]
		o.On = m.values != nil && given == strconv.Itoa(i) || m.values == nil && given != "" && (given == o.raw || given == o.Label)
	}
}

// Arguments returns what was filled in as a JSON object, with the members in the order of
// the schema. An optional field that is empty is left out.
func (f *Form) Arguments(values url.Values) (json.RawMessage, []Problem) {
	if raw := strings.TrimSpace(values.Get(RawName)); raw != "" {
		if !gjson.Valid(raw) || !gjson.Parse(raw).IsObject() {
			return nil, []Problem{{"The arguments as JSON", "want a JSON object, such as {\"name\": \"value\"}"}}
		}
		return json.RawMessage(raw), nil
	}
	var problems []Problem
	text, _ := object(f.Fields, values, &problems)
	if len(problems) > 0 {
		return nil, problems
	}
	return text, nil
}

// object returns fields as an object; empty says that none was filled in.
func object(fields []Field, values url.Values, problems *[]Problem) (text json.RawMessage, empty bool) {
	var b bytes.Buffer
	b.WriteByte('{')
	empty = true
	for i := range fields {
		value, ok := fields[i].value(values, problems)
		if !ok {
			continue
		}
		if !empty {
			b.WriteByte(',')
		}
		empty = false
		b.Write(quoted(fields[i].Label))
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), empty
}

func (f *Field) value(values url.Values, problems *[]Problem) (text json.RawMessage, ok bool) {
	wrong := func(why string) (json.RawMessage, bool) {
		*problems = append(*problems, Problem{f.Label, why})
		return nil, false
	}
	// Browsers send line breaks as CR LF.
	given := strings.ReplaceAll(values.Get(f.Name), "\r\n", "\n")
	if f.Kind == Group {
		inner, empty := object(f.Fields, values, problems)
		return inner, f.Required || !empty
	}
	if given == "" && (f.Kind != Text || !f.Required) {
		if f.Required && f.Kind != Lines {
			return wrong("a value is needed")
		}
		return json.RawMessage("[]"), f.Required
	}
	switch f.Kind {
	case Text:
		return quoted(given), true
	case Number:
		return number(given, wrong)
	case Choice:
		i, err := strconv.Atoi(given)
		if err != nil || i < 0 || i >= len(f.Options) {
			return wrong("want one of the choices")
		}
		return json.RawMessage(f.Options[i].raw), true
	case Lines:
		return f.lines(given, wrong)
	}
	if !gjson.Valid(given) {
		return wrong("want JSON; a text stands in quotes")
	}
	return json.RawMessage(given), true
}

func (f *Field) lines(given string, wrong func(string) (json.RawMessage, bool)) (json.RawMessage, bool) {
	var all [][]byte
	for _, line := range strings.Split(strings.TrimSuffix(given, "\n"), "\n") {
		switch {
		case f.number:
			n, ok := number(line, wrong)
			if !ok {
				return nil, false
			}
			all = append(all, n)
		case f.boolean:
			if line = strings.TrimSpace(line); line != "true" && line != "false" {
				return wrong("want true or false on each line")
			}
			all = append(all, []byte(line))
		default:
			all = append(all, quoted(line))
		}
	}
	return slices.Concat([]byte("["), bytes.Join(all, []byte(",")), []byte("]")), true
}

// quoted writes a text as JSON, with nothing escaped that need not be: what is approved,
// recorded and sent are these bytes.
func quoted(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string cannot fail
	return bytes.TrimSpace(b.Bytes())
}

// number takes a number as it was written, with all its digits.
func number(given string, wrong func(string) (json.RawMessage, bool)) (json.RawMessage, bool) {
	given = strings.TrimSpace(given)
	if v := gjson.Parse(given); !gjson.Valid(given) || v.Type != gjson.Number {
		return wrong("want a number, such as 12 or 0.5")
	}
	return json.RawMessage(given), true
}
