package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
)

const minimal = `{"name":"t","code":"return 1;","codeType":"Javascript"}`

// with returns the minimal spec with one more member.
func with(member string) string { return strings.TrimSuffix(minimal, "}") + "," + member + "}" }

func TestDefaultsOfTheMinimalSpec(t *testing.T) {
	s := mustParse(t, minimal)
	if !s.Draft() {
		t.Error("a document that does not say is not a draft")
	}
	if s.Description() != "" || s.Category() != "" || len(s.Tags())+len(s.Params())+len(s.StaticVariables()) != 0 {
		t.Error("something came from nowhere")
	}
	if !s.Created().IsZero() || !s.Updated().IsZero() || s.HumanInTheLoop() != (HumanInTheLoop{}) {
		t.Error("something came from nowhere")
	}
	if s.ToolID() != DeriveToolID("t") {
		t.Errorf("toolId %s", s.ToolID())
	}
	if p := Request(s.Overrides(), DefaultBaseline()); !equalPosture(p, Posture{}) {
		t.Errorf("it asks for %+v", p)
	}
}

func TestEveryFieldIsRead(t *testing.T) {
	s := mustParse(t, `{
		"toolId":"id-1","name":"n","description":"d","category":"WEB","tags":["korea","x"],
		"params":[{"name":"b","type":"OBJECT","required":true,"testValue":"{}","description":"pd"},{"name":"a","type":"ARRAY","required":false}],
		"staticVariables":[{"k":"one"},{"k":"two"},{"":""}],
		"code":"c","codeType":"Javascript",
		"sandboxOverrides":{"addAllowClasses":["a1"],"removeAllowClasses":["r1"],"addDenyClasses":["d1"],"removeDenyClasses":["d2"],
			"networkMode":"allowlist","hostsAllow":["h"],"fileRead":true,"fileWrite":false,"destructive":true,"fsBasePath":"/b"},
		"toolSafety":{"version":"1.3","runtime":{"id":"i","minVersion":"1","ecmaVersion":"2024","javaInterop":true,"helpers":["safety.fs/v1"],"console":true},
			"category":{"source":"acme","id":"WEB"},"capabilities":{"network":{"mode":"open","hosts":["*"]},"fileRead":true,"fileWrite":true,"destructive":true}},
		"humanInTheLoop":{"mode":"REQUIRED","promptTemplate":"really?","more":1},
		"draft":false,"createTimestamp":1700000000000,"updateTimestamp":1.7e12}`)
	o := s.Overrides()
	got := fmt.Sprint(s.ToolID(), s.Name(), s.Description(), s.Category(), s.Tags(), s.Code(), s.CodeType(), s.Draft(),
		s.Params()[0].Name, s.Params()[0].Type, s.Params()[0].Required, *s.Params()[0].TestValue, s.Params()[0].Description,
		s.Params()[1].Name, s.Params()[1].Type, s.Params()[1].Required, s.Params()[1].TestValue,
		s.StaticVariables(), o.AddAllowClasses, o.RemoveAllowClasses, o.AddDenyClasses, o.RemoveDenyClasses,
		*o.NetworkMode, o.HostsAllow, *o.FileRead, *o.FileWrite, *o.Destructive, o.FSBasePath, s.Declared(), s.HumanInTheLoop(),
		s.Created().Equal(time.UnixMilli(1700000000000)), s.Updated().Equal(time.UnixMilli(1700000000000)))
	want := "id-1 n d WEB [korea x] c Javascript falseb OBJECT true {} pda ARRAY false <nil> [{k one} {k two} { }] [a1] [r1] [d1] [d2] allowlist [h] true false true /b {1.3 [safety.fs/v1] true acme} {REQUIRED really?} true true"
	if normal(got) != normal(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func normal(s string) string { return strings.ReplaceAll(s, " ", "") }

// Where each problem is found, and that all of them come at once.
func TestProblems(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string // rule code pointer line:column
	}{
		{"nothing", ``, []string{"syntax SPEC_PARSE  1:1"}},
		{"cut off", `{"name":`, []string{"syntax SPEC_PARSE  1:8"}},
		{"not an object", `[]`, []string{"field-type SPEC_PARSE  1:1"}},
		{"a byte order mark", "\ufeff" + minimal, []string{"syntax SPEC_PARSE  1:1"}},
		{"not UTF-8", "{\n\"name\":\"\xff\"}", []string{"syntax SPEC_PARSE  2:9"}},
		{"empty object", "\n {}", []string{"field-missing SPEC_PARSE /name 2:2", "field-missing SPEC_PARSE /code 2:2", "field-missing SPEC_PARSE /codeType 2:2"}},
		{"required and null", `{"name":null,"code":null,"codeType":null}`, []string{"field-missing SPEC_PARSE /name 1:1", "field-missing SPEC_PARSE /code 1:1", "field-missing SPEC_PARSE /codeType 1:1"}},
		{"names are exact", `{"Name":"t","code":"","codeType":"Javascript"}`, []string{"field-missing SPEC_PARSE /name 1:1"}},
		{"many at once", "{\n  \"name\": \"\",\n  \"code\": 1,\n  \"é\": 1, \"codeType\": \"Python\",\n  \"draft\": \"no\",\n  \"tags\": [1],\n  \"createTimestamp\": -1\n}", []string{
			"field-empty SPEC_PARSE /name 2:11", "field-type SPEC_PARSE /code 3:11", "field-value SPEC_PARSE /codeType 4:23",
			"field-type SPEC_PARSE /draft 5:12", "field-type SPEC_PARSE /tags/0 6:12", "field-range SPEC_PARSE /createTimestamp 7:22"}},
		{"a field twice", `{"name":"a","name":"b","code":"","codeType":"Javascript"}`, []string{"duplicate-member SPEC_PARSE /name 1:13"}},
		{"a field twice, escaped", `{"name":"a","n\u0061me":"b","code":"","codeType":"Javascript"}`, []string{"duplicate-member SPEC_PARSE /name 1:13"}},
		{"an extension twice is the extension's business", with(`"x-a":1,"x-a":2`), nil},
		{"half a surrogate pair", with(`"description":"\ud83d"`), []string{"half-surrogate SPEC_PARSE /description 1:70"}},
		{"a whole pair", with(`"description":"\ud83d\ude00"`), nil},
		{"half a pair in an extension", with(`"x-a":"\udc00"`), nil},
		{"params: closed", with(`"params":[{"name":"a","type":"STRING","required":false,"tpye":1}]`), []string{"unknown-member SPEC_PARSE /params/0/tpye 1:111"}},
		{"params: missing", with(`"params":[{}]`), []string{"field-missing SPEC_PARSE /params/0/name 1:66", "field-missing SPEC_PARSE /params/0/required 1:66", "field-missing SPEC_PARSE /params/0/type 1:66"}},
		{"params: no test value", with(`"params":[{"name":"a","type":"STRING","required":true}]`), []string{"test-value-missing SPEC_INVARIANT /params/0/testValue 1:66"}},
		{"params: null test value", with(`"params":[{"name":"a","type":"STRING","required":true,"testValue":null}]`), []string{"test-value-missing SPEC_INVARIANT /params/0/testValue 1:66"}},
		{"params: test value of another type is the Local Pass's business", with(`"params":[{"name":"a","type":"INTEGER","required":true,"testValue":"1.5"}]`), nil},
		{"params: twice", with(`"params":[{"name":"a","type":"STRING","required":false},{"name":"a","type":"STRING","required":false}]`), []string{"param-duplicate SPEC_INVARIANT /params/1/name 1:120"}},
		{"statics: two entries", with(`"staticVariables":[{"a":"1","b":"2"}]`), []string{"static-variable-shape SPEC_PARSE /staticVariables/0 1:75"}},
		{"statics: none", with(`"staticVariables":[{}]`), []string{"static-variable-shape SPEC_PARSE /staticVariables/0 1:75"}},
		{"statics: not a string", with(`"staticVariables":[{"a/b":1}]`), []string{"field-type SPEC_PARSE /staticVariables/0/a~1b 1:82"}},
		{"statics: an object", with(`"staticVariables":{"a":"1"}`), []string{"field-type SPEC_PARSE /staticVariables 1:74"}},
		{"overrides: closed", with(`"sandboxOverrides":{"fileread":true}`), []string{"unknown-member SPEC_PARSE /sandboxOverrides/fileread 1:76"}},
		{"overrides: mode spelling", with(`"sandboxOverrides":{"networkMode":"OPEN"}`), []string{"field-value SPEC_PARSE /sandboxOverrides/networkMode 1:90"}},
		{"overrides: class on both sides", with(`"sandboxOverrides":{"addAllowClasses":["a.B"],"addDenyClasses":["a.B"]}`), []string{"class-conflict SPEC_INVARIANT /sandboxOverrides/addAllowClasses 1:94"}},
		{"overrides: removed again", with(`"sandboxOverrides":{"addAllowClasses":["a.B"],"addDenyClasses":["a.B"],"removeDenyClasses":["a.B"]}`), nil},
		{"toolSafety: closed", with(`"toolSafety":{"riskLevel":"L0"}`), []string{"unknown-member SPEC_PARSE /toolSafety/riskLevel 1:70"}},
		{"toolSafety: helper form", with(`"toolSafety":{"runtime":{"helpers":["safety.fs"]}}`), []string{"helper-form SPEC_PARSE /toolSafety/runtime/helpers/0 1:92"}},
		{"approval mode", with(`"humanInTheLoop":{"mode":"required"}`), []string{"field-value SPEC_PARSE /humanInTheLoop/mode 1:81"}},
	} {
		spec, problems := Parse([]byte(tc.text))
		var got []string
		for _, p := range problems {
			got = append(got, fmt.Sprintf("%s %s %s %d:%d", p.Rule, p.Code, p.Pointer, p.Line, p.Column))
			if p.Message == "" {
				t.Errorf("%s: %s says nothing", tc.name, p.Rule)
			}
		}
		if strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, strings.Join(got, "\n     "), strings.Join(tc.want, "\n     "))
		}
		if (spec == nil) != (len(problems) > 0) || (problems.Err() == nil) != (len(problems) == 0) {
			t.Errorf("%s: spec %v with problems %v", tc.name, spec, problems)
		}
	}
}

