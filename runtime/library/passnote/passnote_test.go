package passnote

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/note"

	"github.com/glovebox-run/glovebox/catalog"
)

var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func makeKey(t testing.TB) (Key, Keys) {
	t.Helper()
	k, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return k, k.Keys()
}

func sample() Note {
	return Note{Until: now.Add(time.Hour), Passes: map[catalog.ContentHash]Pass{
		sha256.Sum256([]byte("a")): {"greet", now},
		sha256.Sum256([]byte("b")): {"a tool of two words", now.Add(-time.Hour)},
	}}
}

func sign(t testing.TB, n Note, k Key) []byte {
	t.Helper()
	text, err := n.Sign(k)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What was signed is what is read, and package note, which others use too, accepts it
// with the key as it is printed.
func TestSignedAndOpened(t *testing.T) {
	k, keys := makeKey(t)
	again, err := ParseKey([]byte(k.Private() + "\n"))
	if err != nil || again.Public() != k.Public() {
		t.Fatalf("%v: %s is not %s", err, again.Public(), k.Public())
	}
	for _, want := range []Note{sample(), {Passes: map[catalog.ContentHash]Pass{}}} {
		text := sign(t, want, again)
		got, err := Open(text, keys, now)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%v %s", err, d)
		}
		v, err := note.NewVerifier(k.Public())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := note.Open(text, note.VerifierList(v)); err != nil {
			t.Error(err)
		}
	}
}

// Every single byte counts, but for spare bits of base64 in the signature, which say
// nothing.
func TestNoByteCanBeChanged(t *testing.T) {
	k, keys := makeKey(t)
	text := sign(t, sample(), k)
	signature := strings.LastIndex(string(text), " ")
	for i := range text {
		for _, bit := range []byte{1, 2, 32} {
			changed := []byte(string(text))
			changed[i] ^= bit
			if n, err := Open(changed, keys, now); err == nil && (i < signature || !cmp.Equal(n, sample())) {
				t.Fatalf("byte %d, %q instead of %q: %v", i, changed[i], text[i], n)
			}
		}
		if n, err := Open(text[:i], keys, now); err == nil {
			t.Fatalf("%d bytes of it: %v", i, n)
		}
	}
}

func TestRefusals(t *testing.T) {
	k, keys := makeKey(t)
	other, _ := makeKey(t)
	whole := sign(t, sample(), k)
	by := func(text string, k Key) []byte {
		signed, err := note.Sign(&note.Note{Text: text}, k)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	body := strings.SplitAfter(string(whole), "\n\n")[0]
	body = strings.TrimSuffix(body, "\n")
	gone := sample()
	gone.Until = now
	for name, row := range map[string]struct {
		text []byte
		want error
		says string
	}{
		"nothing":          {nil, ErrNoNote, "glovebox test --sign"},
		"no note":          {[]byte(`{"passes":{}}`), ErrNoNote, "copy it again"},
		"changed":          {[]byte(strings.Replace(string(whole), "greet", "groot", 1)), ErrChanged, "changed after it was signed"},
		"another key":      {sign(t, sample(), other), ErrUnknown, other.Public()[:len("glovebox-passes+12345678")]},
		"expired":          {sign(t, gone, k), ErrExpired, "2026-03-04T05:06:07Z"},
		"newer":            {by(strings.Replace(body, "glovebox-passes/1", "glovebox-passes/2", 1), k), ErrNewer, "format 2"},
		"another runtime":  {by(strings.Replace(body, catalog.RuntimeID, "glovebox/other", 1), k), ErrOtherBox, "glovebox/other"},
		"no time":          {by(strings.Replace(body, "2026-03-04T06:06:07Z", "tomorrow", 1), k), ErrNoNote, ""},
		"no hash":          {by(strings.Replace(body, " 2026", "00 2026", 1), k), ErrNoNote, ""},
		"a checkpoint":     {by("glovebox-audit\n1\nAAAA\n", k), ErrNoNote, ""},
		"signed by nobody": {[]byte(body + "\n"), ErrNoNote, ""},
	} {
		n, err := Open(row.text, keys, now)
		if !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.says) || n.Passes != nil {
			t.Errorf("%s: %v, %v", name, n, err)
		}
	}
	if _, err := Open(whole, Keys{}, now); !errors.Is(err, ErrUnknown) {
		t.Errorf("without a key: %v", err)
	}
	for _, text := range []string{"", "glovebox-passes", k.Private(), strings.Replace(k.Public(), "glovebox-passes", "glovebox-audit", 1)} {
		if _, err := ParseKeys(text); err == nil || strings.Contains(err.Error(), "PRIVATE") {
			t.Errorf("the key %q: %v", text, err)
		}
	}
	for _, text := range []string{"", k.Public(), k.Private()[:len(k.Private())-4]} {
		if _, err := ParseKey([]byte(text)); err == nil {
			t.Errorf("the private key %q is accepted", text)
		}
	}
}

// FuzzOpen: the file comes with somebody's specs. What nobody signed has no passes;
// what somebody trusted has signed is read without harm, and read again as it was
// written.
func FuzzOpen(f *testing.F) {
	k, keys := makeKey(f)
	f.Add(sign(f, sample(), k), "")
	f.Add([]byte("x\n\n— y AAAAAAAA\n"), "glovebox-passes/1\n"+catalog.RuntimeID+"\n-\n")
	f.Add([]byte{}, "glovebox-passes/1\n"+catalog.RuntimeID+"\n2026-03-04T06:06:07Z\n"+strings.Repeat("ab", 32)+" 2026-03-04T05:06:07Z greet\n")
	f.Fuzz(func(t *testing.T, file []byte, body string) {
		if n, err := Open(file, Keys{}, now); err == nil || n.Passes != nil {
			t.Fatalf("%q is accepted without a key", file)
		}
		signed, err := note.Sign(&note.Note{Text: body}, k)
		if err != nil {
			return // no text of a note
		}
		n, err := Open(signed, keys, now)
		if err != nil {
			return
		}
		again, err := n.Sign(k)
		if err != nil {
			t.Fatal(err)
		}
		read, err := Open(again, keys, now)
		if d := cmp.Diff(n, read); d != "" || err != nil {
			t.Errorf("%q: %v %s", body, err, d)
		}
	})
}
