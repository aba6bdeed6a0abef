package form_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/glovebox-run/glovebox/mcpserver/console/internal/form"
)

const schema = `{"type": "object", "required": ["to", "size", "deep"], "properties": {
	"to": {"type": "string", "description": "Whom."}, "n": {"type": ["integer", "null"]}, "ratio": {"type": "number"}, "loud": {"type": "boolean", "default": true},
	"size": {"enum": ["s", 12, null]}, "fixed": {"const": "x"}, "tags": {"type": "array", "items": {"type": "string"}}, "ids": {"type": "array", "items": {"type": "integer"}},
	"deep": {"type": "object", "required": ["a/b"], "properties": {"a/b": {"type": "string"}, "c~d": {"type": "object", "properties": {"e": {"type": "boolean"}}}}},
	"either": {"oneOf": [{"type": "string"}, {"type": "number"}]}, "rows": {"type": "array", "items": {"type": "object"}}, "any": {}}}`

func kinds(fields []form.Field) (all []string) {
	for _, f := range fields {
		all = append(all, f.Name+" "+string(f.Kind))
		all = append(all, kinds(f.Fields)...)
	}
	return all
}

func TestFieldsFollowTheSchema(t *testing.T) {
	want := []string{"a/to text", "a/n number", "a/ratio number", "a/loud choice", "a/size choice", "a/fixed choice", "a/tags lines", "a/ids lines", "a/deep group", "a/deep/a~1b text", "a/deep/c~0d group", "a/deep/c~0d/e choice", "a/either json", "a/rows json", "a/any json"}
	if d := cmp.Diff(want, kinds(form.Of(json.RawMessage(schema), nil, nil).Fields)); d != "" {
		t.Error(d)
	}
}

// TestArgumentsFitTheSchema: what the form makes is what a validator of JSON Schema accepts.
func TestArgumentsFitTheSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource("s.json", document); err != nil {
		t.Fatal(err)
	}
	judge, err := c.Compile("s.json")
	if err != nil {
		t.Fatal(err)
	}
	f := form.Of(json.RawMessage(schema), nil, nil)
	for want, values := range map[string]url.Values{
		`{"to":"","size":"s","deep":{"a/b":""}}`: {"a/size": {"0"}},
		`{"to":"<b>\n","n":12345678901234567890,"ratio":-1.5e3,"loud":false,"size":12,"fixed":"x","tags":["a","","b"],"ids":[1,2],"deep":{"a/b":"x","c~d":{"e":true}},"either":7,"rows":[{}],"any":{"z":1}}`: {
			"a/to": {"<b>\r\n"}, "a/n": {" 12345678901234567890 "}, "a/ratio": {"-1.5e3"}, "a/loud": {"1"}, "a/size": {"1"}, "a/fixed": {"0"}, "a/tags": {"a\r\n\r\nb\r\n"}, "a/ids": {"1\n2"},
			"a/deep/a~1b": {"x"}, "a/deep/c~0d/e": {"0"}, "a/either": {"7"}, "a/rows": {"[{}]"}, "a/any": {`{"z":1}`},
		},
		`{"to":"raw","size":null,"deep":{"a/b":"r"}}`: {"raw": {` {"to":"raw","size":null,"deep":{"a/b":"r"}} `}, "a/to": {"not this"}},
	} {
		got, problems := f.Arguments(values)
		if len(problems) > 0 {
			t.Errorf("%v: %v", values, problems)
			continue
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(got)))
		if err == nil {
			err = judge.Validate(value)
		}
		var is, should any
		if json.Unmarshal(got, &is) != nil || json.Unmarshal([]byte(want), &should) != nil || err != nil {
			t.Errorf("%s: %v", got, err)
		}
		if d := cmp.Diff(should, is); d != "" {
			t.Error(d)
		}
	}
	// All digits stay.
	if got, _ := f.Arguments(url.Values{"a/n": {"12345678901234567890"}, "a/size": {"0"}}); !strings.Contains(string(got), "12345678901234567890") {
		t.Errorf("the number became %s", got)
	}
}

func TestWhatCannotBeSentIsNamed(t *testing.T) {
	f := form.Of(json.RawMessage(schema), nil, nil)
	_, problems := f.Arguments(url.Values{"a/n": {"NaN"}, "a/loud": {"2"}, "a/ids": {"1\nx"}, "a/either": {"{"}, "a/ratio": {"1,5"}})
	var named []string
	for _, p := range problems {
		named = append(named, p.Field)
	}
	if got := strings.Join(named, " "); got != "n ratio loud size ids either" {
		t.Errorf("problems of %s", got)
	}
}

func TestWhatWasFilledInIsThereAgain(t *testing.T) {
	values := url.Values{"a/to": {"eve"}, "a/loud": {"1"}, "a/tags": {"x\ny"}}
	f := form.Of(json.RawMessage(schema), values, map[string]string{"/to": "author"})
	if f.Fields[0].Value != "eve" || !f.Fields[3].Options[1].On || f.Fields[3].Options[0].On || f.Fields[6].Value != "x\ny" {
		t.Errorf("%+v", f.Fields)
	}
	f = form.Of(json.RawMessage(schema), nil, map[string]string{"/to": "author", "/tags": `["a","b"]`})
	if f.Fields[0].Value != "author" || !f.Fields[3].Options[0].On || f.Fields[6].Value != "a\nb" {
		t.Errorf("a new form has %+v", f.Fields)
	}
}

func TestHostileSchemasAreBounded(t *testing.T) {
	var wide strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&wide, `"p%d":{"type":"string"},`, i)
	}
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 2000) + `{}` + strings.Repeat(`}}`, 2000)
	for name, s := range map[string]string{
		"wide": `{"properties":{` + strings.TrimSuffix(wide.String(), ",") + `}}`, "deep": deep, "no JSON": `{"properties":`, "a list": `[1]`, "odd": `{"properties":{"a":7,"b":{"type":7},"c":{"enum":7},"d":{"type":[]},"e":true},"required":7}`, "": "",
	} {
		f := form.Of(json.RawMessage(s), nil, nil)
		if n := len(kinds(f.Fields)); n > 100 {
			t.Errorf("%s: %d fields", name, n)
		}
		f.Arguments(url.Values{})
		if (name == "wide") != f.Cut {
			t.Errorf("%s: cut is %v", name, f.Cut)
		}
	}
}
