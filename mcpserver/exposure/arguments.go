package exposure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/nesting"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/definition"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// arguments checks arguments against the schema of a server, before its tool is called:
// a model can mend what it is told at once, with a place.
//
// A schema that cannot be compiled here, such as one with a look-ahead in a pattern, or
// that could take more work than its arguments are long, checks nothing: the server
// checks for itself, and withholding an honest tool for the dialect of its schema helps
// nobody.
type arguments struct {
	raw  json.RawMessage
	once sync.Once
	// Compiled when a tool is called first: most are never called, and a compiled schema
	// is ten times as large.
	schema *jsonschema.Schema
	size   int    // how many schemas one value may meet
	loose  string // why nothing is checked; empty if it is
}

const (
	// maxWork bounds schemas times values of one check, a few hundred milliseconds.
	maxWork = 4 << 20
	// maxNumber is the longest number in characters that is compared with a schema;
	// arithmetic with exact numbers takes room by their exponent.
	maxNumber = 64
	// maxProblems bounds the problems that one check returns, and maxWords one of them.
	maxProblems, maxWords = 20, 300
)

// Unchecked returns why arguments are not checked here, or "".
func (a *arguments) Unchecked() string {
	a.once.Do(a.compile)
	return a.loose
}

var rules = func() map[string]catalog.Rule {
	all := map[string]catalog.Rule{}
	for _, r := range catalog.Rules() {
		all[r.ID] = r
	}
	return all
}()

func problem(rule, pointer, words string) catalog.Problems {
	return catalog.Problems{catalog.NewProblem(rules[rule], pointer, words)}
}

// check returns the arguments unchanged, so that the server gets the client's bytes.
func (a *arguments) check(given []byte) (json.RawMessage, catalog.Problems) {
	if len(bytes.TrimSpace(given)) == 0 {
		given = []byte("{}")
	}
	switch value := jsontext.Value(given); {
	case nesting.Beyond(given, governed.MaxDepth) >= 0:
		return nil, problem("arguments-syntax", "", fmt.Sprintf("the arguments are nested more than %d deep", governed.MaxDepth))
	case !value.IsValid():
		return nil, problem("arguments-syntax", "", "the arguments are not JSON in UTF-8 with every name once")
	case value.Kind() != '{':
		return nil, problem("arguments-syntax", "", "the arguments are no object; send an object")
	}
	a.once.Do(a.compile)
	if a.loose != "" {
		return given, nil
	}
	dec := json.NewDecoder(bytes.NewReader(given))
	dec.UseNumber() // as a double, a long id would be another one
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, problem("arguments-syntax", "", "the arguments are not JSON")
	}
	n, long := count(value)
	if long || n*a.size > maxWork {
		return given, nil
	}
	err := a.schema.Validate(value)
	if bad := (*jsonschema.ValidationError)(nil); errors.As(err, &bad) {
		return nil, explain(bad)
	}
	return given, nil
}

// count returns how many values there are, and whether a number is too long to be
// compared.
func count(value any) (n int, long bool) {
	n = 1
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			m, l := count(member)
			n, long = n+m, long || l
		}
	case []any:
		for _, item := range v {
			m, l := count(item)
			n, long = n+m, long || l
		}
	case json.Number:
		_, exponent, _ := strings.Cut(strings.ToLower(string(v)), "e")
		e, err := strconv.Atoi(exponent)
		long = len(v) > maxNumber || exponent != "" && (err != nil || e > 1000 || e < -1000)
	}
	return n, long
}

// refusing loads nothing: a schema is complete or not compiled.
type refusing struct{}

func (refusing) Load(url string) (any, error) {
	return nil, errors.New("schemas of other places are not read")
}

func (a *arguments) compile() {
	defer func() {
		if p := recover(); p != nil { // a defect of the compiler is no defect of the tool
			a.schema, a.loose = nil, fmt.Sprintf("the schema cannot be compiled: %v", p)
		}
	}()
	if a.raw == nil {
		a.loose = "there is no schema"
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.raw))
	if err != nil {
		a.loose = "the schema cannot be read"
		return
	}
	if a.size = definition.Unfolded(value); a.size < 0 {
		a.loose = "the schema refers to itself or to another place"
		return
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(refusing{})
	c.DefaultDraft(jsonschema.Draft2020)
	const place = "glovebox:schema"
	if err = c.AddResource(place, value); err == nil {
		a.schema, err = c.Compile(place)
	}
	if err != nil {
		a.loose = "the schema cannot be compiled: " + err.Error()
	}
}

// explain lists the innermost causes, each with a pointer into the arguments.
func explain(bad *jsonschema.ValidationError) catalog.Problems {
	var all catalog.Problems
	english := message.NewPrinter(language.English)
	var visit func(*jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 && len(all) < maxProblems {
			var pointer strings.Builder
			for _, step := range e.InstanceLocation {
				pointer.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step))
			}
			words := e.ErrorKind.LocalizedString(english)
			if len(words) > maxWords {
				words = strings.ToValidUTF8(words[:maxWords], "") + "..."
			}
			all = append(all, catalog.NewProblem(rules["argument-type"], pointer.String(), words))
		}
		for _, cause := range e.Causes {
			visit(cause)
		}
	}
	visit(bad)
	return all
}
