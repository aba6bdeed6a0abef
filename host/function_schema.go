package host

import (
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/glovebox-run/glovebox/budget"
)

// schema is a JSON Schema and what it costs to check a value against it.
type schema struct {
	resolved *jsonschema.Resolved
	parts    int // how many of its parts may be applied to one value
}

func newSchema(text json.RawMessage) (*schema, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	resolved, err := s.Resolve(nil) // with no loader: a reference to another place is an error
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	return &schema{resolved, 1 + applied(tree)}, nil
}

// applied counts what is applied to a value besides the schema at its place:
// alternatives, conditions, patterns, references. Where one stands does not
// matter, so the count is an upper bound but for references.
func applied(tree any) int {
	total := 0
	switch tree := tree.(type) {
	case []any:
		for _, one := range tree {
			total += applied(one)
		}
	case map[string]any:
		for key, one := range tree {
			switch key {
			case "allOf", "anyOf", "oneOf", "dependentSchemas", "patternProperties":
				switch list := one.(type) {
				case []any:
					total += len(list)
				case map[string]any:
					total += len(list)
				}
			case "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "$ref", "$dynamicRef":
				total++
			}
			total += applied(one)
		}
	}
	return total
}

// The price of a check, measured by BenchmarkFunctionArgument.
const (
	// perPart is for one part of a schema applied to one value: 0.4 to 1.5 us.
	perPart = 12_000
	// perByte is for decoding, and for a pattern that looks at each byte of a text:
	// 10 to 30 ns.
	perByte = 240
	// decoded is how much memory one byte of JSON takes as Go values: [{},{},…] is the
	// worst, with an interface of 16 bytes and a map of 48 for every three, in a list
	// that grows by doubling.
	decoded = 32
)

// check decodes a JSON text and compares it with the schema. The whole price is
// charged before, because neither can be interrupted.
func (s *schema) check(account *budget.Account, text []byte) error {
	values := 1
	for _, c := range text { // at most: those in strings count as well
		if strings.IndexByte(",:[{", c) >= 0 {
			values++
		}
	}
	if err := account.ChargeEach(len(text), perByte); err != nil {
		return err
	}
	if err := account.ChargeEach(values, perPart*uint64(s.parts)); err != nil {
		return err
	}
	if err := account.Hold(decoded * len(text)); err != nil {
		return err
	}
	defer account.Drop(decoded * len(text))
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	return s.resolved.Validate(value)
}
