package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func compiledSchema(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func TestThePublishedSchemaIsTheEmbeddedOne(t *testing.T) {
	published, err := os.ReadFile(filepath.Join("..", "docs", "safe-tool-spec.schema.json"))
	if err != nil || !bytes.Equal(published, Schema()) {
		t.Errorf("copy catalog/safe-tool-spec.schema.json over docs/safe-tool-spec.schema.json (%v)", err)
	}
}

// agree says why the schema and the Go checks see one document differently; ""
// when they do not. valid is what Parse says.
func agree(schema *jsonschema.Resolved, text string) (why string, valid bool) {
	var document any
	if json.Unmarshal([]byte(text), &document) != nil {
		return "", false
	}
	_, problems := Parse([]byte(text))
	var stated []string
	for _, p := range problems {
		i := slices.IndexFunc(rules[:], func(r Rule) bool { return r.ID == p.Rule })
		if rules[i].InSchema {
			stated = append(stated, p.String())
		}
		if p.Rule == "duplicate-member" || p.Rule == "too-many-problems" || p.Rule == "syntax" || p.Rule == "half-surrogate" {
			return "", false // outside the data model that a schema sees
		}
	}
	err := schema.Validate(document)
	if (err == nil) == (len(stated) == 0) {
		return "", len(problems) == 0
	}
	return fmt.Sprintf("%s\nschema: %v\nParse: %v", text, err, stated), false
}

// values that a field may meet: every JSON type, and the edges of the rules.
var anyValues = []string{
	`null`, `true`, `false`, `0`, `-1`, `1.5`, `1.0`, `1e3`, `9007199254740991`, `9007199254740992`, `""`, `"x"`, `[]`, `[null]`, `["x"]`, `[1]`, `{}`, `{"x":1}`, `{"x":"y"}`,
	`"Javascript"`, `"open"`, `"REQUIRED"`, `"STRING"`, `[{"a":"b"}]`, `[{"a":null}]`, `[{"a":"b","c":"d"}]`, `[{}]`, `["safety.fs/v1"]`, `["safety.fs/v1","Bad/v1"]`, `["a/v1\n"]`,
	`[{"name":"a","type":"STRING","required":true}]`, `[{"name":"a","type":"STRING","required":true,"testValue":null}]`, `[{"name":"a","type":"STRING","required":true,"testValue":""}]`, `[{"name":"a","type":"STRING","required":false,"testValue":1}]`,
}

func TestTheSchemaSaysWhatParseSays(t *testing.T) {
	schema := compiledSchema(t)
	var documents []string
	// Every field with every value, in its own object and in each that lacks a
	// required one; and names that belong elsewhere.
	names := map[string][]string{
		"%s":                                     {""},
		`{"code":"","codeType":"Javascript",%s}`: {"name"},
		`{"name":"t","codeType":"Javascript",%s}`:                               {"code"},
		`{"name":"t","code":"",%s}`:                                             {"codeType"},
		with(`"params":[{"type":"STRING","required":true,"testValue":"x",%s}]`): {"name"},
		with(`"params":[{"name":"a","required":true,"testValue":"x",%s}]`):      {"type"},
		with(`"params":[{"name":"a","type":"STRING","testValue":"x",%s}]`):      {"required"},
		with(`"params":[{"name":"a","type":"STRING","required":true,%s}]`):      {"testValue"},
	}
	for _, f := range optionalFields {
		names[f.around] = append(names[f.around], f.name)
	}
	for shape, own := range names {
		if shape != "%s" {
			own = append(own, "zzz", "name", "hosts", "required")
		}
		for _, name := range own {
			for _, value := range anyValues {
				member := `"` + name + `":` + value
				if name == "" {
					member = value
				}
				documents = append(documents, strings.Replace(shape, "%s", member, 1))
			}
		}
	}
	invalid := 0
	for _, text := range documents {
		why, valid := agree(schema, text)
		if why != "" {
			t.Error(why)
		}
		if !valid {
			invalid++
		}
	}
	t.Logf("%d documents, %d of them invalid", len(documents), invalid)
	if invalid < len(documents)/10 || invalid > len(documents)*9/10 {
		t.Errorf("%d of %d documents are invalid; that shows little", invalid, len(documents))
	}
}

func FuzzSchemaAgrees(f *testing.F) {
	schema := compiledSchema(f)
	for i, field := range optionalFields {
		f.Add(fmt.Sprintf(field.around, `"`+field.name+`":`+anyValues[i%len(anyValues)]))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if why, _ := agree(schema, text); why != "" {
			t.Fatal(why)
		}
	})
}

// A model's client validates against the lowered schema; what it accepts the
// tool must get, and what it refuses must not be accepted, but for the four
// allowances that CheckArguments documents.
func TestArgumentsAgreeWithTheInputSchema(t *testing.T) {
	spec := mustParse(t, with(allTypes))
	var s jsonschema.Schema
	if err := json.Unmarshal(spec.InputSchema(), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"s", "i", "n", "b", "o", "a", "undeclared"} {
		for _, value := range append([]string{`" "`, `"{}"`, `"[]"`, `"5"`}, anyValues...) {
			text := `{"s":"x","` + name + `":` + value + `}`
			if name == "s" {
				text = `{"s":` + value + `}`
			}
			var document any
			if err := json.Unmarshal([]byte(text), &document); err != nil {
				t.Fatal(err)
			}
			_, problems := spec.CheckArguments([]byte(text))
			accepted, valid := problems.Err() == nil, resolved.Validate(document) == nil
			blank := value == `null` || value == `""` || value == `" "`
			nested := name == "o" && value == `"{}"` || name == "a" && value == `"[]"`
			if accepted != valid && !(accepted && (name != "s" && blank || nested)) {
				t.Errorf("%s: accepted %v, valid %v", text, accepted, valid)
			}
		}
	}
}
