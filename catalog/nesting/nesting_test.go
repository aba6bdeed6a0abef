package nesting

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestBeyond(t *testing.T) {
	for text, want := range map[string]int{
		"": -1, "[[]]": -1, "[[[": 2, "[{[": 2, "[[],[],[[]]]": 8, `["[[[["]`: -1, `["\"[[[","\\",[]]`: -1, `["\\"[[`: 6, `["\\\"[[`: -1, `"`: -1, `"\`: -1, "[]]]][[[[": -1,
	} {
		if got := Beyond([]byte(text), 2); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	if got := Beyond([]byte("["), 0); got != 0 {
		t.Error(got)
	}
}

func TestValues(t *testing.T) {
	for text, want := range map[string]int{"": 1, "1": 1, "[]": 2, "[1,2]": 3, `{"a":1,"b":[",{:["]}`: 6} {
		if got := Values([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// FuzzBeyond counts the brackets of encoding/json's tokens as well.
func FuzzBeyond(f *testing.F) {
	f.Add(`{"a":[{"b\"":[]}]}`, 2)
	f.Add(strings.Repeat("[", 50)+`"\\\""`+strings.Repeat("]", 50), 49)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		got := Beyond([]byte(text), limit)
		if !json.Valid([]byte(text)) || limit < 0 {
			return
		}
		want, depth := -1, 0
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber() // numbers may be larger than a float64
		for want < 0 {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			switch token {
			case json.Delim('['), json.Delim('{'):
				if depth++; depth > limit {
					want = int(d.InputOffset()) - 1
				}
			case json.Delim(']'), json.Delim('}'):
				depth--
			}
		}
		if got != want {
			t.Errorf("%d, want %d", got, want)
		}
		if n := Values([]byte(text)); n < depth || n > len(text) {
			t.Errorf("%d values", n)
		}
	})
}
