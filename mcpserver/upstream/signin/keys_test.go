package signin

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

func openKeys(t testing.TB, path string) *Keys {
	t.Helper()
	k, err := OpenKeys(path)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func sealed(t testing.TB, k *Keys, name, text string) []byte {
	t.Helper()
	s, err := k.seal(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSealedValuesOpenUnderTheirNameOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "signin.key")
	k := openKeys(t, path)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode(), err)
	}
	s := sealed(t, k, "weather", "a token")
	if bytes.Contains(s, []byte("token")) {
		t.Error("it is not sealed")
	}
	if again := sealed(t, k, "weather", "a token"); bytes.Equal(s, again) {
		t.Error("twice the same")
	}
	if text, err := openKeys(t, path).open("weather", s); err != nil || string(text) != "a token" {
		t.Fatal(string(text), err)
	}
	if _, err := k.open("bank", s); !errors.Is(err, errSealed) {
		t.Errorf("under another name: %v", err)
	}
	for i := range s {
		changed := bytes.Clone(s)
		changed[i] ^= 1
		if _, err := k.open("weather", changed); !errors.Is(err, errSealed) {
			t.Errorf("byte %d changed: %v", i, err)
		}
		if _, err := k.open("weather", s[:i]); !errors.Is(err, errSealed) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
	other := openKeys(t, filepath.Join(t.TempDir(), "other.key"))
	if _, err := other.open("weather", s); !errors.Is(err, errSealed) || !strings.Contains(err.Error(), "does not hold its key") {
		t.Errorf("with another key: %v", err)
	}
}

func TestKeyFilesThatAreRefused(t *testing.T) {
	good := openKeys(t, filepath.Join(t.TempDir(), "k"))
	text, err := os.ReadFile(good.path)
	if err != nil {
		t.Fatal(err)
	}
	line := text[bytes.Index(text, []byte(keyPrefix)):]
	for want, file := range map[string]struct {
		text string
		mode os.FileMode
	}{
		"others may read": {string(text), 0o640},
		"chmod 600":       {string(text), 0o604},
		"holds no key":    {"", 0o600},
		"holds no key;":   {"# nothing\n", 0o600},
		"no key of this":  {"glovebox-signin-2 AAAA\n", 0o600},
		"a damaged key":   {string(line[:len(line)-3]) + "\n", 0o600},
		"or more than 16": {strings.Repeat(string(line), 17), 0o600},
	} {
		path := filepath.Join(t.TempDir(), "k")
		if err := os.WriteFile(path, []byte(file.text), file.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, file.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenKeys(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestManyProcessesMakeOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k")
	keys := make([]*Keys, 16)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() { keys[i] = openKeys(t, path) })
	}
	all.Wait()
	s := sealed(t, keys[0], "weather", "x")
	for _, k := range keys {
		if _, err := k.open("weather", s); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

func TestRotation(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(t.Context(), filepath.Join(dir, "store"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	bucket, err := s.Bucket(t.Context(), store.BucketConfig{Name: "signins", MaxValue: MaxKept})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "k")
	v, other := NewVault(bucket, openKeys(t, path)), NewVault(bucket, openKeys(t, path))
	for _, name := range []string{"a", "b", "c"} {
		if _, err := v.save(t.Context(), name, kept{Access: name}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.Forget(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	old := v.keys.all[0].id
	if err := v.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(v.keys.all) != 1 || v.keys.all[0].id == old {
		t.Errorf("%d keys, or the same", len(v.keys.all))
	}
	// Another process, which read the keys before, seals with the new key and opens what was
	// sealed since.
	if _, err := other.save(t.Context(), "d", kept{Access: "d"}, 0); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "c", "d"} {
		k, revision, err := other.load(t.Context(), name)
		if err != nil || k.Access != name {
			t.Fatal(k, err)
		}
		if _, err := other.save(t.Context(), name, *k, revision); err != nil {
			t.Fatal(err)
		}
		if k, _, err := NewVault(bucket, openKeys(t, path)).load(t.Context(), name); err != nil || k.Access != name {
			t.Error(k, err)
		}
	}
	// One that does not open stops a rotation before any key is dropped.
	if _, err := bucket.Create(t.Context(), "broken", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := v.Rotate(t.Context()); !errors.Is(err, errSealed) || len(v.keys.all) != 2 {
		t.Errorf("%v, %d keys", err, len(v.keys.all))
	}
	// However often it is tried, the file can be read.
	for range maxKeys {
		if err := v.Rotate(t.Context()); !errors.Is(err, errSealed) {
			t.Fatal(err)
		}
	}
	openKeys(t, path)
	if err := v.Forget(t.Context(), "broken"); err != nil {
		t.Fatal(err)
	}
	if err := v.Rotate(t.Context()); err != nil || len(v.keys.all) != 1 {
		t.Errorf("%v, %d keys", err, len(v.keys.all))
	}
}

// Whatever is in the store in the place of a sign-in, it opens or it is an error.
func FuzzOpen(f *testing.F) {
	k := openKeys(f, filepath.Join(f.TempDir(), "k"))
	f.Add("weather", sealed(f, k, "weather", "{}"))
	f.Add("", []byte{sealedVersion})
	f.Fuzz(func(t *testing.T, name string, value []byte) {
		if text, err := k.open(name, value); err == nil && (name != "weather" || string(text) != "{}") {
			t.Errorf("%q opens as %q", name, text)
		}
	})
}
