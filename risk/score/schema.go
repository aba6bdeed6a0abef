package score

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
)

// Bounds of a schema that a client and a person can still work with.
const (
	maxSchemaBytes = 64 << 10 // serialised
	maxSchemaDepth = 32       // nested objects and arrays
)

// field is one property of an input schema, at any depth.
type field struct {
	pointer string
	name    string
	text    bool // a string
	listed  bool // enum or const
	pattern bool
	format  bool
	max     int64 // maxLength, -1 for none
	open    bool  // an object whose members nothing describes
}

// free reports whether any text at all is valid.
func (f field) free() bool { return f.text && !f.listed && !f.pattern }

// fieldsOf lists the properties of a schema. What lies deeper than maxSchemaDepth is
// left out; tool_input_schemas_well_formed reports it.
func fieldsOf(schema json.RawMessage) []field {
	var all []field
	var walk func(node gjson.Result, pointer string, depth int)
	walk = func(node gjson.Result, pointer string, depth int) {
		if depth > maxSchemaDepth || !node.IsObject() {
			return
		}
		node.Get("properties").ForEach(func(key, value gjson.Result) bool {
			at := pointer + "/properties/" + catalog.EscapePointer(key.Str)
			all = append(all, fieldOf(key.Str, at, value))
			walk(value, at, depth+1)
			return true
		})
		walk(node.Get("items"), pointer+"/items", depth+1)
		for _, word := range []string{"anyOf", "oneOf", "allOf"} {
			for i, part := range node.Get(word).Array() {
				walk(part, pointer+"/"+word+"/"+strconv.Itoa(i), depth+1)
			}
		}
	}
	walk(gjson.ParseBytes(schema), "/inputSchema", 0)
	return all
}

func fieldOf(name, pointer string, v gjson.Result) field {
	f := field{pointer: pointer, name: name, max: -1}
	kind := v.Get("type")
	for _, t := range append(kind.Array(), kind) {
		f.text = f.text || t.Str == "string"
		f.open = f.open || t.Str == "object"
	}
	f.listed = v.Get("enum").Exists() || v.Get("const").Exists()
	f.pattern, f.format = v.Get("pattern").Exists(), v.Get("format").Exists()
	if m := v.Get("maxLength"); m.Type == gjson.Number {
		f.max = m.Int()
	}
	f.open = f.open && !v.Get("properties").Exists() && !v.Get("additionalProperties").IsObject() && !v.Get("$ref").Exists()
	return f
}

// malformed says what is wrong with the form of a schema, or nothing.
func malformed(schema json.RawMessage) string {
	if len(schema) > maxSchemaBytes {
		return fmt.Sprintf("the schema has %d bytes; %d are the limit", len(schema), maxSchemaBytes)
	}
	if depth := depthOf(schema); depth > maxSchemaDepth {
		return fmt.Sprintf("the schema is nested %d deep; %d is the limit", depth, maxSchemaDepth)
	}
	if !bytes.Contains(schema, []byte("$ref")) && !bytes.Contains(schema, []byte(`\u`)) {
		return "" // no reference, and none that is spelled in escapes
	}
	var doc any
	if err := json.Unmarshal(schema, &doc); err != nil {
		return "the schema is not JSON"
	}
	g := refs{places: map[string]bool{}}
	g.walk(doc, "#")
	return g.problem()
}

// depthOf counts nesting without recursion, so that no depth can exhaust the stack.
func depthOf(raw []byte) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// refs are the references of one schema and the places that they may point to. The
// size of a schema is bounded before, so the number of both is.
type refs struct {
	places map[string]bool
	from   []string // the place of a reference
	to     []string // and where it points
}

func (g *refs) walk(node any, place string) {
	g.places[place] = true
	switch n := node.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(n)) {
			text, isText := n[key].(string)
			switch {
			case key == "$ref" && isText:
				g.from, g.to = append(g.from, place), append(g.to, text)
			case key == "$anchor" && isText:
				g.places["#"+text] = true
			}
			g.walk(n[key], place+"/"+catalog.EscapePointer(key))
		}
	case []any:
		for i := range n {
			g.walk(n[i], place+"/"+strconv.Itoa(i))
		}
	}
}

func (g *refs) problem() string {
	for _, to := range g.to {
		switch {
		case !strings.HasPrefix(to, "#"):
			return "$ref " + quote(to) + " is not local"
		case !g.places[to]:
			return "$ref " + quote(to) + " points nowhere"
		}
	}
	const visiting, done = 1, 2
	state := map[string]int{}
	var cyclic func(target string) bool
	cyclic = func(target string) bool {
		switch state[target] {
		case visiting:
			return true
		case done:
			return false
		}
		state[target] = visiting
		for i, from := range g.from {
			if (from == target || strings.HasPrefix(from, target+"/")) && cyclic(g.to[i]) {
				return true
			}
		}
		state[target] = done
		return false
	}
	for _, to := range g.to {
		if cyclic(to) {
			return "$ref " + quote(to) + " leads back to itself"
		}
	}
	return ""
}
