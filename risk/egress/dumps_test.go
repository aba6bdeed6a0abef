package egress

import (
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/samples"
)

// A dump shows a secret twice, in digits and in characters, and breaks it off every
// sixteen bytes. Lines without a part of it stay as they are, and so does what stands
// around it on its own lines.
func TestSecretsInDumps(t *testing.T) {
	s := New(builtin(t), DefaultPolicy())
	random := rand.New(rand.NewPCG(7, 7))
	for n := range 200 {
		secret := samples.Draw(random, `ghp_[A-Za-z0-9]{36}`)
		before := strings.Repeat("the first lines of a file\n", random.IntN(3)) + samples.Draw(random, `[a-z]{1,20}`) + "\ntoken="
		data := before + secret + "\nand what stands behind it, for two lines or more\n"
		dump := hex.Dump([]byte(data))
		text := dump
		if n%2 == 1 {
			text = samples.JSON("a file:\n" + dump)
		}
		out, outcome := s.Text(session(), Place{}, text)
		if n%2 == 1 {
			var inner string
			if err := json.Unmarshal([]byte(out), &inner); err != nil {
				t.Fatal(err)
			}
			out = strings.TrimPrefix(inner, "a file:\n")
		}
		if len(outcome.Findings) != 1 {
			t.Fatalf("%d findings in\n%s%s", len(outcome.Findings), text, out)
		}
		was, is := strings.Split(dump, "\n"), strings.Split(out, "\n")
		if len(was) != len(is) {
			t.Fatalf("%d lines became %d\n%s%s", len(was), len(is), dump, out)
		}
		for i := range was {
			from, to := max(i*16, len(before)), min(i*16+16, len(before)+len(secret))
			if from >= to {
				if is[i] != was[i] {
					t.Errorf("line %d changed: %s", i, is[i])
				}
				continue
			}
			// Two digits and a blank for each byte, one blank more in the middle.
			place := func(at int) int { return len("00000000  ") + 3*at + at/8 }
			line := was[i]
			signs := len(line) - 1 - (min(i*16+16, len(data)) - i*16) // where the column of characters begins
			want := line[:place(from-i*16)] + line[place(to-1-i*16)+2:signs+from-i*16] + line[signs+to-i*16:]
			if got := placeholders.ReplaceAllString(is[i], ""); got != want {
				t.Errorf("line %d is\n%q, want\n%q", i, got, want)
			}
		}
	}
}