// optionalFields lists every optional field with a value and the document
// around it; %s is where the member goes.
var optionalFields = []struct{ around, name, value string }{
	{with(`%s`), "toolId", `"x"`},
	{with(`%s`), "description", `"x"`},
	{with(`%s`), "category", `"x"`},
	{with(`%s`), "tags", `["x"]`},
	{with(`%s`), "params", `[{"name":"a","type":"STRING","required":false}]`},
	{with(`%s`), "staticVariables", `[{"a":"b"}]`},
	{with(`%s`), "sandboxOverrides", `{"fileRead":true}`},
	{with(`%s`), "toolSafety", `{"version":"1.0"}`},
	{with(`%s`), "humanInTheLoop", `{"mode":"REQUIRED"}`},
	{with(`%s`), "draft", `false`},
	{with(`%s`), "createTimestamp", `1`},
	{with(`%s`), "updateTimestamp", `1`},
	{with(`"params":[{"name":"a","type":"STRING","required":false,%s}]`), "description", `"x"`},
	{with(`"params":[{"name":"a","type":"STRING","required":false,%s}]`), "testValue", `"x"`},
	{with(`"sandboxOverrides":{%s}`), "addAllowClasses", `["x"]`},
	{with(`"sandboxOverrides":{%s}`), "removeAllowClasses", `["x"]`},
	{with(`"sandboxOverrides":{%s}`), "addDenyClasses", `["x"]`},
	{with(`"sandboxOverrides":{%s}`), "removeDenyClasses", `["x"]`},
	{with(`"sandboxOverrides":{%s}`), "networkMode", `"open"`},
	{with(`"sandboxOverrides":{%s}`), "hostsAllow", `["x"]`},
	{with(`"sandboxOverrides":{%s}`), "fileRead", `true`},
	{with(`"sandboxOverrides":{%s}`), "fileWrite", `true`},
	{with(`"sandboxOverrides":{%s}`), "destructive", `true`},
	{with(`"sandboxOverrides":{%s}`), "fsBasePath", `"x"`},
	{with(`"toolSafety":{%s}`), "version", `"1.0"`},
	{with(`"toolSafety":{%s}`), "runtime", `{"javaInterop":true}`},
	{with(`"toolSafety":{%s}`), "category", `{"source":"x"}`},
	{with(`"toolSafety":{%s}`), "capabilities", ``},
	{with(`"toolSafety":{"runtime":{%s}}`), "id", ``},
	{with(`"toolSafety":{"runtime":{%s}}`), "minVersion", ``},
	{with(`"toolSafety":{"runtime":{%s}}`), "ecmaVersion", ``},
	{with(`"toolSafety":{"runtime":{%s}}`), "javaInterop", `true`},
	{with(`"toolSafety":{"runtime":{%s}}`), "helpers", `["safety.fs/v1"]`},
	{with(`"toolSafety":{"runtime":{%s}}`), "console", ``},
	{with(`"toolSafety":{"category":{%s}}`), "source", `"x"`},
	{with(`"toolSafety":{"category":{%s}}`), "id", ``},
	{with(`"toolSafety":{"capabilities":{%s}}`), "network", ``},
	{with(`"toolSafety":{"capabilities":{%s}}`), "fileRead", ``},
	{with(`"toolSafety":{"capabilities":{%s}}`), "fileWrite", ``},
	{with(`"toolSafety":{"capabilities":{%s}}`), "destructive", ``},
	{with(`"toolSafety":{"capabilities":{"network":{%s}}}`), "mode", ``},
	{with(`"toolSafety":{"capabilities":{"network":{%s}}}`), "hosts", ``},
	{with(`"humanInTheLoop":{%s}`), "mode", `"REQUIRED"`},
	{with(`"humanInTheLoop":{%s}`), "promptTemplate", `"x"`},
}

