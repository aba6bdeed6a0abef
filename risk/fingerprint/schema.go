package fingerprint

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// keyword is how one JSON Schema keyword is compared. A keyword without a row
// is a constraint whose values cannot be ordered (oneOf, contains, pattern):
// adding it narrows, dropping or changing it widens.
type keyword uint8

const (
	constraint keyword = iota
	prose              // a text for a reader
	accepted           // a list of accepted members (enum, type)
	demanded           // a list of required members (required)
	atMost             // a number; more accepts more
	atLeast            // a number; more accepts less
	properties         // an object of schemas by property name
	schemas            // an object of schemas by any other name
	subschema          // one schema
	anyOf              // a list of schemas of which one must hold
	allOf              // a list of schemas of which all must hold
	behaviour          // the behaviour when nothing is sent
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

// schema compares two schemas. A change that cannot be shown to accept less counts
// as accepting more. Sub-schemas are compared during the descent and never as a
// whole, so that the comparison is one pass.
func (c *comparison) schema(at *place, old, now any) {
	a, b := asObject(old), asObject(now)
	switch {
	case a != nil && b != nil:
		for _, key := range bothKeys(a, b) {
			x, wasThere := a[key]
			y, isThere := b[key]
			c.keyword(at.at(key), key, x, y, wasThere, isThere)
		}
	case same(old, now):
	case now == false:
		c.add(SchemaNarrowed, at, "accepts nothing any more")
	case old == false:
		c.add(SchemaWidened, at, "accepted nothing before")
	default:
		c.add(SchemaWidened, at, "is something else")
	}
}

func (c *comparison) keyword(at *place, key string, x, y any, wasThere, isThere bool) {
	kind := keywords[key]
	switch kind {
	case properties:
		c.properties(at, asObject(x), asObject(y))
		return
	case subschema:
		c.schema(at, orTrue(x, wasThere), orTrue(y, isThere))
		return
	case schemas:
		before, after := asObject(x), asObject(y)
		for _, name := range bothKeys(before, after) {
			c.schema(at.at(name), orAny(before[name]), orAny(after[name]))
		}
		return
	case anyOf, allOf:
		if wasThere && isThere {
			c.alternatives(at, kind, x, y)
			return
		}
	}
	if wasThere == isThere && same(x, y) {
		return
	}
	switch kind {
	case prose:
		c.text(at, x, y)
		return
	case behaviour:
		c.add(SchemaWidened, at, "something else happens when it is left out")
		return
	}
	switch {
	case !wasThere:
		c.add(SchemaNarrowed, at, "a new constraint")
	case !isThere:
		c.add(SchemaWidened, at, "a constraint is gone")
	default:
		c.changed(at, kind, x, y)
	}
}

func (c *comparison) changed(at *place, k keyword, x, y any) {
	switch k {
	case accepted, demanded:
		gained, lost := beyond(y, x), beyond(x, y)
		more, less := gained, lost
		if k == demanded {
			more, less = lost, gained
		}
		if more > 0 {
			c.add(SchemaWidened, at, fmt.Sprintf("%d more ways to satisfy it", more))
		}
		if less > 0 {
			c.add(SchemaNarrowed, at, fmt.Sprintf("%d fewer ways to satisfy it", less))
		}
		if more == 0 && less == 0 {
			c.add(Cosmetic, at, "the same, written otherwise")
		}
	case atMost, atLeast:
		a, aOK := number(x)
		b, bOK := number(y)
		switch {
		case aOK && bOK && a == b:
			c.add(Cosmetic, at, "the same number, written otherwise")
		case aOK && bOK && (b < a) == (k == atMost):
			c.add(SchemaNarrowed, at, fmt.Sprintf("%v became %v", a, b))
		case aOK && bOK:
			c.add(SchemaWidened, at, fmt.Sprintf("%v became %v", a, b))
		default:
			c.add(SchemaWidened, at, "another bound")
		}
	default:
		c.add(SchemaWidened, at, "another constraint")
	}
}

// alternatives compares two lists of schemas place by place.
func (c *comparison) alternatives(at *place, k keyword, x, y any) {
	a, aOK := x.([]any)
	b, bOK := y.([]any)
	if !aOK || !bOK {
		if !same(x, y) {
			c.add(SchemaWidened, at, "is something else")
		}
		return
	}
	for i := range min(len(a), len(b)) {
		c.schema(at.at(strconv.Itoa(i)), a[i], b[i])
	}
	if len(a) == len(b) {
		return
	}
	class := SchemaWidened
	if (len(b) < len(a)) == (k == anyOf) {
		class = SchemaNarrowed
	}
	c.add(class, at, fmt.Sprintf("%d alternatives became %d", len(a), len(b)))
}

func (c *comparison) properties(at *place, old, now map[string]any) {
	for _, name := range bothKeys(old, now) {
		x, wasThere := old[name]
		y, isThere := now[name]
		at := at.at(name)
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

// orTrue turns an absent keyword into the schema that it defaults to.
func orTrue(schema any, there bool) any {
	if !there {
		return true
	}
	return schema
}

// asObject returns a schema as an object; true becomes an object without keywords.
// It returns nil for everything else.
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

// beyond counts the members of a that b does not have. A single value counts as a
// list of one.
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
