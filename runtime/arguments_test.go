package runtime_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/runtime"
)

// jsonDocuments follow the cases of the JSON Parsing Test Suite: what RFC 8259
// takes and what it does not, in the places where parsers go wrong.
var jsonDocuments = []string{
	// taken
	`0`, `-0`, `1e2`, `1E+2`, `0.1e-7`, `-1`, `123456789012345678`, `1.5`, `""`, `"a"`, `"\""`, `"\\\/\b\f\n\r\t"`, `"\u00e9"`, `"\uD83D\uDE00"`, `"` + "\u2028\u2029\x7f" + `"`, `"😀"`, `"\u0000"`,
	`[]`, `[ ]`, `[[]]`, `[1,2]`, "[\t\n\r 1 ]", `{}`, `{"":0}`, `{"a":{"b":[null,true,false]}}`, `{"__proto__":1,"constructor":2}`, ` 1 `, `[""]`, `"` + strings.Repeat("x", 10_000) + `"`, strings.Repeat("[", 100) + strings.Repeat("]", 100),
	// not taken
	``, ` `, `,`, `[1,]`, `[,1]`, `[1 2]`, `[1`, `]`, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{'a':1}`, `{"a":1 "b":2}`, `{1:2}`, `01`, `-01`, `+1`, `.5`, `5.`, `1e`, `1e+`, `0x1`, `-`, `--1`, `1_000`, `NaN`, `Infinity`, `-Infinity`, `undefined`,
	`tru`, `True`, `nul`, `"`, `"a`, `'a'`, `"\x41"`, `"\u00g0"`, `"\u12"`, `"\`, `"\ "`, "\"\n\"", "\"\t\"", "\"\x00\"", `"a" "b"`, `1 2`, `[1]]`, `{}}`, `/**/1`, `1//`, "\ufeff1", "\"\xff\"", "\"\xc0\x80\"", "\u00a01", "\v1", `[1,,2]`, `{"a":1,,"b":2}`,
}

// The standard library says what is JSON and what it is worth.
func TestArgumentsAreJSON(t *testing.T) {
	tool := load(t, open(t, runtime.Config{}), spec(t, "echo", "return a.v;", map[string]any{"params": []map[string]any{{"name": "a", "type": "OBJECT", "required": true, "testValue": "{}"}}}))
	for _, document := range jsonDocuments {
		raw := `{"a":{"v":` + document + `}}`
		var want struct{ A struct{ V json.RawMessage } }
		valid := json.Unmarshal([]byte(raw), &want) == nil && !strings.Contains(document, "\xff") && !strings.Contains(document, "\xc0")
		got := tool.Call(t.Context(), cleared(tool, raw))
		switch {
		case !valid && (got.Failure == nil || got.Failure.Kind != runtime.InvalidArguments):
			t.Errorf("%.60q is no JSON: %s, %v", document, got.Value, got.Failure)
		case valid && got.Failure != nil:
			t.Errorf("%.60q is JSON: %v", document, got.Failure)
		case valid && !sameJSON(t, got.Value, want.A.V):
			t.Errorf("%.60q became %.60s", document, got.Value)
		}
	}
}

func TestTheEngineCompilesEveryCodeThatASpecMayHold(t *testing.T) {
	if catalog.MaxCodeBytes != jsengine.MaxBody {
		t.Errorf("a spec holds %d bytes of code, the engine compiles %d", catalog.MaxCodeBytes, jsengine.MaxBody)
	}
}
