package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"
)

// The pinned hashes were published for the reference implementation.
func TestCanonicalHashMatchesPublishedPins(t *testing.T) {
	const noHints = `"annotations":{"destructiveHint":null,"idempotentHint":null,"openWorldHint":null,"readOnlyHint":null,"title":null}`
	for _, tc := range []struct{ name, raw, want string }{
		{"search_web", `{` + noHints + `, "name":"search_web","description":"Search the web and return top results.","inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}}`,
			"2308889d3c635456f52daa70ce97bdc9f4691e2854d48afe76fb67f6c4f9973a"},
		{"null schema", `{"name":"t","description":"d","inputSchema":null,` + noHints + `}`,
			"4b06fc923f2824738eb5575598851c240331ca8b634eae703bbe5d3b0011bbd5"},
		{"not ASCII, quotes and slashes", `{"name":"caf\u00e9\/☃","description":"a \"quoted\" line\nnext\ttab","inputSchema":{"type":"object","properties":{"é":{"type":"string"},"Z":{"type":"number"},"a":{"type":"boolean"}}},` + noHints + `}`,
			"ef5e774c7af12a55b0fcb30f40f72f9b3df8f9f5fd9d4fcc3bae8462aceb580a"},
	} {
		if got, err := CanonicalHash([]byte(tc.raw)); got != tc.want {
			t.Errorf("%s: %s, %v", tc.name, got, err)
		}
	}
}

func TestCanonicalSpelling(t *testing.T) {
	for _, tc := range []struct{ raw, want string }{
		{` { "b" : [ 1 , 2 ] , "a" : { } , "" : [ ] } `, `{"":[],"a":{},"b":[1,2]}`},
		{`{"a":1,"b":0,"a":2}`, `{"a":2,"b":0}`},
		{`{"a":1,"\u0061":3}`, `{"a":3}`},
		// U+1F600 is D83D DE00 in UTF-16, so it comes before U+FF5E.
		{`{"～":1,"😀":2,"é":3,"z":4,"Z":5}`, `{"Z":5,"z":4,"é":3,"😀":2,"～":1}`},
		{`{"\ue000":1,"\ud83d\ude00":2}`, "{\"😀\":2,\"\ue000\":1}"},
		{`"\u001b[0m \u007f \b\f\n\r\t \/ \u2028 <&>"`, "\"\\u001B[0m \x7f \\b\\f\\n\\r\\t / \u2028 <&>\""},
		{`"\ud83d"`, `"\uD83D"`},
		{`"\ud83d\u0041\ude00\ud83d\ude00"`, `"\uD83DA\uDE00😀"`},
		{`"\\ud83d"`, `"\\ud83d"`},
		{`[-0,0,-1,123456789012345678901234567890]`, `[0,0,-1,123456789012345678901234567890]`},
		{`[-0.0,0e5,1.0,1.50,100,1e2]`, `[-0.0,0.0,1.0,1.5,100,100.0]`},
		{`[0.001,0.00099,9999999.0,10000000.0,1e21,1e-7,-2.5e10]`, `[0.001,9.9E-4,9999999.0,1.0E7,1.0E21,1.0E-7,-2.5E10]`},
		// Values from the documentation of Double.toString: the smallest double,
		// the largest, and one that older Java versions spelled too long.
		{`[4.9e-324,1.7976931348623157e308,2e23,0.1,1e-400]`, `[4.9E-324,1.7976931348623157E308,2.0E23,0.1,0.0]`},
		{`[true,false,null,"true"]`, `[true,false,null,"true"]`},
	} {
		got, err := Canonical([]byte(tc.raw))
		if string(got) != tc.want {
			t.Errorf("%s:\n got %s, %v\nwant %s", tc.raw, got, err, tc.want)
		}
	}
}

func TestCanonicalRefusals(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	if _, err := Canonical([]byte(deep(maxCanonicalDepth))); err != nil {
		t.Errorf("the depth limit itself: %v", err)
	}
	for _, tc := range []struct {
		raw, code string
		offset    int
	}{
		{"", "invalid-json", 0},
		{`{"a":1}x`, "invalid-json", 7},
		{"\ufeff{}", "invalid-json", 0},
		{`{"a":01}`, "invalid-json", 6},
		{"[\"ok\",\"\xff\"]", "invalid-utf8", 7},
		{deep(maxCanonicalDepth + 1), "too-deep", maxCanonicalDepth},
		{deep(200_000), "invalid-json", 10_000},
		{`[1e400]`, "number-out-of-range", 1},
		{"[ " + strings.Repeat("9", maxCanonicalNumber+1) + "]", "number-too-long", 2},
	} {
		_, err := Canonical([]byte(tc.raw))
		var refused *CanonicalError
		if !errors.As(err, &refused) || refused.Code != tc.code || refused.Offset != tc.offset {
			t.Errorf("%.40q: got %v, want %s at %d", tc.raw, err, tc.code, tc.offset)
		}
	}
}

// The oracle for key order is the UTF-16 encoder of the standard library.
func TestKeysFollowUTF16Order(t *testing.T) {
	keys := []string{"", "a", "ab", "b", "\u007f", "\u0080", "é", "퟿", "\ue000", "￿", "\U00010000", "😀", "\U0010ffff", "a😀", "a\uffff"}
	for _, a := range keys {
		for _, b := range keys {
			want := bytes.Compare(bigEndian(a), bigEndian(b))
			got := compareUTF16(a, b)
			if (got < 0) != (want < 0) || (got > 0) != (want > 0) {
				t.Errorf("%q against %q: got %d, want %d", a, b, got, want)
			}
		}
	}
}

func bigEndian(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u>>8), byte(u))
	}
	return b
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":1,"a":[1.5,"\ud800",{"":null}],"a":2}`, `"\u0000\u001f"`, `[1e300,-0,1E-9]`, "\xff", `{"a":{"a":{"a":[[[]]]}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		once, err := Canonical(raw)
		if err != nil {
			return
		}
		twice, err := Canonical(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("not a fixed point: %q, then %q, %v", once, twice, err)
		}
		// encoding/json reads every unpaired surrogate as U+FFFD, so it is an
		// oracle for all texts without one.
		var before, after any
		if json.Unmarshal(raw, &before) != nil || json.Unmarshal(once, &after) != nil {
			t.Fatalf("%q became %q", raw, once)
		}
		if !reflect.DeepEqual(before, after) && !strings.Contains(fmt.Sprint(before), "\ufffd") {
			t.Fatalf("%q means something else as %q", raw, once)
		}
	})
}

// A document may be wide or deep and must cost about the same a byte.
func BenchmarkCanonical(b *testing.B) {
	var wide strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&wide, `,"key%d":"%d"`, 20_000-i, i)
	}
	for name, raw := range map[string]string{
		"wide": "{" + wide.String()[1:] + "}",
		"deep": strings.Repeat(`{"a":`, 999) + `"` + strings.Repeat("x", 400_000) + `"` + strings.Repeat("}", 999),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, err := Canonical([]byte(raw)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