func TestNullEqualsAbsent(t *testing.T) {
	for _, f := range optionalFields {
		parse := func(member string) *Spec {
			text := fmt.Sprintf(f.around, member)
			text = strings.NewReplacer(",}", "}", ",]", "]").Replace(text)
			s := *mustParse(t, text)
			s.text = nil
			return &s
		}
		absent, null := parse(""), parse(`"`+f.name+`":null`)
		if describe(absent) != describe(null) {
			t.Errorf("%s: null differs from absent in %s", f.name, f.around)
		}
		if f.value != "" && describe(parse(`"`+f.name+`":`+f.value)) == describe(absent) {
			t.Errorf("%s: the value is not read, so the test above shows nothing", f.name)
		}
	}
}

func describe(s *Spec) string {
	o := s.overrides
	flags, _ := json.Marshal([]any{o.NetworkMode, o.FileRead, o.FileWrite, o.Destructive, o.FSBasePath, s.params,
		o.AddAllowClasses, o.RemoveAllowClasses, o.AddDenyClasses, o.RemoveDenyClasses, o.HostsAllow})
	return fmt.Sprint(s.toolID, s.description, s.category, s.tags, s.statics, s.declared, s.humanInTheLoop, s.draft, s.created, s.updated, s.hash) + string(flags)
}

