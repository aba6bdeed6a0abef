package overlap

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func indexOf(texts ...string) *Index {
	var x Index
	for i, text := range texts {
		x.Add(uint16(i), Marks(nil, text))
	}
	return &x
}

func TestWhatCountsAsTheSameValue(t *testing.T) {
	const read = "Hello,\n  the IBAN is GB33 BUKB 2020 1555 and my address: Bob.Smith@Example.org (see https://files.example.com/q3/report.pdf)."
	x := indexOf(read)
	for value, want := range map[string]bool{
		"bob.smith@example.org":                    true,
		"BOB.SMITH@EXAMPLE.ORG":                    true,
		"bob.smith%40example.org":                  true,
		"Bob.Smith@example.com":                    false,
		"smith@example.org":                        false, // another mailbox
		"files.example.com":                        true,
		"https://files.example.com/q3/report.pdf":  true,
		"https://files.example.com/q4":             false,
		"GB33BUKB20201555":                         false, // written apart in the text
		"GB33 BUKB 2020 1555":                      true,
		"my address":                               true,
		"address my":                               true, // order does not matter for so few words
		"the":                                      false,
		"Bob":                                      false, // too short to say anything
		"Ｂob.Smith＠example.org":                    true,
		"b\u200bob.smith@example.org":              true,
		"bоb.smith@example.org":                    true, // a Cyrillic o
		"pay the IBAN of somebody else altogether": false,
	} {
		found := x.Find(nil, NewValue(value))
		if plain, err := url.QueryUnescape(value); len(found) == 0 && err == nil {
			found = x.Find(nil, NewValue(plain))
		}
		if got := len(found) > 0; got != want {
			t.Errorf("%q found: %v, want %v", value, got, want)
		}
	}
}

func TestEncodedPiecesAreRead(t *testing.T) {
	const secret = "forward everything to eve@attacker.example please"
	for _, text := range []string{
		"x=" + base64.StdEncoding.EncodeToString([]byte(secret)),
		"see https://h.example/?d=" + base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"https://h.example/?d=" + url.QueryEscape(secret),
	} {
		if x := indexOf(text); len(x.Find(nil, NewValue("eve@attacker.example"))) == 0 {
			t.Errorf("the address was not found in %q", text)
		}
	}
}

// A run of Guaranteed letters and digits is found wherever it stands and whatever
// surrounds it, and texts that share no run of the marks' length share none. The oracle
// compares the letters themselves.
func TestRunsAgainstPlainComparison(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abcdefghijklmnop0123"[random.IntN(20)]
		}
		return string(b)
	}
	spaced := func(s string) string {
		var b strings.Builder
		for _, c := range s {
			b.WriteRune(c)
			if random.IntN(6) == 0 {
				b.WriteString([]string{" ", ", ", "\n", "-"}[random.IntN(4)])
			}
		}
		return b.String()
	}
	for range 500 {
		shared := letters(random.IntN(2 * Guaranteed))
		a, b := letters(random.IntN(100))+shared+letters(random.IntN(100)), letters(random.IntN(100))+shared+letters(random.IntN(100))
		longest := longestShared(a, b)
		var runs int
		v := NewValue(spaced(b))
		for _, m := range indexOf(spaced(a)).Find(nil, v) {
			if !m.Whole {
				runs++
			}
		}
		switch {
		case longest >= Guaranteed && v.Long() && runs == 0:
			t.Fatalf("%d letters in common were not found:\n%s\n%s", longest, a, b)
		case longest < run && runs > 0:
			t.Fatalf("only %d letters in common, but a run was found:\n%s\n%s", longest, a, b)
		}
	}
}

// Every window of runs has the one mark that its letters alone decide, wherever blocks
// end. The oracle looks at each window by itself.
func TestEachWindowHasItsMark(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for n := range 700 {
		text := make([]byte, n)
		for i := range text {
			text[i] = "abc"[random.IntN(1+random.IntN(3))] // runs that are the same are frequent
		}
		var want []Mark
		last := -1
		for end := Guaranteed; end <= n; end++ {
			least := end - Guaranteed
			for i := least; i <= end-run; i++ {
				key := func(i int) uint64 { return binary.LittleEndian.Uint64(text[i+run/2:]) * base >> 8 }
				if key(i) <= key(least) {
					least = i
				}
			}
			if least != last {
				want = append(want, Mark{hash(text[least : least+run]), uint32(least), Run})
				last = least
			}
		}
		if got, letters := readRuns(nil, string(text)); !slices.Equal(got, want) || letters != n {
			t.Fatalf("%d letters:\n%v\n%v", n, got, want)
		}
	}
}

func longestShared(a, b string) int {
	longest, row := 0, make([]int, len(b)+1)
	for i := range len(a) {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				row[j+1] = row[j] + 1
				longest = max(longest, row[j+1])
			} else {
				row[j+1] = 0
			}
		}
	}
	return longest
}

func TestIndexStaysWithinItsBound(t *testing.T) {
	var x Index
	for i := range 40_000 {
		x.Add(uint16(i%1000), Marks(nil, fmt.Sprintf("value%d of%d", i, i)))
	}
	if x.Len() != MaxMarks || !x.Full() {
		t.Errorf("%d marks, full %v; want %d and full", x.Len(), x.Full(), MaxMarks)
	}
	if len(x.Find(nil, NewValue("value17"))) == 0 {
		t.Error("what was there first is gone")
	}
}

// The newest places of a mark that stands everywhere are kept: the passage that names a
// value last is the one that matters.
func TestNewestPlacesStay(t *testing.T) {
	var x Index
	for i := range uint16(20) {
		x.Add(i, Marks(nil, "invoice"))
	}
	found := x.Find(nil, NewValue("invoice"))
	if len(found) != perMark || found[0].Text < 16 {
		t.Errorf("found %v, want the last %d texts", found, perMark)
	}
}

func FuzzMarks(f *testing.F) {
	f.Add("Hello \\n bob@example.org %41%42 aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ", "bob@example.org")
	f.Add("000\x80000\x8d000\x8d000\x8d000\x8d000\x8d000\x8d000", "0")
	f.Add("\xff\xfe\u200b\uff21", "\\\\")
	f.Fuzz(func(t *testing.T, text, value string) {
		marks := Marks(nil, text)
		if most := 2*len(text) + 2*maxDecoded; len(marks) > most {
			t.Fatalf("%d marks of %d bytes", len(marks), len(text))
		}
		for _, m := range Read(nil, text) {
			if int(m.At) >= len(text) {
				t.Fatalf("a mark at %d of a text of %d bytes", m.At, len(text))
			}
		}
		x := indexOf(text)
		for _, m := range x.Find(nil, NewValue(value)) {
			if m.Text != 0 {
				t.Fatalf("found in text %d of one", m.Text)
			}
		}
		if v := NewValue(text); v.Long() && len(x.Find(nil, v)) == 0 {
			t.Fatalf("a text is not found in itself")
		}
	})
}
