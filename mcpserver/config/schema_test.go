package config

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestSchemaIsPublished: docs/ holds the current schema.
func TestSchemaIsPublished(t *testing.T) {
	golden(t, "../../docs/configuration.schema.json", Schema())
}

func compiled(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSchemaAndReaderAgree: for every key, schema and reader accept and refuse the
// same values, of every shape.
func TestSchemaAndReaderAgree(t *testing.T) {
	schema := compiled(t)
	shapes := []string{`true`, `3`, `-3`, `2.5`, `"word"`, `"17s"`, `"64MiB"`, `"L3"`, `"none"`, `"L9"`, `["a"]`, `[3]`, `[]`, `{}`, `{"a":"ask"}`, `{"a":"b"}`, `{"unknown":1}`, `"strict"`, `"-5s"`, `null`, `0`, `6`}
	for _, k := range Keys {
		for _, value := range append(shapes, samplesAsJSON(k)...) {
			steps := strings.Split(k.Path, ".")
			text := value
			for i := len(steps) - 1; i >= 0; i-- {
				text = fmt.Sprintf("{%q: %s}", steps[i], text)
			}
			var instance any
			if err := json.Unmarshal([]byte(text), &instance); err != nil {
				t.Fatal(err)
			}
			invalid := schema.Validate(instance)
			r := &reading{config: defaults(), at: map[string]position{}}
			r.parse([]byte(text))
			// Only the reader checks what a text or a number means beyond its form.
			if (invalid == nil) != (len(r.problems) == 0) && !finer(k, value) {
				t.Errorf("%s: the schema says %v, the reader %v", text, invalid, r.problems)
			}
		}
	}
	for _, text := range []string{`{"lisen": "a:1"}`, `{"limits": {"x": 1}}`, `{"limits": 3}`} {
		var instance any
		if err := json.Unmarshal([]byte(text), &instance); err != nil {
			t.Fatal(err)
		}
		if schema.Validate(instance) == nil {
			t.Errorf("the schema lets %s pass", text)
		}
	}
}

// finer lists what the schema cannot express: bounds of sizes and durations written
// as text.
func finer(k Key, value string) bool {
	return k.Min > 1 && (value == `"17s"` || value == `3` || value == `"0"`)
}

func samplesAsJSON(k Key) (texts []string) {
	for _, s := range samples(k) {
		c, err := Sources{}.Parse([]byte(inFile(k, s)))
		if err != nil {
			panic(err)
		}
		text, err := json.Marshal(plain(k.field(&c.Config)))
		if err != nil {
			panic(err)
		}
		if string(text) != "null" && k.Path != "policy.tools" {
			texts = append(texts, string(text))
		}
	}
	return texts
}

// TestPage: docs/configuration.md matches the table.
func TestPage(t *testing.T) {
	const name = "../../docs/configuration.md"
	const begin, end = "<!-- made of the table of keys -->\n", "<!-- end -->\n"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the list", name)
	}
	golden(t, name, []byte(before+begin+"\n"+Reference()+end+after))
}

// TestExample: the example changes nothing as it is, and every line of it is valid.
func TestExample(t *testing.T) {
	if l := parsed(t, Example()); !reflect.DeepEqual(l.Config, Default()) {
		t.Error("the example changes something as it is")
	}
	var b strings.Builder
	for line := range strings.Lines(Example()) {
		if !strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "#  ") {
			line = strings.TrimPrefix(line, "#")
		}
		b.WriteString(line)
	}
	l := parsed(t, b.String())
	for _, k := range Keys {
		if l.Origins[k.Path] != FromFile {
			t.Errorf("%s is not in the example", k.Path)
		}
		if got, want := k.Show(&l.Config), k.Show(defaults()); got != want {
			t.Errorf("%s is %s in the example, not %s", k.Path, got, want)
		}
	}
}
