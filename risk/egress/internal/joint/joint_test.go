package joint

import (
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
)

// In every text the first part is ab12 and the second one cd34, or does not follow.
func TestGap(t *testing.T) {
	for text, kind := range map[string]Kind{
		"ab12\ncd34":               LineBreak,
		"ab12 \\\r\n    cd34":      LineBreak,
		"> ab12\n> cd34":           LineBreak,
		"# ab12\n# cd34":           LineBreak,
		"- ab12\n- cd34":           LineBreak,
		"1. ab12\n2. cd34":         LineBreak,
		"\u2502 ab12\n\u2502 cd34": LineBreak,
		"\"ab12\" +\n    \"cd34\"": LineBreak,
		"`ab12` + `cd34`":          Operator,
		"'ab12','cd34'":            Item,
		"ab12**cd34":               InWord,
		"ab12<br/></span><b>cd34":  InWord,
		"ab12\n" + "\u2022 cd34":   LineBreak,
		"ab12 |\n cd34":            LineBreak,
	} {
		start := strings.Index(text, "ab12")
		end := start + len("ab12")
		next := Gap([]byte(text), start, end)
		if want := strings.Index(text, "cd34"); next != want {
			t.Errorf("%q goes on at %d, want %d", text, next, want)
		} else if got := Of([]byte(text[end:next])); got != kind {
			t.Errorf("%q: kind %d, want %d", text, got, kind)
		}
	}
	for _, text := range []string{"ab12 cd34", "ab12", "ab12\n\n\ncd34", "ab12<td>cd34", "ab12 + cd34", "\"ab12\"\ncd34", "ab12\n" + strings.Repeat(" ", LongestBorder) + "cd34"} {
		start := strings.Index(text, "ab12")
		if next := Gap([]byte(text), start, start+4); next >= 0 {
			t.Errorf("%q goes on at %d", text, next)
		}
	}
}

func TestLineEnds(t *testing.T) {
	for text, want := range map[string]bool{"": true, "\n": true, "\";\r\nx": true, " |\n": true, "x\n": false, " x": false, "))))))))))\n": false} {
		if got := LineEnds([]byte(text), 0); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Seeker gives the places of the signs that strings.IndexAny gives.
func TestSeeker(t *testing.T) {
	for _, text := range []string{"", "plain", "a\nb\"c'd`e*f<g\n", strings.Repeat("x*", 50)} {
		s := Seeker{Text: []byte(text)}
		at := 0
		for {
			want := strings.IndexAny(text[at:], interrupts)
			got := s.Next(at)
			if want < 0 {
				if got >= 0 {
					t.Errorf("%q: %d after %d", text, got, at)
				}
				break
			}
			if got != at+want {
				t.Errorf("%q: %d after %d, want %d", text, got, at, at+want)
				break
			}
			at = got + 1
		}
	}
}

// Whatever stands there, a token goes on with a byte of one, behind where it stopped and
// not far from it.
func FuzzGap(f *testing.F) {
	f.Add("ab12\n> cd34", 4)
	f.Add("\"a\" + \"b", 2)
	f.Add("a<b><i>b", 1)
	f.Fuzz(func(t *testing.T, text string, end int) {
		if end < 1 || end > len(text) {
			return
		}
		next := Gap([]byte(text), end-1, end)
		if next < 0 {
			return
		}
		if next <= end || next >= len(text) || !decode.TokenSet.Has(text[next]) {
			t.Errorf("%q at %d goes on at %d", text, end, next)
		}
	})
}
