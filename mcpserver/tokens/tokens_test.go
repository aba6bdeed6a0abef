package tokens_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/tokens"
	"github.com/glovebox-run/glovebox/risk"
)

// book opens the tokens of a folder; now is its clock.
func book(t *testing.T, dir string, now *time.Time) (*tokens.Book, func()) {
	t.Helper()
	s, err := store.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := tokens.Open(t.Context(), s, func() time.Time { return *now })
	if err != nil {
		t.Fatal(err)
	}
	return b, s.Close
}

func TestTokensComeAndGo(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	b, closeStore := book(t, dir, &now)
	level := risk.L2
	made, first, err := b.Create(t.Context(), tokens.Token{Name: "ada", Tools: []string{"a*"}, Cap: &level, Expires: now.Add(time.Hour), By: "local:root"})
	if err != nil || !strings.HasPrefix(first, tokens.Prefix) || len(first) < 40 || made.Principal() != "named:ada" {
		t.Fatalf("%q %+v %v", first, made, err)
	}
	found, valid, ok := b.Find(first)
	if !ok || found.Name != "ada" || *found.Cap != risk.L2 || valid.Err() != nil {
		t.Fatalf("%+v %v", found, ok)
	}
	if _, _, err := b.Create(t.Context(), tokens.Token{Name: "ada"}); !errors.Is(err, tokens.ErrExists) {
		t.Errorf("the name again: %v", err)
	}
	_, second, err := b.Rotate(t.Context(), "ada")
	if err != nil || second == first {
		t.Fatal(err)
	}
	if _, _, ok := b.Find(first); ok || valid.Err() == nil {
		t.Error("the replaced text is valid")
	}
	closeStore()

	// The files hold neither text.
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, secret := range []string{first, second} {
			if bytes.Contains(text, []byte(secret[len(tokens.Prefix):])) {
				t.Errorf("%s holds a token", path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	b, closeStore = book(t, dir, &now)
	defer closeStore()
	found, _, ok = b.Find(second)
	if !ok || len(found.Tools) != 1 || found.By != "local:root" {
		t.Errorf("after a restart: %+v %v", found, ok)
	}
	now = now.Add(time.Hour)
	if _, _, ok := b.Find(second); ok {
		t.Error("valid when it expires")
	}
	if all := b.List(); len(all) != 1 || !all[0].Expired {
		t.Errorf("%+v", all)
	}
	now = now.Add(-time.Hour)
	_, valid, _ = b.Find(second)
	if err := b.Revoke(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := b.Find(second); ok || valid.Err() == nil || len(b.List()) != 0 {
		t.Error("valid after it was revoked")
	}
	if err := b.Revoke(t.Context(), "ada"); !errors.Is(err, tokens.ErrNoSuch) {
		t.Error(err)
	}
	if _, third, err := b.Create(t.Context(), tokens.Token{Name: "ada"}); err != nil {
		t.Errorf("the name is free again: %v", err)
	} else if _, _, ok := b.Find(third); !ok {
		t.Error("and its token is not valid")
	}
}

func TestTokensThatCannotBe(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	b, closeStore := book(t, t.TempDir(), &now)
	defer closeStore()
	unrated := risk.Unrated
	for name, token := range map[string]tokens.Token{
		"no name": {}, "a path": {Name: "../x"}, "a wildcard": {Name: "*"}, "a dot": {Name: "a."}, "long": {Name: strings.Repeat("a", 65)},
		"over": {Name: "a", Expires: now}, "no level": {Name: "a", Cap: &unrated}, "an empty pattern": {Name: "a", Tools: []string{""}},
		"many": {Name: "a", Tools: make([]string, 101)},
	} {
		if _, _, err := b.Create(t.Context(), token); !errors.Is(err, tokens.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "*", ">", "nobody", "a b"} {
		if err := b.Revoke(t.Context(), name); !errors.Is(err, tokens.ErrNoSuch) {
			t.Errorf("revoke %q: %v", name, err)
		}
	}
	for _, text := range []string{"", tokens.Prefix, "x", tokens.Prefix + strings.Repeat("A", 43)} {
		if _, _, ok := b.Find(text); ok {
			t.Errorf("%q is valid", text)
		}
	}
}

// TestAnotherProcessIsFollowed: what one changes in a store, the other hears.
func TestAnotherProcessIsFollowed(t *testing.T) {
	s, err := store.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	here, err := tokens.Open(t.Context(), s, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	there, err := tokens.Open(t.Context(), s, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := there.Follow(t.Context(), func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	_, text, err := here.Create(t.Context(), tokens.Token{Name: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	heard := func(want bool) {
		t.Helper()
		for started := time.Now(); ; time.Sleep(time.Millisecond) {
			if _, _, ok := there.Find(text); ok == want {
				return
			}
			if time.Since(started) > 2*time.Minute {
				t.Fatalf("not heard: %v", want)
			}
		}
	}
	heard(true)
	if err := here.Revoke(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
	heard(false)
}
