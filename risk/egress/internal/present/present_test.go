package present

import (
	"bytes"
	"testing"
)

// Each byte alone, at every place of texts of every remainder, against a search for it.
func TestEveryByteIsSeenWhereverItStands(t *testing.T) {
	of := map[Set]string{Digit: "0123456789", At: "@", Slash: "/", Separator: ":\"", Interrupt: "\n\"'`*<", Escape: "\x1b\\%&"}
	for size := 1; size < 10; size++ {
		for at := range size {
			for c := range 256 {
				text := bytes.Repeat([]byte("a"), size)
				text[at] = byte(c)
				got := In(text)
				for kind, list := range of {
					if want := bytes.ContainsAny(text, list) && c < 0x80; got.Has(kind) != want {
						t.Fatalf("In(%q) has %b: %v, want %v", text, kind, got.Has(kind), want)
					}
				}
				if want := c >= 0x80; got.Has(Beyond) != want {
					t.Fatalf("In(%q) has Beyond: %v, want %v", text, got.Has(Beyond), want)
				}
			}
		}
	}
	if In(nil) != 0 {
		t.Error("an empty text has something")
	}
}
