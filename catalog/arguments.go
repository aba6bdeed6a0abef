package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/glovebox-run/glovebox/catalog/internal/source"
)

// MaxArgumentBytes is the largest argument text of one call. It has to fit a file
// that a model writes in one piece.
const MaxArgumentBytes = 16 << 20

// CheckArguments checks the arguments of one call against the parameters and
// returns the JSON object that the tool gets: declared arguments only, in
// parameter order.
//
// Types are not converted: "5" is no INTEGER. Only an OBJECT or an ARRAY may
// arrive as a string that holds its JSON, because some models cannot send nested
// values. An optional argument that is null or a blank string is left out, so the
// tool reads undefined; a blank string for a required STRING is passed on. An
// argument that no parameter declares is a warning and does not reach the tool.
//
// The object is nil if any problem is not a warning. Empty raw means no
// arguments.
func (s *Spec) CheckArguments(raw []byte) ([]byte, Problems) {
	r := &report{text: raw}
	if len(raw) == 0 || string(raw) == "null" {
		raw = []byte("{}")
		r.text = raw
	}
	if len(raw) > MaxArgumentBytes {
		r.add(ruleTooLarge, "", 0, "the arguments have %d bytes; one call takes at most %d", len(raw), MaxArgumentBytes)
		return nil, r.done()
	}
	root, syntax := source.Open(raw)
	if syntax != nil {
		r.add(ruleArgumentsSyntax, "", syntax.Offset, "%s", syntax.Message)
		return nil, r.done()
	}
	if root.Kind() != '{' {
		r.add(ruleArgumentsSyntax, "", root.Start(), "the arguments are %s; send an object", kindName(root.Kind()))
		return nil, r.done()
	}
	given := s.givenArguments(r, root)
	out := []byte{'{'}
	for i, p := range s.params {
		pointer := "/" + EscapePointer(p.Name)
		v := given[i]
		if v.Kind() == 0 || v.Kind() == 'n' {
			if p.Required {
				r.add(ruleArgumentMissing, pointer, root.Start(), "%s is required: %s", quote(p.Name), p.hint())
			}
			continue
		}
		if !p.Required && v.Blank() {
			continue
		}
		value, rule, problem := p.read(v)
		if problem != "" {
			r.add(rule, pointer, v.Start(), "%s", problem)
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(p.Name)
		out = append(append(append(out, name...), ':'), value...)
	}
	problems := r.done()
	if slices.ContainsFunc(problems, func(p Problem) bool { return !p.Warning }) {
		return nil, problems
	}
	return append(out, '}'), problems
}

// givenArguments finds the argument of each parameter; one that was not given
// stays the zero Value.
func (s *Spec) givenArguments(r *report, root source.Value) []source.Value {
	index := make(map[string]int, len(s.params))
	for i, p := range s.params {
		index[p.Name] = i
	}
	given := make([]source.Value, len(s.params))
	for name, value := range root.Members() {
		key, ok := name.Text()
		i, declared := index[key]
		pointer := "/" + EscapePointer(key)
		switch {
		case !ok || !declared:
			r.add(ruleArgumentUndeclared, pointer, name.Start(), "%s is not a parameter of this tool and is left out", quote(key))
		case given[i].Kind() != 0:
			r.add(ruleArgumentDuplicate, pointer, name.Start(), "%s is given twice; send it once", quote(key))
		default:
			given[i] = value
		}
	}
	return given
}

func (p Param) hint() string {
	if p.Description != "" {
		return quote(p.Description)
	}
	return "send " + withArticle(p.Type)
}

func withArticle(t ParamType) string {
	switch t {
	case Integer, Object, Array:
		return "an " + t.JSONSchema()
	}
	return "a " + t.JSONSchema()
}

// read checks one value against the type and returns the JSON for the tool, or the
// rule it breaks and why.
func (p Param) read(v source.Value) (value []byte, rule ruleIndex, problem string) {
	switch kind := v.Kind(); {
	case p.Type == String && kind == '"':
		if !v.Whole() {
			return nil, ruleArgumentType, "the string holds half a surrogate pair; send whole characters"
		}
		return v.Raw(), 0, ""
	case p.Type == Boolean && (kind == 't' || kind == 'f'),
		p.Type == Object && kind == '{', p.Type == Array && kind == '[':
		return v.Raw(), 0, ""
	case (p.Type == Number || p.Type == Integer) && kind == '0':
		number := string(v.Raw())
		if p.Type == Integer && !isInteger(number) {
			return nil, ruleArgumentType, fmt.Sprintf("%s is not a whole number", quote(number))
		}
		if _, err := strconv.ParseFloat(number, 64); err != nil {
			return nil, ruleArgumentRange, fmt.Sprintf("%s is beyond what a JavaScript number holds", quote(number))
		}
		return v.Raw(), 0, ""
	case (p.Type == Object || p.Type == Array) && kind == '"':
		text, ok := v.Text()
		inner, syntax := source.Open([]byte(text))
		if ok && syntax == nil && inner.Kind() == map[ParamType]byte{Object: '{', Array: '['}[p.Type] {
			return inner.Raw(), 0, ""
		}
		return nil, ruleArgumentType, fmt.Sprintf("this is a string that does not hold %s in JSON; send %s", withArticle(p.Type), withArticle(p.Type))
	}
	return nil, ruleArgumentType, fmt.Sprintf("this is %s; send %s", kindName(v.Kind()), withArticle(p.Type))
}

// readTestValue reads the testValue as the declared type. A blank testValue of an
// optional parameter means no value.
func (p Param) readTestValue() (value []byte, given bool, problem string) {
	if p.TestValue == nil {
		return nil, false, ""
	}
	text := strings.TrimSpace(*p.TestValue)
	switch {
	case text == "" && !p.Required:
		return nil, false, ""
	case p.Type == String:
		value, _ = json.Marshal(*p.TestValue)
		return value, true, ""
	}
	v, syntax := source.Open([]byte(text))
	if syntax == nil && v.Kind() != '"' {
		if value, _, wrong := p.read(v); wrong == "" {
			return value, true, ""
		}
	}
	return nil, false, fmt.Sprintf("%s does not read as %s", quote(*p.TestValue), p.Type)
}

// TestArguments returns the arguments that the Local Pass runs with: every
// testValue in its parameter's type, in parameter order. A testValue that does
// not read as its type is a problem of the Local Pass, not of the document.
func (s *Spec) TestArguments() ([]byte, Problems) {
	var problems Problems
	out := []byte{'{'}
	for i, p := range s.params {
		value, given, problem := p.readTestValue()
		if problem != "" {
			problems = append(problems, NewProblem(rules[ruleTestValueType], fmt.Sprintf("/params/%d/testValue", i), problem))
		}
		if !given {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(p.Name)
		out = append(append(append(out, name...), ':'), value...)
	}
	if len(problems) > 0 {
		return nil, s.Locate(problems)
	}
	return append(out, '}'), nil
}