func TestTheTextSurvives(t *testing.T) {
	text := "{ \"x-first\" : [1e2, {\"b\":1,\"a\":2}, \"\\u0041\"],\r\n\t" + strings.TrimPrefix(minimal, "{") + "\n"
	data := []byte(text)
	s := mustParse(t, text)
	if string(s.Raw()) != text {
		t.Errorf("saved as %q", s.Raw())
	}
	spec, _ := Parse(data)
	clear(data)
	if string(spec.Raw()) != text {
		t.Error("the spec shares its caller's buffer")
	}
	clear(spec.Raw())
	if string(spec.Raw()) != text {
		t.Error("a caller can change the spec")
	}
}

// Hostile documents end in a bounded list and are not slower than linear; the
// benchmark below has the numbers.
func hostile(size int) map[string]string {
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	list := func(piece string) string { return strings.TrimSuffix(fill(piece+","), ",") }
	return map[string]string{
		"deep":           with(`"x":` + fill("[")),
		"deep and whole": with(`"x":` + strings.Repeat("[", size/2) + strings.Repeat("]", size/2)),
		"wide unknown":   with(list(`"x":[{}]`)),
		"wide repeated":  "{" + list(`"name":"x"`) + "}",
		"bad params":     with(`"params":[` + list(`{}`) + `]`),
		"same params":    with(`"params":[` + list(`{"name":"a","type":"STRING","required":false}`) + `]`),
		"bad statics":    with(`"staticVariables":[` + list(`{"a":1,"b":2}`) + `]`),
		"bad helpers":    with(`"toolSafety":{"runtime":{"helpers":[` + list(`"A"`) + `]}}`),
		"classes":        with(`"sandboxOverrides":{"addAllowClasses":[` + list(`"a.B"`) + `],"addDenyClasses":[` + list(`"a.B"`) + `]}`),
		"big number":     with(`"createTimestamp":` + strings.Repeat("9", size)),
		"big exponent":   with(`"createTimestamp":1e` + strings.Repeat("9", size)),
		"escapes":        with(`"description":"` + fill(`\ud83d\ude00`) + `"`),
		"quotes":         with(`"codeType":"` + fill(`\\`) + `"`),
		"brackets":       fill("]"),
	}
}

