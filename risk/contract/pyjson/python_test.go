package pyjson

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// testdata/python.jsonl was written by Python itself; python.py beside it says how.
func TestOddValuesReadAsPythonReadsThem(t *testing.T) {
	data, err := os.ReadFile("testdata/python.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range bytes.Lines(data) {
		var row struct {
			JSON, Str, Text, Compact string
			Flag                     bool
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		rows++
		v, err := Parse([]byte(row.JSON))
		if err != nil {
			t.Errorf("%s: %v", row.JSON, err)
			continue
		}
		if got := v.Str(); got != row.Str {
			t.Errorf("%s: str %q, want %q", row.JSON, got, row.Str)
		}
		if got := v.Trimmed(); got != row.Text {
			t.Errorf("%s: text %q, want %q", row.JSON, got, row.Text)
		}
		if got := v.Flag(); got != row.Flag {
			t.Errorf("%s: flag %v, want %v", row.JSON, got, row.Flag)
		}
		if got := string(v.AppendCompact(nil)); got != row.Compact {
			t.Errorf("%s: compact %q, want %q", row.JSON, got, row.Compact)
		}
	}
	if rows < 50 {
		t.Fatalf("only %d rows", rows)
	}
}

// A number beyond the range of a double is infinity to Python's str() and no
// JSON at all to its dumps(); the compact form keeps it as it was written.
func TestInfinity(t *testing.T) {
	for source, want := range map[string]string{"1e999": "inf", "-1e999": "-inf"} {
		v, err := Parse([]byte(source))
		if err != nil {
			t.Fatal(err)
		}
		if v.Trimmed() != want || string(v.AppendCompact(nil)) != source {
			t.Errorf("%s: %q, %s", source, v.Trimmed(), v.AppendCompact(nil))
		}
	}
}

func TestStrictReader(t *testing.T) {
	for name, source := range map[string]string{
		"empty":                "",
		"blank":                " \n",
		"truncated":            `{"a":`,
		"trailing value":       `{} {}`,
		"trailing comma":       `{"a":1,}`,
		"comment":              "{} // x",
		"NaN":                  `{"a":NaN}`,
		"Infinity":             `{"a":-Infinity}`,
		"single quotes":        `{'a':1}`,
		"leading zero":         `{"a":01}`,
		"duplicate name":       `{"a":1,"a":1}`,
		"escaped duplicate":    `{"a":1,"\u0061":1}`,
		"nested duplicate":     `[{"b":{"a":1,"a":2}}]`,
		"byte order mark":      "\ufeff{}",
		"broken UTF-8":         "\"\xff\"",
		"overlong UTF-8":       "\"\xc0\xaf\"",
		"lone surrogate":       `"\ud800"`,
		"reversed surrogates":  `"\udc00\ud800"`,
		"control in a text":    "\"\x01\"",
		"too many digits":      strings.Repeat("9", maxDigits+1),
		"nested beyond 10,000": strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	} {
		if v, err := Parse([]byte(source)); err == nil {
			t.Errorf("%s was read as %+v", name, v)
		}
	}
}

func TestParseMembersSkipsAndStaysStrict(t *testing.T) {
	got, err := new(Parser).ParseMembers([]byte(`{"x":{"y":[1,{}]},"y":"kept","z":null}`), "y", "absent")
	if err != nil || len(got.Names) != 1 || got.Get("y").Text != "kept" {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, source := range []string{
		``, `[]`, `"y"`, `{`, `{"y":1`, `{"y":1,}`, `{"y":1} {}`, `{"y":1}}`, `{"y":1,"y":1}`, `{"x":1,"x":1}`, `{"x":NaN,"y":1}`, `{"x":{"a":1,"a":1},"y":1}`,
		`{"x":"\ud800"}`, "{\"x\":\"\xff\"}", `{"x":[1,]}`, `{"x" 1}`, `{1:1}`, `{"x":01}`, `{"y":}`, `{"x":`,
	} {
		if v, err := new(Parser).ParseMembers([]byte(source), "y"); err == nil {
			t.Errorf("%s was read as %+v", source, v)
		}
	}
}
