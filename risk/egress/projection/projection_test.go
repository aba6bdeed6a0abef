package projection

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

const account = `{
	"type": "object",
	"properties": {
		"accountId": {"type": "string"},
		"status": {"enum": ["active", "suspended", "closed"]},
		"owner": {"$ref": "#/$defs/person"},
		"notes": {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}}}},
		"labels": {"type": "object", "additionalProperties": {"type": "string"}},
		"raw": {"type": "object"}
	},
	"required": ["accountId", "status"],
	"$defs": {"person": {"type": "object", "properties": {"name": {"type": "string"}, "boss": {"$ref": "#/$defs/person"}}}}
}`

func parse(t *testing.T, text string) *Schema {
	t.Helper()
	s, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStripKeepsWhatIsDeclared(t *testing.T) {
	s := parse(t, account)
	for raw, want := range map[string]string{
		`{"accountId":"a","status":"active","email":"x@y.z"}`:                                                `{"accountId":"a","status":"active"}`,
		`{"status":"active", "accountId":"a" , "owner":{"name":"n","ssn":1,"boss":{"name":"b","pay":9.50}}}`: `{"status":"active","accountId":"a","owner":{"name":"n","boss":{"name":"b"}}}`,
		`{"accountId":"a","status":"closed","notes":[{"text":"t","by":"x"},{}]}`:                             `{"accountId":"a","status":"closed","notes":[{"text":"t"},{}]}`,
		`{"accountId":"a","status":"closed","labels":{"k":"v"},"raw":{"any":1}}`:                             `{"accountId":"a","status":"closed","labels":{"k":"v"},"raw":{"any":1}}`,
	} {
		got, err := s.Project([]byte(raw), Strip)
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", raw, got, err, want)
		}
	}
}

func TestWhatDoesNotFitTellsNothing(t *testing.T) {
	s := parse(t, account)
	for _, raw := range []string{`{"accountId":"a","status":"hunter2"}`, `{"status":"active"}`, `["hunter2"]`, `"hunter2"`, `{"accountId":`, ``} {
		out, err := s.Project([]byte(raw), Strip)
		if !errors.Is(err, ErrMismatch) || out != nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %s, %v", raw, out, err)
		}
	}
	if !json.Valid(ErrorResult()) {
		t.Error("the result that stands in is not JSON")
	}
}

func TestStrictNamesWhatIsNotDeclared(t *testing.T) {
	_, err := parse(t, account).Project([]byte(`{"accountId":"a","status":"active","e/mail":"x","owner":{"ssn":1}}`), Strict)
	var undeclared *UndeclaredError
	if !errors.As(err, &undeclared) || strings.Join(undeclared.Pointers, " ") != "/e~1mail /owner/ssn" {
		t.Errorf("got %v", err)
	}
}

func TestFitFindsValuesOfTheRightForm(t *testing.T) {
	s := parse(t, `{"type":"object","properties":{
		"mail":{"type":"string","format":"email"},
		"code":{"type":"string","pattern":"^[A-Z]{4}$"},
		"kind":{"enum":["a","b"]},
		"short":{"type":"string","maxLength":5},
		"free":{"type":"string"},
		"list":{"type":"array","items":{"type":"string","format":"uuid"}},
		"odd":{"type":"string","pattern":"^q7#[0-9]z$"}}}`)
	raw := `{"mail":"[R]","code":"[R]","kind":"[R]","short":"[REDACTED]","free":"[R]","list":["x","[R]"]}`
	got, err := s.Fit([]byte(raw), []string{"/mail", "/code", "/kind", "/short", "/free", "/list/1"})
	want := `{"mail":"redacted@example.invalid","code":"XXXX","kind":"a","short":"***","free":"[R]","list":["x","00000000-0000-0000-0000-000000000000"]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if out, err := s.Fit([]byte(`{"odd":"[R]"}`), []string{"/odd"}); !errors.Is(err, ErrMismatch) {
		t.Errorf("a value was made up: %s, %v", out, err)
	}
}

func TestSchemasThatDoNotEndAreRefused(t *testing.T) {
	for _, text := range []string{
		`{"$ref":"#"}`, `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`,
		`{"properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
		`{"$ref":"https://example.com/schema"}`, `{"$ref":"#/properties/x"}`, `[]`, `{"type":7}`,
	} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
	if _, err := Parse([]byte(`{"properties":{"next":{"$ref":"#"}}}`)); err != nil {
		t.Error(err)
	}
}

func FuzzProject(f *testing.F) {
	f.Add(account, `{"accountId":"a","status":"active","owner":{"boss":{"boss":{}}},"x":1}`)
	f.Add(`{"$ref":"#"}`, `[[[]]]`)
	f.Add(`{"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"items":{"$ref":"#"}}]}`, `{"a":[{"a":{"b":1}}]}`)
	f.Fuzz(func(t *testing.T, schema, raw string) {
		s, err := Parse([]byte(schema))
		if err != nil {
			return
		}
		out, err := s.Project([]byte(raw), Strip)
		if err == nil && !json.Valid(out) {
			t.Errorf("%s became %s", raw, out)
		}
	})
}
