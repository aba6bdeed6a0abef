package glyph

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLookAlikesAreLatinLetters(t *testing.T) {
	if len(lookAlikes) < 70 {
		t.Errorf("%d look-alikes: a row lost its second half", len(lookAlikes))
	}
	for from, to := range lookAlikes {
		if unicode.Is(unicode.Latin, from) || to >= utf8.RuneSelf || !unicode.IsLetter(to) {
			t.Errorf("%q reads as %q", from, to)
		}
		if unicode.IsUpper(from) != unicode.IsUpper(to) && unicode.IsUpper(from) && from < 0x1000 {
			t.Errorf("%q is upper case, %q is not: the rows have slipped", from, to)
		}
	}
}

func TestTheViewIsWhatIsMeant(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                  "plain",
		"hid\u200bden":           "hidden",
		"Ignоrе аll":             "Ignore all",
		"ｆｕｌｌ ｗｉｄｔｈ":             "full width",
		"𝐛𝐨𝐥𝐝":                   "bold",
		"café naïve":             "cafe naive",
		"pass\u00adword":         "password",
		"\x1b[31mred\x1b[0m":     "red",
		"a\U000E0041\U000E0042b": "ab",
		"Привет мир":             "Привет мир",
		"don’t":                  "don't",
	} {
		if v, _ := Reveal(text); v.Text != want {
			t.Errorf("%q: got %q, want %q", text, v.Text, want)
		}
	}
}

func FuzzOffsetsLeadBack(f *testing.F) {
	for _, s := range []string{"plain", "hid\u200bden Ignоrе", "a\U000E0041\U000E0042b \x1b[31m", "ｆｕｌｌ ﬁ ½", "\xff\xfe", "👨‍👩‍👧 \u202eabc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, tricks := Reveal(s)
		before := 0
		for i := range len(v.Text) + 1 {
			at := v.Original(i)
			if at < before || at > len(s) {
				t.Fatalf("%q: byte %d of %q leads to %d", s, i, v.Text, at)
			}
			before = at
		}
		for _, tr := range tricks {
			if tr.Start < 0 || tr.Start >= tr.End || tr.End > len(s) {
				t.Errorf("%q: %+v", s, tr)
			}
		}
		if utf8.ValidString(s) && !utf8.ValidString(v.Text) {
			t.Errorf("%q: the view %q is not UTF-8", s, v.Text)
		}
	})
}
