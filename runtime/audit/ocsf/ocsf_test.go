package ocsf_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/audit/ocsf"
)

// published is the schema of the class as it was published, made stricter: an attribute
// that it does not know is an error. The cloud that it demands belongs to a profile of
// the same name, which events here do not claim.
func published(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("testdata/api_activity-1.2.0.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	schema["required"] = slices.DeleteFunc(schema["required"].([]any), func(name any) bool { return name == "cloud" })
	strict := func(object any) {
		if o, ok := object.(map[string]any); ok && o["properties"] != nil && o["additionalProperties"] == nil {
			o["additionalProperties"] = false
		}
	}
	strict(schema)
	for _, definition := range schema["$defs"].(map[string]any) {
		strict(definition)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("ocsf.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("ocsf.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// hostile is text that a tool or a client chose.
const hostile = "\x1b[2J\"},{\"class_uid\":1}\n\u2028\u202e\xff end"

// records are one of each outcome, the last with something in every field.
func records(t *testing.T) []audit.Record {
	at := time.Date(2026, 3, 4, 5, 6, 7, 8_900_000, time.UTC)
	full := audit.Record{Time: at, Elapsed: audit.Microseconds(1500 * time.Microsecond), Outcome: audit.Refused}
	fill(t, reflect.ValueOf(&full).Elem())
	return []audit.Record{
		{Time: at, ID: "A", Tool: "hash", ToolID: "t-1", Outcome: audit.OK, Caller: "local"},
		{Time: at, ID: "B", Tool: "hash", Outcome: audit.Asked},
		{Time: at, ID: "C", Tool: hostile, ToolID: hostile, Caller: hostile, Client: hostile, Outcome: audit.Error, Cause: &audit.Cause{Kind: "exception", Message: hostile}},
		{},
		full,
	}
}

// fill sets every field that is not set.
func fill(t *testing.T, v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case !f.IsZero():
		case f.Type() == reflect.TypeFor[json.RawMessage]():
			f.Set(reflect.ValueOf(json.RawMessage(`{"key":["***"]}`)))
		case f.Type() == reflect.TypeFor[time.Time]():
			f.Set(reflect.ValueOf(time.Unix(1, 0)))
		case f.Kind() == reflect.String:
			f.SetString("text")
		case f.CanInt():
			f.SetInt(7)
		case f.CanUint():
			f.SetUint(7)
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		case f.Kind() == reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
			fill(t, f.Elem())
		case f.Kind() == reflect.Map:
			f.Set(reflect.MakeMap(f.Type()))
			value := reflect.New(f.Type().Elem()).Elem()
			if value.Kind() == reflect.Struct {
				fill(t, value)
			}
			f.SetMapIndex(reflect.ValueOf("text"), value)
		case f.Kind() == reflect.Slice:
			f.Set(reflect.ValueOf([]string{"example.com"}))
		default:
			t.Fatalf("a field of type %s is not filled", f.Type())
		}
	}
}

// TestThePublishedSchema: what a chain gives is valid by the schema, whatever texts are in
// it, and one line an event.
func TestThePublishedSchema(t *testing.T) {
	schema := published(t)
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(path, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, r := range records(t) {
		if _, err := log.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	encode := json.NewEncoder(&out)
	err = audit.Read(path, audit.Filter{}, func(e audit.Entry) error {
		event, err := ocsf.Of(e)
		if err != nil {
			return err
		}
		return encode.Encode(event)
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(records(t)) {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		event, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err == nil {
			err = schema.Validate(event)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, line)
		}
		// The schema does not say how these follow from each other.
		e := event.(map[string]any)
		if e["type_uid"] != json.Number("600399") || e["class_uid"] != json.Number("6003") {
			t.Errorf("%s", line)
		}
	}
	// The schema is strict enough to find a fault.
	for _, spoilt := range []string{`"class_uid":"x"`, `"class_uid":6003,"vendor":1`} {
		event, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(lines[0], `"class_uid":6003`, spoilt, 1)))
		if err != nil || schema.Validate(event) == nil {
			t.Errorf("%s is valid: %v", spoilt, err)
		}
	}
}

// TestNothingIsLost: every field of a record stands in its event, in an attribute of the
// class or under its own name in unmapped.
func TestNothingIsLost(t *testing.T) {
	mapped := map[string]string{
		"time": "time", "id": "metadata", "name": "api", "toolId": "resources", "contentHash": "resources", "caller": "actor", "client": "actor", "hosts": "resources",
	}
	full := records(t)[4]
	event, err := ocsf.Of(audit.Entry{Record: full})
	if err != nil {
		t.Fatal(err)
	}
	var unmapped, whole, record map[string]any
	text, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	of, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	for text, into := range map[string]*map[string]any{string(event.Unmapped): &unmapped, string(text): &whole, string(of): &record} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	for name := range record {
		attribute, isMapped := mapped[name]
		if _, there := unmapped[name]; there == isMapped {
			t.Errorf("%s in unmapped: %v, in an attribute: %v", name, there, isMapped)
		}
		if isMapped && whole[attribute] == nil {
			t.Errorf("%s is not in %s", name, attribute)
		}
	}
	if event.Time != full.Time.UnixMilli() || event.Severity != "High" || event.Status != "Failure" || event.Duration != 1 || event.Count != 8 || event.Resources[1].Name != "example.com" {
		t.Errorf("%+v", event)
	}
}
