package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
)

// document writes a spec without a single warning, with some fields replaced.
func document(replace map[string]string) string {
	fields := map[string]string{
		"name": `"convertUnits"`, "description": `"Converts a length. Returns { metres }."`, "category": `"MATH"`, "tags": `["util"]`,
		"params":          `[{"name":"feet","type":"NUMBER","required":true,"testValue":"3","description":"A length, e.g. 3"}]`,
		"staticVariables": `[{"apiKey":"${API_KEY}"}]`, "code": `"return feet * 0.3048;"`, "codeType": `"Javascript"`,
	}
	for name, value := range replace {
		fields[name] = value
	}
	var members []string
	for name, value := range fields {
		members = append(members, fmt.Sprintf("%q: %s", name, value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func param(name, extra string) string {
	return `[{"name":` + name + `,"type":"STRING","required":false,"description":"d"` + extra + `}]`
}

func environment(name string) (string, bool) {
	value, ok := map[string]string{"API_KEY": "hunter2!", "OTHER": "other!", "SHORT": "abc", "BLANK": "    "}[name]
	return value, ok
}

// Every row fires on the first kind of document and stays quiet on the second.
var cases = []struct {
	rule, field string
	fires       []string
	quiet       []string
}{
	{"name-slug", "name", []string{`"Get Weather"`, `"a/b"`, `"-a"`, `"GetWeather"`}, []string{`"get-weather"`, `"get_weather2"`, `"getWeather"`, `"7zip"`}},
	{"description-missing", "description", []string{`null`, `"  "`}, nil},
	{"description-missing", "params", []string{`[{"name":"a","type":"STRING","required":false}]`}, nil},
	{"description-secret", "description", []string{
		`"Use AKIAIOSFODNN7EXAMPLE."`, `"-----BEGIN RSA PRIVATE KEY-----"`, `"ghp_0123456789abcdefghijABCDEFGHIJ012345"`, `"AIzaSyA0123456789012345678901234567890ab"`,
		`"Authorization: Bearer abcdefghijklmnopqrstuvwxyz"`, `"password=hunter2hunter2"`, `"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.x"`},
		[]string{`"Set API_KEY as an environment variable."`, `"A bearer token is sent."`, `"password: ${PASSWORD}"`, `"sk-learn"`}},
	{"environment-value", "description", []string{`"Sends hunter2! along."`}, []string{`"Sends hunter2 along."`, `"Sends no value of ${OTHER}: other!"`}},
	{"environment-value", "params", []string{param(`"a"`, `,"testValue":"-hunter2!-"`)}, []string{param(`"a"`, `,"testValue":"abc"`)}},
	{"environment-value", "staticVariables", nil, []string{`[{"a":"${SHORT} ${BLANK} ${UNSET}"}]`}},
	{"description-secret", "params", []string{`[{"name":"a","type":"STRING","required":false,"description":"glpat-01234567890123456789"}]`}, nil},
	{"description-credentials", "description", []string{`"See https://bob:pw@host.example/x."`, `"ftp://token@host.example"`}, []string{`"Mail a@b.example or see https://b.example/@me."`}},
	{"test-value-secret", "params", []string{param(`"a"`, `,"testValue":"xoxb-0123456789-abc"`)}, []string{param(`"a"`, `,"testValue":"Seoul"`)}},
	{"test-value-credentials", "params", []string{param(`"a"`, `,"testValue":"postgres://u:p@db.example/x"`)}, []string{param(`"a"`, `,"testValue":"https://example.com"`)}},
	{"test-value-unreadable", "params", []string{`[{"name":"a","type":"INTEGER","required":false,"description":"d","testValue":"x"}]`}, []string{`[{"name":"a","type":"INTEGER","required":false,"description":"d","testValue":"7"}]`}},
	{"static-secret-literal", "staticVariables", []string{`[{"k":"sk_live_0123456789abcdef"}]`}, []string{`[{"id":"12345-abc"}]`}},
	{"static-not-a-reference", "staticVariables", []string{`[{"k":"${apiKey}"}]`, `[{"a/b":"x${API-KEY}y"}]`, `[{"k":"${}"}]`}, []string{`[{"k":"$API {x} ${A}${_B9}"}]`}},
	{"static-hides-param", "params", []string{param(`"apiKey"`, "")}, []string{param(`"apikey"`, "")}},
	{"binding-name", "params", []string{param(`"user-id"`, ""), param(`"class"`, ""), param(`"2nd"`, ""), param(`"__proto__"`, ""), param(`"fetch"`, "")}, []string{param(`"user_id"`, ""), param(`"$x"`, ""), param(`"from"`, "")}},
	{"binding-name", "staticVariables", []string{`[{"":"x"}]`, `[{"safety":"x"}]`}, nil},
	{"category-missing", "category", []string{`null`, `""`}, nil},
	{"category-vocabulary", "category", []string{`"web"`, `"Misc"`}, []string{`"WEB"`, `"AI"`, `"OTHER"`}},
	{"tags-count", "tags", []string{`["korea","util","search"]`}, []string{`["korea","util"]`, `[]`}},
	{"tags-vocabulary", "tags", []string{`["Korea"]`}, []string{`["weather","geo"]`}},
	{"tags-capability", "tags", []string{`["network"]`, `["API_KEY"]`, `["util","oauth"]`}, []string{`["github"]`}},
	{"locale-identifier", "name", []string{`"날씨"`}, nil},
	{"locale-identifier", "params", []string{param(`"도시"`, "")}, nil},
	{"locale-identifier", "staticVariables", []string{`[{"ключ":"x"}]`}, nil},
	{"locale-description", "description", []string{`"Finds 駅 by name."`, `"It's a 駅 finder."`}, []string{`"Finds stations (e.g. '東京駅', \"駅\", 「駅」). Café — naïve…"`}},
	{"locale-code", "code", []string{`"const 값 = 1; return 값;"`, `"let s = 'a'; 값 = s;"`}, []string{`"// 주석\nconst s = '값' + \"값\" + ` + "`값`" + `; /* 값 */ return s;"`, `"return 'it\\'s 값';"`}},
	{"code-empty", "code", []string{`""`, `" \n"`}, nil},
	{"network-open", "sandboxOverrides", []string{`{"networkMode":"open"}`}, []string{`{"networkMode":"strict"}`}},
	{"hosts-unused", "sandboxOverrides", []string{`{"hostsAllow":["a.example"]}`, `{"networkMode":"strict","hostsAllow":["a.example"]}`}, []string{`{"networkMode":"allowlist","hostsAllow":["a.example"]}`}},
	{"hosts-empty", "sandboxOverrides", []string{`{"networkMode":"allowlist"}`}, []string{`{"networkMode":"allowlist","hostsAllow":["*"]}`}},
	{"host-form", "sandboxOverrides", []string{`{"networkMode":"allowlist","hostsAllow":["https://a.example"]}`, `{"networkMode":"allowlist","hostsAllow":["a.example/x"]}`, `{"networkMode":"allowlist","hostsAllow":["a.*.example"]}`, `{"networkMode":"allowlist","hostsAllow":["a.example:8080"]}`},
		[]string{`{"networkMode":"allowlist","hostsAllow":["*.a-b.example","10.0.0.1","*","localhost"]}`}},
	{"destructive-alone", "sandboxOverrides", []string{`{"destructive":true}`}, []string{`{"destructive":true,"fileWrite":true}`, `{"destructive":false}`}},
	{"java-reach", "sandboxOverrides", []string{`{"addAllowClasses":["java.io.File"]}`, `{"removeDenyClasses":["java.lang.System"]}`}, []string{`{"addDenyClasses":["a.B"]}`}},
	{"java-reach", "toolSafety", []string{`{"runtime":{"javaInterop":true}}`}, []string{`{"runtime":{"javaInterop":false}}`}},
	{"helper-not-granted", "toolSafety", []string{`{"runtime":{"helpers":["safety.http/v1"]}}`}, []string{`{"runtime":{"helpers":["safety.parser/v1"]}}`}},
	{"approval-mode", "humanInTheLoop", []string{`{"requirement":"REQUIRED"}`, `{"Mode":"REQUIRED","promptTemplate":"{args}"}`},
		[]string{`null`, `{}`, `{"promptTemplate":"{args}"}`, `{"mode":"REQUIRED","x":1}`, `{"mode":"DISABLED"}`, `{"requirement":null}`}},
	{"approval-names-nothing", "humanInTheLoop", []string{`{"mode":"REQUIRED","promptTemplate":"Go ahead?"}`, `{"mode":"REQUIRED","promptTemplate":"{arg}"}`},
		[]string{`{"mode":"REQUIRED"}`, `{"mode":"REQUIRED","promptTemplate":" "}`, `{"mode":"REQUIRED","promptTemplate":"{toolName}?"}`, `{"mode":"REQUIRED","promptTemplate":"with {args}"}`}},
	{"field-spelling", "static_variables", []string{`[]`}, nil},
	{"field-spelling", "SandboxOverride", []string{`{}`}, nil},
	{"field-spelling", "x-acme-cost-cap", nil, []string{`1`}},
}

func rulesOf(t *testing.T, text string) map[string]bool {
	t.Helper()
	spec, problems := catalog.Parse([]byte(text))
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	fired := map[string]bool{}
	for _, p := range Check(spec, environment) {
		if !p.Warning || p.Line != 1 || p.Message == "" {
			t.Errorf("%+v", p)
		}
		fired[p.Rule] = true
	}
	return fired
}

func TestRules(t *testing.T) {
	if fired := rulesOf(t, document(nil)); len(fired) > 0 {
		t.Fatalf("the plain document is not plain: %v", fired)
	}
	covered := map[string]bool{}
	for _, tc := range cases {
		covered[tc.rule] = true
		for _, value := range tc.fires {
			if text := document(map[string]string{tc.field: value}); !rulesOf(t, text)[tc.rule] {
				t.Errorf("%s is quiet about %s %s", tc.rule, tc.field, value)
			}
		}
		for _, value := range tc.quiet {
			if text := document(map[string]string{tc.field: value}); rulesOf(t, text)[tc.rule] {
				t.Errorf("%s fires on %s %s", tc.rule, tc.field, value)
			}
		}
	}
	seen := map[string]bool{}
	for _, r := range append(Rules(), catalog.Rules()...) {
		if seen[r.ID] || r.Summary == "" {
			t.Errorf("rule %q is there twice or says nothing", r.ID)
		}
		seen[r.ID] = true
	}
	for _, r := range Rules() {
		if !covered[r.ID] {
			t.Errorf("no case for %s", r.ID)
		}
	}
}

func TestWarningsSayWhere(t *testing.T) {
	spec, _ := catalog.Parse([]byte("{\"name\":\"t\",\n\"code\":\"x\",\"codeType\":\"Javascript\",\n\"tags\":[\"util\",\n  \"secret\"]}"))
	for _, p := range Check(spec, environment) {
		if p.Rule == "tags-capability" && (p.Pointer != "/tags/1" || p.Line != 4 || p.Column != 3) {
			t.Errorf("%+v", p)
		}
		// What is absent is reported at the object that lacks it.
		if p.Rule == "category-missing" && (p.Pointer != "/category" || p.Line != 1 || p.Column != 1) {
			t.Errorf("%+v", p)
		}
	}
}

func TestWarningsAreBounded(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`{"a":"${b}"},`, 20_000), ",")
	spec, _ := catalog.Parse([]byte(document(map[string]string{"staticVariables": "[" + many + "]"})))
	if n := len(Check(spec, environment)); n != maxWarnings {
		t.Errorf("%d warnings", n)
	}
}
