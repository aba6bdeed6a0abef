package parse

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// want is the JSON a text comes to, or "!reason line:column" for a failure.
func check(t *testing.T, handler hostcall.Handler, text, want string) {
	t.Helper()
	reply, _, err := handler(t.Context(), budgettest.Ample(), []byte(text), nil)
	name := text
	if len(name) > 60 {
		name = name[:60]
	}
	if place, failure := strings.CutPrefix(want, "!"); failure {
		var e *hostcall.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %s, %v", name, reply, err)
			return
		}
		if got := e.Reason + e.Place(); got != place {
			t.Errorf("%q: %s, want %s (%v)", name, got, place, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%q: %v", name, err)
		return
	}
	var g, w any
	if err := errors.Join(json.Unmarshal(reply, &g), json.Unmarshal([]byte(want), &w)); err != nil {
		t.Fatalf("%q: %s: %v", name, reply, err)
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Errorf("%q: -want +got\n%s", name, d)
	}
}

func TestCSV(t *testing.T) {
	for _, c := range []struct{ options, text, want string }{
		{`{}`, "a,b\n1,2", `[["a","b"],["1","2"]]`},
		{`{}`, "a,b\r\n1,2\r\n", `[["a","b"],["1","2"]]`},
		{`{}`, "a\rb", `[["a"],["b"]]`},
		{`{}`, "a,,\n,", `[["a","",""],["",""]]`},
		{`{}`, "\ufeffa\n\n\nb\n", `[["a"],["b"]]`},
		{`{}`, `"a ""q"" b","x` + "\r\n" + `y"`, `[["a \"q\" b","x\r\ny"]]`},
		{`{}`, "\"\"\na", `[[""],["a"]]`},
		{`{}`, `5" pipe,x`, `[["5\" pipe","x"]]`},
		{`{"delimiter":";,"}`, "a;b,c", `[["a","b,c"]]`},
		{`{"delimiter":"→"}`, "a→b", `[["a","b"]]`},
		{`{"delimiter":"\t"}`, "a\tb", `[["a","b"]]`},
		{`{"header":true}`, "n,v\na,1\nb\nc,2,3", `[{"n":"a","v":"1"},{"n":"b","v":""},{"n":"c","v":"2"}]`},
		{`{"header":true}`, "n,v\n", `[]`},
		{`{"header":true}`, "__proto__,a\n1,2", `[{"__proto__":"1","a":"2"}]`},
		{`{}`, `a,"b`, `!parse-failed 1:3`},
		{`{}`, "a\né,\"b\"c", `!parse-failed 2:6`},
		{`{}`, "", `!missing-input`},
		{`{}`, "\xff", `!invalid-utf8`},
		{`{"delimiter":"\""}`, "a", `!invalid-delimiter`},
		{`{"delimiter":7}`, "a", `!invalid-argument`},
		{`{}`, strings.Repeat("x", maxInput+1), `!input-too-large`},
	} {
		check(t, CSV, c.options+"\n"+c.text, c.want)
	}
}

func TestXML(t *testing.T) {
	leaf := func(tag, text string) string {
		return `{"tag":"` + tag + `","attrs":{},"text":"` + text + `","children":[]}`
	}
	deep := strings.Repeat("<a>", maxDepth)
	for text, want := range map[string]string{
		`<a/>`:           leaf("a", ""),
		`<a> x </a>`:     leaf("a", "x"),
		"\ufeff<a>x</a>": leaf("a", "x"),
		`<?xml version="1.0" encoding="EUC-KR"?><!-- c --><a>x<![CDATA[<y>]]></a>`: leaf("a", `x<y>`),
		`<a>&lt;&amp;&#65;&#x42;</a>`:                                      leaf("a", "<&AB"),
		`<a>x<b>y</b>z</a>`:                                                `{"tag":"a","attrs":{},"text":"xz","children":[` + leaf("b", "y") + `]}`,
		`<n:a xmlns:n="u" n:k="v" k="w"><c/><d/></n:a>`:                    `{"tag":"n:a","attrs":{"xmlns:n":"u","n:k":"v","k":"w"},"text":"","children":[` + leaf("c", "") + "," + leaf("d", "") + `]}`,
		`<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`: `!parse-failed 1:55`,
		`<a>&x;</a>`:       `!parse-failed 1:7`,
		`<a>`:              `!parse-failed 1:4`,
		"<a>\n</b>":        `!parse-failed 2:5`,
		`<a></a><b></b>`:   `!parse-failed 1:11`,
		`text`:             `!parse-failed 1:5`,
		`<!-- only -->`:    `!parse-failed 1:14`,
		`<a k="1" k="2"/>`: `!parse-failed 1:17`,
		``:                 `!missing-input`,
		deep + strings.ReplaceAll(deep, "<", "</"): "",
		deep + "<a>": `!parse-failed 1:1540`,
	} {
		if want == "" { // too deep to write down; it must only be read
			if _, _, err := XML(t.Context(), budgettest.Ample(), []byte(text), nil); err != nil {
				t.Error(err)
			}
			continue
		}
		check(t, XML, text, want)
	}
}

func TestYAML(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		p := string(rune('a'+i-1)) + "0"
		n := string(rune('a'+i)) + "0"
		bomb += n + ": &" + n + " [" + strings.Repeat("*"+p+", ", 9) + "*" + p + "]\n"
	}
	for text, want := range map[string]string{
		"name: demo\nserver:\n  port: 8080\ntags:\n  - a\n  - b\n":          `{"name":"demo","server":{"port":8080},"tags":["a","b"]}`,
		"- 1\n- 0x1F\n- 0o17\n- 1.5\n- -3e2\n- 1e400x":                      `[1,31,15,1.5,-300,"1e400x"]`,
		"[true, false, null, ~, yes, no, on, 2026-01-02, '1', \"\\u00e9\"]": `[true,false,null,null,"yes","no","on","2026-01-02","1","é"]`,
		"a: |\n  x\n  y\nb: >-\n  x\n  y\n":                                 `{"a":"x\ny\n","b":"x y"}`,
		"a: &x {k: 1}\nb: *x\n":                                             `{"a":{"k":1},"b":{"k":1}}`,
		"a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3, m: 4}\n":                     `{"a":{"k":1,"l":2},"b":{"l":3,"m":4,"k":1}}`,
		"a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc: {<<: [*x, *y]}":               `{"a":{"k":1},"b":{"k":2,"l":2},"c":{"k":1,"l":2}}`,
		"1: a\ntrue: b\nnull: c":                                            `{"1":"a","true":"b","null":"c"}`,
		"123456789012345678901234567890":                                    `1.2345678901234568e29`,
		"!!str 12":                                                          `"12"`,
		"!!int '12'":                                                        `12`,
		`{"a\/b": "\/", "c": [1e2, "\ud83d\ude00"]}`:                        `{"a/b":"/","c":[100,"😀"]}`,
		"%YAML 1.2\n# c\n%ODD x\n---\na: '%'\n":                             `{"a":"%"}`,
		"%TAG ! tag:x,1:\n---\na: !!str 1\n":                                `{"a":"1"}`,
		"# nothing":                                                         `null`,
		"---\na: 1\n...\n":                                                  `{"a":1}`,
		"a: 1\n---\nb: 2\n":                                                 `!parse-failed 2:1`,
		"!!javax.script.ScriptEngineManager [x]":                            `!parse-failed 1:1`,
		"a: !custom x":                                                      `!parse-failed 1:4`,
		"a: 1\na: 2":                                                        `!parse-failed 2:1`,
		"? [a]\n: b":                                                        `!parse-failed 1:3`,
		"a: [1, 2":                                                          `!parse-failed 1:9`,
		"a: *missing":                                                       `!parse-failed 1:4`,
		"\tx: 1":                                                            `!parse-failed 1:1`,
		"a: 1\nb: c: d":                                                     `!parse-failed 2:5`,
		"a: é\nb: 'x\x01'":                                                  `!parse-failed 2:6`,
		"%YAML 1.2\na: 1":                                                   `!parse-failed 2:1`,
		"[017, 1_000, 0b1, +5, .5, 5., 0x_1, 190:20:30]":                    `[17,"1_000","0b1",5,0.5,5,"0x_1","190:20:30"]`,
		"!!float 1":                                                         `1`,
		"!!int 1_000":                                                       `!parse-failed 1:1`,
		strings.Repeat("%TAG !a! b\n", maxTags+1) + "---\na":                `!parse-failed 65:1`,
		"a: .inf":    `!parse-failed 1:4`,
		"a: &a [*a]": `!parse-failed 1:4`,
		bomb:         `!parse-failed 1:25`,
		strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2): `!parse-failed 1:514`,
		"": `!missing-input`,
	} {
		check(t, YAML, text, want)
	}
}

// What the standard library reads as CSV is the same here.
func FuzzCSVAgainstTheStandardLibrary(f *testing.F) {
	f.Add("a,b\n1,2\n")
	f.Add("\"a \"\"q\"\"\",\"x\ny\"\n\n,\n")
	f.Fuzz(func(t *testing.T, text string) {
		// It reads CR and the byte order mark as ordinary characters, and CRLF inside
		// of quotes as LF.
		if strings.ContainsAny(text, "\r\ufeff") || text == "" || !utf8.ValidString(text) {
			return
		}
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil {
			return
		}
		reply, _, err := CSV(t.Context(), budgettest.Ample(), []byte("{}\n"+text), nil)
		var got [][]string
		if err != nil || json.Unmarshal(reply, &got) != nil || !cmp.Equal(got, want, cmpopts.EquateEmpty()) {
			t.Errorf("%q: %s, %v, want %q", text, reply, err, want)
		}
	})
}
