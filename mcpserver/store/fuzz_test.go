package store

import (
	"bytes"
	"os"
	"testing"
)

// FuzzHead: a head that somebody has written to lets no stream look whole that has lost
// its end, unless it is a head of that end.
func FuzzHead(f *testing.F) {
	h := &heads{dir: f.TempDir(), open: map[string]*head{}, marks: &marks{}}
	for _, text := range []string{"1 00000000000000000007\n", "00000000000000000007\n", "2 x", "1 ", "-1 00000000000000000007\n", "1 0000000000000000000-7\n", "x 00000000000000000000\n", "1 +0000000000000000009\n"} {
		f.Add([]byte(text), uint64(7))
	}
	f.Fuzz(func(t *testing.T, text []byte, last uint64) {
		if err := os.WriteFile(h.name("s"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := h.behind("s", last); err != nil || len(text) == 0 {
			return
		}
		digits := bytes.TrimPrefix(text, []byte(headVersion))
		if len(digits) != numberLength || len(bytes.Trim(digits[:numberLength-1], "0123456789")) > 0 {
			t.Errorf("%q counts as a head", text)
		}
	})
}
