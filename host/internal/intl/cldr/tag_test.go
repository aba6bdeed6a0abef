package cldr

import "testing"

func FuzzParseTag(f *testing.F) {
	for _, seed := range []string{"en", "zh-hant-tw", "de-DE-u-co-phonebk-kn-true", "sl-rozaj-biske-1994-x-a", "en-t-de-latn-m0-x", "iw-Qaai-SU", "i-klingon", "a--b", "und-Latn"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tag, ok := ParseTag(text)
		if !ok {
			return
		}
		again, ok := ParseTag(tag.String())
		if !ok || again.String() != tag.String() {
			t.Fatalf("%q is %q, which is %q", text, tag, again)
		}
		if max := tag.Maximize(); max.Maximize().String() != max.String() {
			t.Errorf("%q: likely subtags of %q are not all", text, max)
		}
		if l, ok := Lookup(tag); ok {
			if _, err := LoadNumbers(l.Data); err != nil {
				t.Errorf("%q resolves to %q: %v", text, l.Data, err)
			}
		}
	})
}

func TestLookup(t *testing.T) {
	for _, c := range []struct{ asked, tag, data string }{
		{"en", "en", "en"},
		{"en-US", "en-US", "en"},
		{"en-us-u-hc-h23", "en-US", "en"},
		{"de-DE", "de-DE", "de"},
		{"de-KR", "de", "de"},
		{"zh-TW", "zh-TW", "zh-Hant"},
		{"zh-HK", "zh-HK", "zh-Hant-HK"},
		{"zh-CN", "zh-CN", "zh"},
		{"es-MX", "es-MX", "es-MX"},
		{"nb-NO", "nb-NO", "no"},
		{"iw", "he", "he"},
		{"tlh", "", ""},
	} {
		tag, ok := ParseTag(c.asked)
		if !ok {
			t.Fatal(c.asked)
		}
		l, _ := Lookup(tag)
		if l.Data != c.data || l.Data != "" && l.Tag.String() != c.tag {
			t.Errorf("%s: %s from %q, want %s from %q", c.asked, l.Tag, l.Data, c.tag, c.data)
		}
	}
}
