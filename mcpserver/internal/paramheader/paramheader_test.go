package paramheader_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/internal/paramheader"
)

var schema = json.RawMessage(`{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"n":{"type":"integer","x-mcp-header":"N"},
	"dry":{"type":"boolean","x-mcp-header":"Dry"},
	"in":{"type":"object","properties":{"deep":{"type":"string","x-mcp-header":"Deep"}}},
	"bad":{"type":"string","x-mcp-header":"no name"},"worse":{"x-mcp-header":7},"free":{"type":"string"}}}`)

func TestCheck(t *testing.T) {
	bindings := paramheader.Of(schema)
	if len(bindings) != 4 || paramheader.Of(json.RawMessage(`{"properties":{"a":{}}}`)) != nil {
		t.Fatal(bindings)
	}
	for _, row := range []struct {
		arguments string
		headers   []string
		ok        bool
	}{
		{`{}`, nil, true},
		{``, nil, true},
		{`{"free":"x","bad":"y"}`, nil, true},
		{`{"region":"eu"}`, []string{"Region", "eu"}, true},
		{`{"region":"eu"}`, nil, false},
		{`{"region":"eu"}`, []string{"Region", "us"}, false},
		{`{"region":null}`, nil, true},
		{`{"region":null}`, []string{"Region", "eu"}, false},
		{`{}`, []string{"Region", "eu"}, false},
		{`{"region":"\u00e9"}`, []string{"Region", "=?base64?w6k=?="}, true},
		{`{"region":"eu"}`, []string{"Region", "=?base64?%%%?="}, false},
		{`{"region":"us","region":"eu"}`, []string{"Region", "eu"}, true},
		{`{"region":"us","region":"eu"}`, []string{"Region", "us"}, false},
		{`{"region":["eu"]}`, []string{"Region", "eu"}, false},
		{`{"n":7}`, []string{"N", "7"}, true},
		{`{"n":7.0}`, []string{"N", "7"}, true},
		{`{"n":7.5}`, []string{"N", "7.5"}, false},
		{`{"n":9007199254740993}`, []string{"N", "9007199254740992"}, false},
		{`{"n":"7"}`, []string{"N", "7"}, true},
		{`{"dry":true}`, []string{"Dry", "true"}, true},
		{`{"dry":true}`, []string{"Dry", "false"}, false},
		{`{"in":{"deep":"x"}}`, []string{"Deep", "x"}, true},
		{`{"in":{"deep":"x"}}`, nil, false},
		{`{"in":7}`, nil, true},
		{`[1]`, nil, true},
	} {
		header := http.Header{}
		for i := 0; i < len(row.headers); i += 2 {
			header.Set("Mcp-Param-"+row.headers[i], row.headers[i+1])
		}
		if err := paramheader.Check(header, bindings, []byte(row.arguments)); (err == nil) != row.ok {
			t.Errorf("%s with %v: %v", row.arguments, row.headers, err)
		}
	}
}

// FuzzCheck: no schema and no arguments panic or hang.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(schema), []byte(`{"region":"eu","in":{"deep":[]}}`), "eu")
	f.Fuzz(func(t *testing.T, schema, arguments []byte, value string) {
		bindings := paramheader.Of(schema)
		_ = paramheader.Check(http.Header{"Mcp-Param-Region": {value}}, bindings, arguments)
		if err := paramheader.Check(http.Header{}, bindings, nil); err != nil {
			t.Errorf("nothing contradicts nothing: %v", err)
		}
	})
}
