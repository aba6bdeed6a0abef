package jsonwalk

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

var texts = []string{
	`{"a":[1,2.5,"x\u00e9y",{"b":null,"c":"é😀"},true],"name":"v\\\"","d":{"e":[],"f":{}}}`,
	`[["a","b"],["c"],[],"d"]`, `"only a string"`, `"{\"a\":1}"`, `" [1]"`, `{}`, `17`, ` { "a" : "b" , "c" : [ 1 , 2 ] } `, `{"key":{"key":"value"}}`, `["\ud83d\ude00\n"]`,
	`{"a" 1}`, `[1 2]`, "[\"\x01\"]", `nul`, `{"a":"b"`, `["a\`, `["\`, ``,
}

// At every place a cut is the beginning of the text and, if the text is JSON, JSON with
// the same members and elements before it.
func TestCut(t *testing.T) {
	for _, text := range texts {
		for size := range len(text) + 1 {
			checkCut(t, []byte(text), size)
		}
	}
}

func checkCut(t *testing.T, text []byte, size int) {
	cut, ok := Cut(text, size)
	if !ok {
		return
	}
	kept := cut
	for !bytes.HasPrefix(text, kept) {
		if last := kept[len(kept)-1]; last != '}' && last != ']' && last != '"' {
			t.Fatalf("%q cut at %d: %q", text, size, cut)
		}
		kept = kept[:len(kept)-1]
	}
	if len(kept) > size && !bytes.HasPrefix(text[:size], bytes.TrimRight(cut, `"]}`)) {
		t.Fatalf("%q cut at %d: %q is too long", text, size, cut)
	}
	if json.Valid(text) && !json.Valid(cut) {
		t.Fatalf("%q cut at %d: %q is not JSON", text, size, cut)
	}
}

// Text that may be JSON of its own stays whole, or its members would lose their names.
func TestCutLeavesInnerJSONWhole(t *testing.T) {
	for _, inner := range []string{`{\"password\":\"`, ` [\"`, `\n{`, `\u007b`} {
		text := []byte(`["a","` + inner + strings.Repeat("x", 100) + `"]`)
		if cut, ok := Cut(text, 50); ok {
			t.Errorf("%s was cut: %s", text, cut)
		}
	}
	if _, ok := Cut([]byte(`["a","`+strings.Repeat("x", 100)+`"]`), 50); !ok {
		t.Error("prose was not cut")
	}
}

func FuzzCut(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text), len(text)/2)
	}
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		if size < 0 || size > len(text) {
			return
		}
		checkCut(t, text, size)
	})
}
