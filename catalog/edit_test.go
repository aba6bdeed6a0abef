package catalog

import (
	"strings"
	"testing"
)

func TestWithKeepsEveryOtherByte(t *testing.T) {
	const text = "{\n  \"x-a\" : {\"b\":1, \"a\":[2,\"}\"]},\n  \"name\":\"t\",\n  \"draft\" : true ,\n  \"code\":\"\\u0061\",\n  \"codeType\": \"Javascript\"\n}\n"
	s := mustParse(t, text)
	edited, problems := s.With("draft", false)
	if len(problems) > 0 || string(edited.Raw()) != strings.Replace(text, "true", "false", 1) || edited.Draft() {
		t.Errorf("%v\n%s", problems, edited.Raw())
	}
	edited, problems = s.With("toolId", "a<b")
	want := strings.Replace(text, "\"Javascript\"\n", "\"Javascript\",\n  \"toolId\": \"a<b\"\n", 1)
	if len(problems) > 0 || string(edited.Raw()) != want || edited.ToolID() != "a<b" {
		t.Errorf("%v\n%s", problems, edited.Raw())
	}
	if string(s.Raw()) != text || !s.Draft() {
		t.Error("the spec that was edited changed")
	}
	if edited, problems := s.With("draft", "no"); edited != nil || len(problems) != 1 || problems[0].Line != 4 {
		t.Errorf("%v", problems)
	}
	one, _ := mustParse(t, minimal).With("x", nil)
	if string(one.Raw()) != `{"name":"t","code":"return 1;","codeType":"Javascript","x": null}` {
		t.Errorf("%s", one.Raw())
	}
}

func TestToolID(t *testing.T) {
	// Computed with another implementation of RFC 9562.
	for name, want := range map[string]string{
		"base64":         "f78f90f5-32ae-59ce-b09b-a2799ab321b7",
		"getUpbitTicker": "42d193eb-cca9-520c-a916-301d7604d878",
		"":               "9cb9926d-cacf-5041-81b8-b15931b9a38f",
		"café":           "3b7bc29e-a555-5519-a219-72db751f1492",
	} {
		if got := DeriveToolID(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	// A rename keeps an identity that the document holds.
	s, _ := mustParse(t, minimal).With("toolId", DeriveToolID("t"))
	renamed, _ := s.With("name", "other")
	if renamed.ToolID() != s.ToolID() || renamed.Name() != "other" || renamed.Hash() == s.Hash() {
		t.Errorf("%s became %s", s.ToolID(), renamed.ToolID())
	}
	if given := mustParse(t, with(`"toolId":"not a UUID"`)); given.ToolID() != "not a UUID" {
		t.Error(given.ToolID())
	}
}

func TestCheckTogether(t *testing.T) {
	active := func(name, rest string) *Spec {
		return mustParse(t, `{"name":"`+name+`","draft":false,"code":"","codeType":"Javascript"`+rest+`}`)
	}
	files := []File{
		{"a.json", active("one", "")},
		{"b.json", active("two", "")},
		{"c.json", active("one", `,"toolId":"id-1"`)},
		{"d.json", mustParse(t, `{"name":"one","code":"","codeType":"Javascript"}`)},
		{"e.json", mustParse(t, `{"name":"three","code":"","codeType":"Javascript","toolId":"id-1"}`)},
		{"f.json", mustParse(t, `{"name":"three","code":"","codeType":"Javascript"}`)},
		{"g.json", mustParse(t, `{"name":"three","code":"","codeType":"Javascript"}`)},
		{"h.json", mustParse(t, `{"name":"four","code":"","codeType":"Javascript","toolId":"`+DeriveToolID("two")+`"}`)},
	}
	want := []string{"name-duplicate c.json", "tool-id-duplicate h.json", "tool-id-duplicate e.json,name-duplicate a.json", "", "tool-id-duplicate c.json", "", "", "tool-id-duplicate b.json"}
	for i, problems := range CheckTogether(files) {
		var got []string
		for _, p := range problems {
			if p.Code != SpecInvariant || p.Line != 1 {
				t.Errorf("%+v", p)
			}
			_, others, _ := strings.Cut(p.Message, "used by ")
			got = append(got, p.Rule+" "+strings.SplitN(others, ";", 2)[0])
		}
		if strings.Join(got, ",") != want[i] {
			t.Errorf("%s: got %q, want %q", files[i].Name, strings.Join(got, ","), want[i])
		}
	}
}

func TestParseBundle(t *testing.T) {
	text := "{\"toolSpecs\":[\n" + minimal + ",\n{\"name\":\"bad\",\"code\":\"\"},\n" + with(`"draft":false`) + "],\n" +
		`"toolMcpServerSetting":{"autoAdd":true,"exposedToolIds":["a"],"excludedToolIds":null,"transport":"SSE"},"x/y":1}`
	if !IsBundle([]byte(text)) || IsBundle([]byte(minimal)) || IsBundle([]byte(with(`"toolSpecs":1`))) || IsBundle([]byte("x")) {
		t.Error("bundles and specs are mixed up")
	}
	b, problems := ParseBundle([]byte(text))
	if len(b.Specs) != 2 || b.Specs[0].Name() != "t" || string(b.Specs[1].Raw()) != with(`"draft":false`) {
		t.Errorf("%+v", b.Specs)
	}
	if len(problems) != 1 || problems[0].Pointer != "/toolSpecs/1/codeType" || problems[0].Line != 3 || problems[0].Column != 1 {
		t.Errorf("%v", problems)
	}
	// A later finding about a bundled spec stands in the bundle as well.
	late := b.Specs[1].Locate(Problems{NewProblem(Rule{ID: "x"}, "/draft", "")})
	if late[0].Pointer != "/toolSpecs/2/draft" || late[0].Line != 4 || late[0].Column != 64 {
		t.Errorf("%+v", late)
	}
	if b.Server == nil || !b.Server.AutoAdd || len(b.Server.ExposedToolIDs) != 1 || len(b.Server.ExcludedToolIDs) != 0 {
		t.Errorf("%+v", b.Server)
	}
	if got := strings.Join(b.Ignored, " "); got != "/toolMcpServerSetting/transport /x~1y" {
		t.Error(got)
	}
	if _, problems := ParseBundle([]byte(`{"toolSpecs":{}}`)); len(problems) != 1 {
		t.Errorf("%v", problems)
	}
}

func TestServerSettingExposes(t *testing.T) {
	for settings, want := range map[string]string{
		``:                  "a b c",
		`null`:              "a b c",
		`{}`:                "a b c",
		`{"autoAdd":null}`:  "a b c",
		`{"autoAdd":false}`: "",
		`{"autoAdd":false,"exposedToolIds":["a","b"]}`:                           "a b",
		`{"autoAdd":false,"exposedToolIds":["a","b"],"excludedToolIds":["b"]}`:   "a",
		`{"autoAdd":true,"exposedToolIds":["a"],"excludedToolIds":["c","gone"]}`: "a b",
	} {
		text := `{"toolSpecs":[]`
		if settings != "" {
			text += `,"toolMcpServerSetting":` + settings
		}
		b, problems := ParseBundle([]byte(text + "}"))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		var exposed []string
		for _, id := range []string{"a", "b", "c"} {
			if b.Server.Exposes(id) {
				exposed = append(exposed, id)
			}
		}
		if got := strings.Join(exposed, " "); got != want {
			t.Errorf("%s exposes %q, want %q", settings, got, want)
		}
	}
}
