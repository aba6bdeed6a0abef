package hexdump

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// xxd writes groups of two bytes behind an offset with a colon.
func xxd(data []byte) string {
	var b strings.Builder
	for at := 0; at < len(data); at += 16 {
		row := data[at:min(len(data), at+16)]
		digits := ""
		for i := 0; i < len(row); i += 2 {
			digits += hex.EncodeToString(row[i:min(len(row), i+2)]) + " "
		}
		fmt.Fprintf(&b, "%08x: %-41s%s\n", at, digits, signs(row))
	}
	return b.String()
}

func od(data []byte) string {
	var b strings.Builder
	for at := 0; at < len(data); at += 16 {
		fmt.Fprintf(&b, "%07x % x\n", at, data[at:min(len(data), at+16)])
	}
	return b.String()
}

// words is what hexdump writes without options: numbers of two bytes.
func words(data []byte) string {
	var b strings.Builder
	for at := 0; at < len(data); at += 16 {
		row := data[at:min(len(data), at+16)]
		fmt.Fprintf(&b, "%07x", at)
		for i := 0; i+1 < len(row); i += 2 {
			fmt.Fprintf(&b, " %02x%02x", row[i+1], row[i])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func network(data []byte) string {
	var b strings.Builder
	for at := 0; at < len(data); at += 16 {
		row := data[at:min(len(data), at+16)]
		digits := fmt.Sprintf("% x", row[:min(len(row), 8)])
		if len(row) > 8 {
			digits += fmt.Sprintf("  % x", row[8:])
		}
		fmt.Fprintf(&b, "%04x   %-48s   %s\n", at, digits, signs(row))
	}
	return b.String()
}

func pairs(data []byte) string {
	var b strings.Builder
	for at := 0; at < len(data); at += 24 {
		fmt.Fprintf(&b, "% X\n", data[at:min(len(data), at+24)])
	}
	return b.String()
}

func signs(row []byte) string {
	var b strings.Builder
	for _, c := range row {
		if c < ' ' || c >= 0x7f {
			c = '.'
		}
		b.WriteByte(c)
	}
	return b.String()
}

var styles = map[string]func([]byte) string{"xxd": xxd, "hexdump -C": hex.Dump, "od": od, "words": words, "network": network, "pairs": pairs}

// alphabet has what looks like digits, and what frames them.
const alphabet = " abcdef0123456789=_-\x00\n|:"

func read(text string) (all []string) {
	var d Dump
	Each([]byte(text), &d, func() { all = append(all, string(d.Bytes)) })
	return all
}

func TestEveryStyleIsRead(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, style := range styles {
		for range 200 {
			data := make([]byte, 32+2*random.IntN(40))
			for i := range data {
				data[i] = alphabet[random.IntN(len(alphabet))]
			}
			if got := read("before\n" + style(data) + "after it\n"); len(got) != 1 || got[0] != string(data) {
				t.Fatalf("%s of %q: %q\n%s", name, data, got, style(data))
			}
		}
	}
}

func TestWhatIsNoDump(t *testing.T) {
	for _, text := range []string{
		"",
		"added and faced, dead beef",
		"2026 was a good year\n2027 will be better\n",
		"12 34 56 78\n90 12 34 56\n",
		"1234: 5678\n",
		"deadbeef: the commit before\nfeedface: the commit after\n",
	} {
		if got := read(text); len(got) != 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func FuzzEach(f *testing.F) {
	for _, style := range styles {
		f.Add(style([]byte("password=ghp_aB3xy7Zt5Vb1Nc6Rd4 and what follows")))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var d Dump
		Each([]byte(text), &d, func() {
			last := 0
			for _, p := range d.Places(0, len(d.Bytes), nil) {
				if p[0] < last || p[1] <= p[0] || p[1] > len(text) {
					t.Fatalf("%v after %d of %d", p, last, len(text))
				}
				last = p[1]
			}
		})
	})
}
