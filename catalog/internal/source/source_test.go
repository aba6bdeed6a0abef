package source

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// decode reads a value through the walker alone, the way encoding/json would.
func decode(v Value) any {
	switch v.Kind() {
	case '{':
		out := map[string]any{}
		for name, member := range v.Members() {
			key, _ := name.Text()
			out[key] = decode(member)
		}
		return out
	case '[':
		out := []any{}
		for item := range v.Items() {
			out = append(out, decode(item))
		}
		return out
	case '"':
		s, _ := v.Text()
		return s
	case 't', 'f':
		return v.Kind() == 't'
	case 'n':
		return nil
	}
	var f float64
	if json.Unmarshal(v.Raw(), &f) != nil {
		return nil
	}
	return f
}

// check compares with encoding/json: what is JSON, and what it means.
func check(t *testing.T, text string) {
	v, syntax := Open([]byte(text))
	if syntax != nil {
		if syntax.Message == "" || syntax.Offset < 0 || syntax.Offset > len(text) {
			t.Fatalf("%q: %+v", text, syntax)
		}
		return
	}
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		if strings.Contains(err.Error(), "float64") {
			return // a number of JSON that no double holds
		}
		t.Fatalf("%q was opened: %v", text, err)
	}
	if got := decode(v); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: got %#v, want %#v", text, got, want)
	}
	if string(v.Raw()) != strings.TrimSpace(text) {
		t.Fatalf("%q: the root is %q", text, v.Raw())
	}
}

var texts = []string{
	`{}`, ` [ ] `, `"\\\"]}"`, "\t-1.5e-3\n", `null`, `{"a" : [1, {"b" : "}"} , true ] , "" : {"\u0061":""}}`, `["\ud83d\ude00","\\u",  "\/"]`,
	`{"a":1,"a":2}`, `[1e999]`, ``, ` `, `{`, `[1,]`, `{"a":1,}`, `"`, `"\`, `nul`, `01`, `{} {}`, "\ufeff{}", "\"\xff\"", "\"\x01\"", `[[[[]]]]`,
}

func TestOpen(t *testing.T) {
	for _, text := range texts {
		check(t, text)
	}
}

func TestSyntaxErrorsSayWhere(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "  ": 0, `{"a":}`: 5, `{} x`: 3, "[\"\xff\"]": 2, "\ufeff1": 0, `[1,]`: 3,
		strings.Repeat("[", MaxDepth+1): MaxDepth, `"` + strings.Repeat("[", 1000) + `" x`: 1003,
	} {
		if _, syntax := Open([]byte(text)); syntax == nil || syntax.Offset != want {
			t.Errorf("%.20q: %+v, want offset %d", text, syntax, want)
		}
	}
	if _, syntax := Open([]byte(strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth))); syntax != nil {
		t.Errorf("the limit itself: %v", syntax)
	}
}

func TestHalfSurrogates(t *testing.T) {
	for text, want := range map[string]bool{
		`"\ud83d\ude00"`: true, `"\uD83D\uDE00x"`: true, `"\\ud83d"`: true, `"\u0041\ufffd"`: true, `"plain"`: true,
		`"\ud83d"`: false, `"\ude00"`: false, `"\ude00\ud83d"`: false, `"\ud83d\ud83d\ude00"`: false, `"\ud83dxxxxxx"`: false, `"\ud83d\u0041"`: false, `1`: false,
	} {
		v, _ := Open([]byte(text))
		if _, ok := v.Text(); ok != want {
			t.Errorf("%s: ok %v", text, ok)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(check)
}

func TestWholeAndBlankWithoutDecoding(t *testing.T) {
	for text, want := range map[string]struct{ whole, blank bool }{
		`"a"`: {true, false}, `""`: {true, true}, `" \t\n"`: {true, true}, `"\u00a0\u2003 "`: {true, true}, `"\u0061"`: {true, false}, "\"\u2003\"": {true, true},
		`"\ud83d\ude00"`: {true, false}, `"x\ud83d"`: {false, false}, `"\\ud83d\\"`: {true, false}, `"\"\\\ude00"`: {false, false}, `1`: {}, `null`: {}, `[" "]`: {},
	} {
		v, syntax := Open([]byte(text))
		if syntax != nil {
			t.Fatal(text, syntax)
		}
		if v.Whole() != want.whole || v.Blank() != want.blank {
			t.Errorf("%s: whole %v, blank %v", text, v.Whole(), v.Blank())
		}
		if _, ok := v.Text(); ok != v.Whole() {
			t.Errorf("%s: Text says %v", text, ok)
		}
	}
}
