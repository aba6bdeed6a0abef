package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog/internal/source"
)

const allTypes = `"params":[
	{"name":"s","type":"STRING","required":true,"testValue":"한글 </script>"},
	{"name":"i","type":"INTEGER","required":false,"testValue":" 7 "},
	{"name":"n","type":"NUMBER","required":false,"testValue":"1.50"},
	{"name":"b","type":"BOOLEAN","required":false,"testValue":"true"},
	{"name":"o","type":"OBJECT","required":false,"testValue":"{\"x\":[1,2]}"},
	{"name":"a","type":"ARRAY","required":false,"testValue":""}]`

func TestCheckArguments(t *testing.T) {
	s := mustParse(t, with(allTypes))
	for _, tc := range []struct{ name, raw, want, problems string }{
		{"all of them, in parameter order", `{"a":[1],"o":{"k":null},"b":false,"n":1.50,"i":3,"s":"x"}`, `{"s":"x","i":3,"n":1.50,"b":false,"o":{"k":null},"a":[1]}`, ""},
		{"the required one alone", `{"s":"x"}`, `{"s":"x"}`, ""},
		{"missing", `{}`, "", "argument-missing /s 1:1"},
		{"no arguments at all", ``, "", "argument-missing /s 1:1"},
		{"null", `null`, "", "argument-missing /s 1:1"},
		{"required and null", `{"s":null}`, "", "argument-missing /s 1:1"},
		{"required and blank is passed on", `{"s":"  "}`, `{"s":"  "}`, ""},
		{"optional and null", `{"s":"x","i":null}`, `{"s":"x"}`, ""},
		{"optional and blank", `{"s":"x","o":"","a":" \t"}`, `{"s":"x"}`, ""},
		{"objects in strings", `{"s":"x","o":"{\"k\": \"\\u0041\"} ","a":"[1, 2]"}`, `{"s":"x","o":{"k": "\u0041"},"a":[1, 2]}`, ""},
		{"the wrong thing in strings", `{"s":"x","o":"[]","a":"{"}`, "", "argument-type /o 1:14,argument-type /a 1:23"},
		{"whole numbers", `{"s":"x","i":1e3}`, `{"s":"x","i":1e3}`, ""},
		{"all types wrong at once", `{"s":1,"i":"5","n":"5","b":"true","o":[],"a":{}}`, "", "argument-type /s 1:6,argument-type /i 1:12,argument-type /n 1:20,argument-type /b 1:28,argument-type /o 1:39,argument-type /a 1:46"},
		{"no whole number", `{"s":"x","i":1.5}`, "", "argument-type /i 1:14"},
		{"beyond a double", `{"s":"x","n":1e999}`, "", "argument-range /n 1:14"},
		{"half a surrogate pair", `{"s":"\ud800"}`, "", "argument-type /s 1:6"},
		{"twice", `{"s":"x","s":"y"}`, "", "argument-duplicate /s 1:10"},
		{"undeclared", `{"s":"x","fetch":1,"s/":2}`, `{"s":"x"}`, "argument-undeclared /fetch 1:10,argument-undeclared /s~1 1:20"},
		{"not an object", `["x"]`, "", "arguments-syntax  1:1"},
		{"not JSON", `{"s":}`, "", "arguments-syntax  1:6"},
	} {
		got, problems := s.CheckArguments([]byte(tc.raw))
		var list []string
		for _, p := range problems {
			list = append(list, fmt.Sprintf("%s %s %d:%d", p.Rule, p.Pointer, p.Line, p.Column))
		}
		if string(got) != tc.want || strings.Join(list, ",") != tc.problems {
			t.Errorf("%s: got %s, %v\nwant %s, %s", tc.name, got, list, tc.want, tc.problems)
		}
		if (got == nil) != (problems.Err() != nil) {
			t.Errorf("%s: %s with %v", tc.name, got, problems)
		}
	}
}

func TestTestArguments(t *testing.T) {
	s := mustParse(t, with(allTypes))
	const want = `{"s":"한글 \u003c/script\u003e","i":7,"n":1.50,"b":true,"o":{"x":[1,2]}}`
	if got, problems := s.TestArguments(); string(got) != want || problems != nil {
		t.Errorf("got %s, %v", got, problems)
	}
	if got, problems := mustParse(t, minimal).TestArguments(); string(got) != "{}" || problems != nil {
		t.Errorf("got %s, %v", got, problems)
	}
	for typ, values := range map[string][]string{
		"INTEGER": {"1.5", "x", "0x1", "1 2", ""}, "NUMBER": {"1e999", "one", "\"1\""}, "BOOLEAN": {"yes", "TRUE", "1"},
		"OBJECT": {"[]", "{", "null"}, "ARRAY": {"{}", "a,b"},
	} {
		for _, value := range values {
			quoted, _ := json.Marshal(value)
			s := mustParse(t, with(`"params":[{"name":"a","required":true,"type":"`+typ+`","testValue":`+string(quoted)+`}]`))
			got, problems := s.TestArguments()
			if got != nil || len(problems) != 1 || problems[0].Code != LocalPassFailed || problems[0].Pointer != "/params/0/testValue" || problems[0].Column < 66 {
				t.Errorf("%s %q: %s, %v", typ, value, got, problems)
			}
		}
	}
}

func TestIsInteger(t *testing.T) {
	for number, want := range map[string]bool{
		"0": true, "-0": true, "0.0": true, "0e-9": true, "1": true, "-1.0": true, "1.5": false, "1.5e1": true, "1.50e1": true,
		"1.25e1": false, "10e-1": true, "15e-1": false, "100e-3": false, "1E3": true, "1e99999999999999999999": true,
		"1e-99999999999999999999": false, "1.00000000000000000000001": false, "0.0001e4": true,
	} {
		if isInteger(number) != want {
			t.Errorf("%s: got %v", number, !want)
		}
	}
}

// What is passed on is JSON, holds declared names only, each once and in order,
// and checking it again changes nothing.
func FuzzCheckArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"s":"x","o":"{\"a\":[]}","a":"[1]","n":1e3,"i":-0,"b":true}`, `{"s":"","x":1,"o":"\ud800"}`, `null`, `{"s":1}`, `{"o":"\"{}\"","s":""}`} {
		f.Add([]byte(seed))
	}
	s := mustParse(f, with(allTypes))
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, problems := s.CheckArguments(raw)
		if (out == nil) != (problems.Err() != nil) {
			t.Fatalf("%q with %v", out, problems)
		}
		if out == nil {
			return
		}
		again, problems := s.CheckArguments(out)
		if string(again) != string(out) || problems != nil {
			t.Fatalf("%q, then %q, %v", out, again, problems)
		}
		var names []string
		root, syntax := source.Open(out)
		if syntax != nil {
			t.Fatalf("%q: %v", out, syntax)
		}
		for name := range root.Members() {
			key, _ := name.Text()
			names = append(names, key)
		}
		var declared []string
		for _, p := range s.Params() {
			if slices.Contains(names, p.Name) {
				declared = append(declared, p.Name)
			}
		}
		if !slices.Equal(names, declared) {
			t.Fatalf("%q holds %q", out, names)
		}
	})
}
