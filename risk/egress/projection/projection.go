// Package projection keeps a tool's results within what its output schema
// declares: members that the schema does not name are dropped before a model sees
// them. The schema is the allow-list, so a field that an API starts to send
// tomorrow stays out until the schema declares it.
//
// Read [Parse], [Schema.Project] and [Schema.Fit] first. The caller decides which
// schema belongs to which tool.
package projection

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tidwall/gjson"
)

// Mode says what happens to a member that the schema does not declare.
type Mode uint8

const (
	Strip  Mode = iota // it is dropped
	Strict             // the result is refused: to notice in development
)

// deepest bounds the recursion; a reference may point at what contains it.
const deepest = 64

// Schema is an output schema, parsed once.
type Schema struct {
	root     *jsonschema.Schema
	resolved *jsonschema.Resolved
}

// Parse reads a JSON Schema. References must point to the root or a definition of
// the same document, and a cycle must pass through a member or item: otherwise
// validation would not end.
func Parse(text []byte) (*Schema, error) {
	var root jsonschema.Schema
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("output schema: %w", err)
	}
	if err := checkReferences(&root); err != nil {
		return nil, fmt.Errorf("output schema: %w", err)
	}
	resolved, err := root.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("output schema: %w", err)
	}
	return &Schema{&root, resolved}, nil
}

// ErrMismatch is the only error for a result that does not match its schema: any
// detail would disclose part of the result.
var ErrMismatch = errors.New("the result does not match the tool's output schema")

// UndeclaredError names the undeclared members that [Strict] found.
type UndeclaredError struct{ Pointers []string }

func (e *UndeclaredError) Error() string {
	return "the result has members that the output schema does not declare: " + strings.Join(e.Pointers, ", ")
}

// Project returns the JSON text reduced to what the schema declares. If the rest is
// not valid, the error is ErrMismatch. Members keep their order and bytes.
func (s *Schema) Project(raw []byte, mode Mode) ([]byte, error) {
	if !gjson.ValidBytes(raw) {
		return nil, ErrMismatch
	}
	p := projector{root: s.root}
	out := p.value(nil, gjson.ParseBytes(raw), []*jsonschema.Schema{s.root}, "", 0)
	if mode == Strict && len(p.undeclared) > 0 {
		return nil, &UndeclaredError{p.undeclared}
	}
	if !s.valid(out) {
		return nil, ErrMismatch
	}
	return out, nil
}

func (s *Schema) valid(raw []byte) bool {
	var v any
	return json.Unmarshal(raw, &v) == nil && s.resolved.Validate(v) == nil
}

type projector struct {
	root       *jsonschema.Schema
	undeclared []string
}

// value appends what the schemas, all of which apply, declare of a value.
func (p *projector) value(dst []byte, v gjson.Result, schemas []*jsonschema.Schema, pointer string, depth int) []byte {
	schemas = flatten(p.root, schemas)
	switch {
	case depth > deepest:
		return append(dst, "null"...)
	case v.IsObject():
		return p.object(dst, v, schemas, pointer, depth)
	case v.IsArray():
		dst = append(dst, '[')
		i := 0
		v.ForEach(func(_, item gjson.Result) bool {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = p.value(dst, item, items(schemas, i), fmt.Sprintf("%s/%d", pointer, i), depth+1)
			i++
			return true
		})
		return append(dst, ']')
	}
	return append(dst, v.Raw...)
}

func (p *projector) object(dst []byte, v gjson.Result, schemas []*jsonschema.Schema, pointer string, depth int) []byte {
	// An object whose members the schema does not describe is declared as a whole.
	whole := true
	for _, s := range schemas {
		if len(s.Properties) > 0 || s.AdditionalProperties != nil || len(s.PatternProperties) > 0 {
			whole = false
		}
	}
	if whole && len(schemas) > 0 {
		return append(dst, v.Raw...)
	}
	dst = append(dst, '{')
	first := true
	v.ForEach(func(key, value gjson.Result) bool {
		at := pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key.String())
		declared := member(schemas, key.String())
		if declared == nil {
			p.undeclared = append(p.undeclared, at)
			return true
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, key.Raw...)
		dst = append(dst, ':')
		dst = p.value(dst, value, declared, at, depth+1)
		return true
	})
	return append(dst, '}')
}
