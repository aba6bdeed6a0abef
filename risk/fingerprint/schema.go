package fingerprint

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// keyword says how one JSON Schema keyword is compared. A keyword without a row
// is a constraint whose values cannot be ordered (oneOf, contains, pattern):
// adding it narrows, dropping or changing it widens.
type keyword uint8

const (
	constraint keyword = iota
	prose              // a text for a reader
	accepted           // a list of which each member is accepted (enum, type)
	demanded           // a list of which each member is demanded (required)
	atMost             // a number; more accepts more
	atLeast            // a number; more accepts less
	properties         // an object of schemas by property name
	schemas            // an object of schemas by any other name
	subschema          // one schema
	anyOf              // a list of schemas of which one must hold
	allOf              // a list of schemas of which all must hold
	behaviour          // what happens when nothing is sent
)

var keywords = map[string]keyword{
	"title": prose, "description": prose, "$comment": prose, "examples": prose, "example": prose, "deprecated": prose,
	"type": accepted, "enum": accepted, "required": demanded, "default": behaviour,
	"maximum": atMost, "exclusiveMaximum": atMost, "maxLength": atMost, "maxItems": atMost, "maxProperties": atMost,
	"minimum": atLeast, "exclusiveMinimum": atLeast, "minLength": atLeast, "minItems": atLeast, "minProperties": atLeast,
	"properties": properties, "patternProperties": schemas, "$defs": schemas, "definitions": schemas, "dependentSchemas": schemas,
	"additionalProperties": subschema, "unevaluatedProperties": subschema, "items": subschema, "propertyNames": subschema, "additionalItems": subschema,
	"anyOf": anyOf, "allOf": allOf, "prefixItems": allOf,
}

// schema compares two schemas. What cannot be shown to accept less counts as
// accepting more.
func (c *comparison) schema(pointer string, old, now any) {
	a, b := asObject(old), asObject(now)
	switch {
	case same(old, now):
		return
	case now == false:
		c.add(SchemaNarrowed, pointer, "accepts nothing any more")
		return
	case old == false:
		c.add(SchemaWidened, pointer, "accepted nothing before")
		return
	case a == nil || b == nil:
		c.add(SchemaWidened, pointer, "is something else")
		return
	}
	for _, key := range bothKeys(a, b) {
		x, wasThere := a[key]
		y, isThere := b[key]
		if wasThere == isThere && same(x, y) {
			continue
		}
		c.keyword(pointer, key, x, y, wasThere, isThere)
	}
}

func (c *comparison) keyword(parent, key string, x, y any, wasThere, isThere bool) {
	pointer := parent + "/" + escape(key)
	switch keywords[key] {
	case prose:
		c.text(pointer, x, y)
		return
	case behaviour:
		c.add(SchemaWidened, pointer, "something else happens when it is left out")
		return
	case properties:
		c.properties(pointer, asObject(x), asObject(y))
		return
	case schemas, subschema:
		if !wasThere {
			x = true
		}
		if !isThere {
			y = true
		}
		if keywords[key] == subschema {
			c.schema(pointer, x, y)
			return
		}
		for _, name := range bothKeys(asObject(x), asObject(y)) {
			c.schema(pointer+"/"+escape(name), orAny(asObject(x)[name]), orAny(asObject(y)[name]))
		}
		return
	}
	switch {
	case !wasThere:
		c.add(SchemaNarrowed, pointer, "a new constraint")
	case !isThere:
		c.add(SchemaWidened, pointer, "a constraint is gone")
	default:
		c.changed(pointer, keywords[key], x, y)
	}
}

func (c *comparison) changed(pointer string, k keyword, x, y any) {
	switch k {
	case accepted, demanded:
		gained, lost := beyond(y, x), beyond(x, y)
		more, less := gained, lost
		if k == demanded {
			more, less = lost, gained
		}
		if more > 0 {
			c.add(SchemaWidened, pointer, fmt.Sprintf("%d more ways to satisfy it", more))
		}
		if less > 0 {
			c.add(SchemaNarrowed, pointer, fmt.Sprintf("%d fewer ways to satisfy it", less))
		}
		if more == 0 && less == 0 {
			c.add(Cosmetic, pointer, "the same, written otherwise")
		}
	case atMost, atLeast:
		a, aOK := number(x)
		b, bOK := number(y)
		switch {
		case aOK && bOK && a == b:
			c.add(Cosmetic, pointer, "the same number, written otherwise")
		case aOK && bOK && (b < a) == (k == atMost):
			c.add(SchemaNarrowed, pointer, fmt.Sprintf("%v became %v", a, b))
		default:
			c.add(SchemaWidened, pointer, fmt.Sprintf("%v became %v", x, y))
		}
	case anyOf, allOf:
		a, aOK := x.([]any)
		b, bOK := y.([]any)
		if !aOK || !bOK {
			c.add(SchemaWidened, pointer, "is something else")
			return
		}
		for i := range min(len(a), len(b)) {
			c.schema(pointer+"/"+strconv.Itoa(i), a[i], b[i])
		}
		if len(a) != len(b) {
			class := SchemaWidened
			if (len(b) < len(a)) == (k == anyOf) {
				class = SchemaNarrowed
			}
			c.add(class, pointer, fmt.Sprintf("%d alternatives became %d", len(a), len(b)))
		}
	default:
		c.add(SchemaWidened, pointer, "another constraint")
	}
}

func (c *comparison) properties(pointer string, old, now map[string]any) {
	for _, name := range bothKeys(old, now) {
		x, wasThere := old[name]
		y, isThere := now[name]
		at := pointer + "/" + escape(name)
		switch {
		case !isThere:
			c.add(SchemaNarrowed, at, "a parameter is gone")
		case !wasThere:
			c.add(SchemaWidened, at, "a new parameter")
			described := map[string]any{"properties": map[string]any{name: y}}
			for _, family := range newFamilies(c.known, families(map[string]any{"inputSchema": described})) {
				c.add(CapabilityAdded, at, "a new parameter speaks of "+family)
			}
		default:
			c.schema(at, x, y)
		}
	}
}

// asObject returns a schema as an object; true is the one without keywords. It
// is nil for everything else.
func asObject(schema any) map[string]any {
	switch s := schema.(type) {
	case map[string]any:
		return s
	case bool:
		if s {
			return map[string]any{}
		}
	}
	return nil
}

// beyond counts the members of a that b does not have. One value counts as a
// list of it.
func beyond(a, b any) int {
	n := 0
	known := map[string]bool{}
	for _, item := range list(b) {
		known[fmt.Sprintf("%T%v", item, item)] = true
	}
	for _, item := range list(a) {
		if !known[fmt.Sprintf("%T%v", item, item)] {
			n++
		}
	}
	return n
}

func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

func list(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

func same(a, b any) bool { return reflect.DeepEqual(a, b) }
