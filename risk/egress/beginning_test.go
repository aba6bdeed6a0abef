package egress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/samples"
)

// document is JSON of about so many bytes with secrets everywhere: rows of samples in
// strings, tokens cut into lists, key blocks, members whose names make a value a secret.
func document(random *rand.Rand, size int) []byte {
	rows := samples.Rows(random, 1)
	var value func(depth int) any
	value = func(depth int) any {
		switch n := random.IntN(24); {
		case n == 0:
			return rows[random.IntN(len(rows))].Text
		case n == 1:
			return samples.Fill(random, "ghp_{[A-Za-z0-9]{36}}")
		case n == 2:
			return []any{samples.Fill(random, "ghp_{[A-Za-z0-9]{12}}"), samples.Fill(random, "{[A-Za-z0-9]{12}}"), samples.Fill(random, "{[A-Za-z0-9]{12}}")}
		case n == 3:
			return "-----BEGIN PRIVATE KEY-----\n" + samples.Fill(random, strings.Repeat("{[A-Za-z0-9+/]{64}}\n", 1+random.IntN(180))) + "-----END PRIVATE KEY-----\n"
		case n == 4:
			return map[string]any{"name": "password", "value": samples.Fill(random, "{[a-z]{6}}-{[0-9]{4}}"), "n": random.IntN(1e6), "ok": true, "none": nil}
		case n == 5 && depth < 4:
			return []any{value(depth + 1), value(depth + 1), []any{}, random.Float64()}
		case n == 6 && depth < 4:
			return map[string]any{"password": samples.Fill(random, "{[a-z]{6}}-{[0-9]{4}}"), "inner": value(depth + 1), "é\"\\": value(depth + 1)}
		case n > 7:
			return strings.Repeat("The deployment went well. ", random.IntN(40))
		}
		return samples.JSON(map[string]any{"token": samples.Fill(random, "{[A-Za-z0-9]{32}}"), "at": random.IntN(1e6)})
	}
	var b bytes.Buffer
	b.WriteString(`{"items":[`)
	for n := 0; b.Len() < size; n++ {
		if n > 0 {
			b.WriteString(some(random, []string{",", " ,\n ", ", "}))
		}
		text, err := json.Marshal(value(0))
		if err != nil {
			panic(err)
		}
		b.Write(text)
	}
	b.WriteString(`],"text":"` + strings.Repeat(`caf\u00e9 \ud83d\ude00 é 😀 `, random.IntN(size/20+1)) + `"}`)
	return b.Bytes()
}

// What may be kept of a beginning is what cleaning the whole gives, whatever stands at
// the place where the text was cut and wherever it is.
func TestABeginningIsThatOfTheWhole(t *testing.T) {
	engine := builtin(t)
	random := rand.New(rand.NewPCG(24, 1))
	known := NewMasker([]string{"a secret that is known"})
	parts := 0
	for n := range 24 {
		text := document(random, looked/2+random.IntN(looked))
		if n%4 == 0 { // nothing to find before the end, so all of it is about the cut
			text = fmt.Appendf(nil, `{"a":%q,"b":%s`, strings.Repeat("Nothing here. ", (looked-random.IntN(2000))/14), text[len(`{"items":`):])
			text = bytes.Replace(text, []byte(`"b":[`), []byte(`"b":{"c":[`), 1)
			text = append(text, '}')
		}
		if n%5 == 0 {
			text = bytes.Replace(text, []byte("deployment"), []byte("a secret that is known"), 2)
		}
		if !json.Valid(text) {
			t.Fatalf("the test's own text is not JSON: %.100s", text)
		}
		s := New(engine, DefaultPolicy())
		got, whole := s.Beginning(NewSession([]byte("a key for tests"), known), Place{}, text)
		want, _ := s.Bytes(NewSession([]byte("a key for tests"), known), Place{}, text)
		if !json.Valid(got) {
			t.Fatalf("text %d: not JSON", n)
		}
		if whole {
			if !bytes.Equal(got, want) {
				t.Fatalf("text %d: not the whole", n)
			}
			continue
		}
		parts++
		if kept := got[:min(KeptBeginning, len(got))]; !bytes.HasPrefix(want, kept) || len(kept) < KeptBeginning {
			t.Errorf("text %d: kept\n%q\nof\n%q", n, kept, want[:KeptBeginning])
		}
	}
	if parts < 10 {
		t.Errorf("only %d of the texts were cut", parts)
	}
}

// A secret that the cut would split is not in what is kept: a text that is all secrets is
// cleaned as a whole, and so is one under a policy that may block it.
func TestABeginningHidesWhatTheCutSplits(t *testing.T) {
	s := New(builtin(t), DefaultPolicy())
	random := rand.New(rand.NewPCG(24, 2))
	block := func() string {
		return "-----BEGIN PRIVATE KEY-----\n" + samples.Fill(random, strings.Repeat("{[A-Za-z0-9+/]{64}}\n", 200)) + "-----END PRIVATE KEY-----\n"
	}
	var all []string
	for range 20 {
		all = append(all, block())
	}
	text, _ := json.Marshal(all)
	clean, whole := s.Beginning(session(), Place{}, text)
	if !whole || len(clean) > 4<<10 {
		t.Errorf("%d bytes are left of keys; whole: %v", len(clean), whole)
	}
	long, _ := json.Marshal([]string{strings.Repeat("Nothing here. ", looked/7), "ghp_" + fillerBase62(1, 36)})
	blocking := DefaultPolicy()
	blocking.Classes["credential"] = Block
	if clean, whole := New(builtin(t), blocking).Beginning(session(), Place{}, long); !whole || len(clean) > 0 {
		t.Errorf("%d bytes of a blocked text; whole: %v", len(clean), whole)
	}
	limited := DefaultPolicy()
	limited.MaxBytes = looked + 1
	if clean, _ := New(builtin(t), limited).Beginning(session(), Place{}, long); len(clean) > 0 {
		t.Errorf("%d bytes of a text that is too long", len(clean))
	}
}