func TestHostileDocuments(t *testing.T) {
	for name, text := range hostile(50_000) {
		_, problems := Parse([]byte(text))
		if len(problems) > maxProblems+1 {
			t.Errorf("%s: %d problems", name, len(problems))
		}
		for _, p := range problems {
			if len(p.Message) > 2000 {
				t.Errorf("%s: a message of %d bytes", name, len(p.Message))
			}
		}
	}
	_, problems := Parse(bytes.Repeat([]byte(" "), MaxSpecBytes+1))
	if len(problems) != 1 || problems[0].Rule != "too-large" {
		t.Errorf("%v", problems)
	}
	_, problems = Parse(fmt.Appendf(nil, `{"name":"t","code":"%s","codeType":"Javascript"}`, strings.Repeat("x", MaxCodeBytes+1)))
	if len(problems) != 1 || problems[0].Rule != "code-too-large" || problems[0].Column != 20 {
		t.Errorf("%v", problems)
	}
	_, problems = Parse([]byte(hostile(50_000)["bad params"]))
	if last := problems[len(problems)-1]; last.Rule != "too-many-problems" {
		t.Errorf("the cut is not said: %v", last)
	}
}

// Keys of a document end up in messages that people read on a terminal.
func TestAProblemIsOnePrintableLine(t *testing.T) {
	for _, key := range []string{`\u001b[2J`, `a\nb`, `\u202e`, strings.Repeat("k", 100_000), `한글`} {
		for _, text := range []string{with(`"staticVariables":[{"` + key + `":1}]`), with(`"sandboxOverrides":{"` + key + `":1}`), with(`"codeType2":1,"humanInTheLoop":{"mode":"` + key + `"}`)} {
			_, problems := Parse([]byte(text))
			if len(problems) == 0 {
				t.Fatalf("%.80s is fine", text)
			}
			for _, p := range problems {
				line := p.String()
				if len(line) > 1000 || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("%.200q", line)
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, field := range optionalFields {
		f.Add([]byte(fmt.Sprintf(field.around, `"`+field.name+`":`+field.value)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		spec, problems := Parse(data)
		if (spec == nil) != (len(problems) > 0) {
			t.Fatalf("spec %v with problems %v", spec, problems)
		}
		for _, p := range problems {
			if p.Line < 1 || p.Column < 1 || p.Code == "" || p.Message == "" {
				t.Fatalf("%+v", p)
			}
		}
		if spec == nil {
			return
		}
		again, _ := Parse(spec.Raw())
		if again == nil || again.Hash() != spec.Hash() || describe(again) != describe(spec) {
			t.Fatalf("%q is read in two ways", data)
		}
		arguments, problems := spec.TestArguments()
		if len(problems) > 0 {
			return
		}
		if _, problems := spec.CheckArguments(arguments); problems.Err() != nil {
			t.Fatalf("the test values are no arguments: %v", problems)
		}
	})
}
