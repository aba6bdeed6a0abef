package projection

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// flatten lists the schemas that apply to one value: those given, what they
// refer to, and all branches of their combinations. A member is declared when any
// branch declares it; whether the branch holds is for validation to say.
func flatten(root *jsonschema.Schema, schemas []*jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	seen := map[*jsonschema.Schema]bool{}
	var add func(s *jsonschema.Schema)
	add = func(s *jsonschema.Schema) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		all = append(all, s)
		if s.Ref != "" {
			add(lookup(root, s.Ref))
		}
		for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
			for _, sub := range list {
				add(sub)
			}
		}
		add(s.Then)
		add(s.Else)
	}
	for _, s := range schemas {
		add(s)
	}
	return all
}

// lookup follows a reference within the document, to the root or a definition;
// others are not followed, so what they would declare is not declared.
func lookup(root *jsonschema.Schema, ref string) *jsonschema.Schema {
	if ref == "#" {
		return root
	}
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		return root.Defs[unescape(name)]
	}
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		return root.Definitions[unescape(name)]
	}
	return nil
}

func unescape(name string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
}

// member returns the schemas of a member, nil when none declares it. "true" and
// an absent additionalProperties are no declaration: they say what may come, not
// what is wanted.
func member(schemas []*jsonschema.Schema, name string) []*jsonschema.Schema {
	var found []*jsonschema.Schema
	for _, s := range schemas {
		declared := false
		if sub, ok := s.Properties[name]; ok {
			found, declared = append(found, sub), true
		}
		for expr, sub := range s.PatternProperties {
			if re, err := regexp.Compile(expr); err == nil && re.MatchString(name) {
				found, declared = append(found, sub), true
			}
		}
		if sub := s.AdditionalProperties; !declared && sub != nil && (sub.Type != "" || len(sub.Types) > 0 || sub.Ref != "" || len(sub.Properties) > 0) {
			found = append(found, sub)
		}
	}
	return found
}

// items returns the schemas of the i-th item of an array.
func items(schemas []*jsonschema.Schema, i int) []*jsonschema.Schema {
	found := []*jsonschema.Schema{}
	for _, s := range schemas {
		switch {
		case i < len(s.PrefixItems):
			found = append(found, s.PrefixItems[i])
		case s.Items != nil:
			found = append(found, s.Items)
		}
	}
	return found
}

// checkReferences refuses references that are not followed and those that go in
// a circle on the spot.
func checkReferences(root *jsonschema.Schema) error {
	const (
		open = 1 + iota
		done
	)
	state := map[*jsonschema.Schema]int{}
	var visit func(s *jsonschema.Schema) error
	visit = func(s *jsonschema.Schema) error {
		if s == nil || state[s] == done {
			return nil
		}
		if state[s] == open {
			return fmt.Errorf("%q refers to itself", s.Ref)
		}
		state[s] = open
		if s.DynamicRef != "" {
			return fmt.Errorf("$dynamicRef is not supported")
		}
		if s.Ref != "" {
			target := lookup(root, s.Ref)
			if target == nil {
				return fmt.Errorf("%q does not refer to a definition of the document", s.Ref)
			}
			if err := visit(target); err != nil {
				return err
			}
		}
		for _, sub := range onTheSpot(s) {
			if err := visit(sub); err != nil {
				return err
			}
		}
		state[s] = done
		return nil
	}
	var all func(s *jsonschema.Schema, depth int) error
	all = func(s *jsonschema.Schema, depth int) error {
		if s == nil {
			return nil
		}
		if depth > deepest {
			return fmt.Errorf("more than %d levels", deepest)
		}
		if err := visit(s); err != nil {
			return err
		}
		for _, sub := range append(onTheSpot(s), below(s)...) {
			if err := all(sub, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return all(root, 0)
}

// onTheSpot lists the schemas that apply to the same value as s.
func onTheSpot(s *jsonschema.Schema) []*jsonschema.Schema {
	list := slices.Concat(s.AllOf, s.AnyOf, s.OneOf, []*jsonschema.Schema{s.Not, s.If, s.Then, s.Else})
	list = slices.AppendSeq(list, maps.Values(s.DependentSchemas))
	return slices.AppendSeq(list, maps.Values(s.DependencySchemas))
}

// below lists the schemas of members and items, and the definitions.
func below(s *jsonschema.Schema) []*jsonschema.Schema {
	list := slices.Concat(s.PrefixItems, s.ItemsArray, []*jsonschema.Schema{s.Items, s.AdditionalItems, s.Contains, s.UnevaluatedItems, s.AdditionalProperties, s.PropertyNames, s.UnevaluatedProperties, s.ContentSchema})
	for _, m := range []map[string]*jsonschema.Schema{s.Properties, s.PatternProperties, s.Defs, s.Definitions} {
		list = slices.AppendSeq(list, maps.Values(m))
	}
	return list
}
