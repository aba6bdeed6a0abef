package process

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// Of a flood the first lines of each second arrive, and then how many did not.
func TestFloodsAreCounted(t *testing.T) {
	clock := time.Unix(0, 0)
	var got []string
	flood := strings.Repeat("x\n", 3*linesPerSecond)
	read := 0
	lines(strings.NewReader(flood+"after\n"), func() time.Time {
		if read++; read == 3*linesPerSecond+1 { // of the last line
			clock = clock.Add(time.Second)
		}
		return clock
	}, func(l string) { got = append(got, l) })
	want := append(slices.Repeat([]string{"x"}, linesPerSecond), "(400 more lines left out)", "after")
	if !slices.Equal(got, want) {
		t.Errorf("%d lines, the last %q", len(got), got[max(0, len(got)-3):])
	}
}

func TestWhatCouldForgeALogLineIsTakenOut(t *testing.T) {
	for line, want := range map[string]string{
		"a\tb":                          "a b",
		"\x1b[31mred\x1b[0m":            "�[31mred�[0m",
		"\x9b31mred":                    "�31mred", // no UTF-8
		"\u009b31mred":                  "�31mred",
		"one\u2028two\u2029three\u0085": "one�two�three�",
		"abc\u202egnp.exe":              "abcgnp.exe",
		"zero\u200bwidth\ufeff":         "zerowidth",
		"  spaces  ":                    "spaces",
		"größer 日本 🎉":                   "größer 日本 🎉",
	} {
		if got := clean(line); got != want {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("one\ntwo\r\n\x1b[2J\xff"))
	f.Add(bytes.Repeat([]byte("é"), maxLine))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines(bytes.NewReader(text), func() time.Time { return time.Unix(0, 0) }, func(l string) {
			// A byte that is no UTF-8 becomes a character of three.
			if l == "" || len(l) > 3*maxLine || !utf8.ValidString(l) {
				t.Errorf("%d bytes: %.100q", len(l), l)
			}
			for _, r := range l {
				if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
					t.Errorf("%U in %.100q", r, l)
				}
			}
		})
	})
}
