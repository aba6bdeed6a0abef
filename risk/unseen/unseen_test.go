package unseen

import (
	"fmt"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestWhatNobodySeesIsSpelledOut: every code point that Unicode says to ignore or
// draws as a space or nothing; the property tables are the oracle.
func TestWhatNobodySeesIsSpelledOut(t *testing.T) {
	for _, r := range []rune{
		0x3164, 0x115F, 0x1160, 0xFFA0, 0x034F, 0x17B4, 0x17B5, 0x2800, 0xFE00, 0xFE0F, 0xE0100, 0xE01EF, 0x180B, 0x180E, 0x200B, 0x202E, 0x2066, 0xFEFF,
		0xAD, 0xA0, 0x3000, 0x2028, 0x2003, 0xE0041, 0x1D159, 0x16FE4, 0, '\t', '\n', 0x7F, 0x85, 0x2065, 0xFFF0, 0x1BCA0, 0x10FFFF,
	} {
		if got := Spell("a" + string(r) + "b"); got != fmt.Sprintf("a<U+%04X>b", r) {
			t.Errorf("%U: %q", r, got)
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		hidden := unicode.In(r, unicode.C, unicode.Z, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && r != ' '
		if hidden && Visible(r) && utf8.ValidRune(r) {
			t.Errorf("%U is shown", r)
		}
		if !hidden && !Visible(r) && unicode.IsGraphic(r) && !unicode.Is(blank, r) {
			t.Errorf("%U is spelled out", r)
		}
	}
	for _, plain := range []string{"", "plain", "Überprüfung, контроль, 検査, 확인, فحص, נא לאשר, ✓ 🙂 e\u0301"} {
		if got := Spell(plain); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
	if got := Spell("a\xffb"); got != "a\uFFFDb" {
		t.Errorf("%q", got)
	}
}
