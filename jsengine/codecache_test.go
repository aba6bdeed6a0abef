package jsengine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/glovebox-run/glovebox/guest"
)

func TestTheCodeCacheIsCheckedAndCostsOnlyTime(t *testing.T) {
	metered, err := guest.Build(guest.Metered)
	if err != nil {
		t.Fatal(err)
	}
	c := codeCache{filepath.Join(t.TempDir(), "cache")}
	loads := func() bool {
		m := c.load(t.Context())
		if m == nil {
			return false
		}
		return m.close(t.Context()) == nil
	}
	fill := func() {
		t.Helper()
		m, err := c.fill(t.Context(), metered)
		if err != nil || !m.works() {
			t.Fatal("the machine that fills does not work", err)
		}
		if err := m.close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if loads() {
		t.Error("an empty cache holds something")
	}
	fill()
	if !loads() {
		t.Fatal("a full cache holds nothing")
	}
	if info, err := os.Stat(c.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	files := func(pattern string) []string {
		found, _ := filepath.Glob(filepath.Join(c.dir, pattern))
		return found
	}
	code := files("machine-code/*/*")
	if all := files("*"); len(all) != 2 || len(code) != 1 {
		t.Fatalf("the cache holds %v and %v", all, code)
	}

	// Each of these must be noticed, and put back the file must be good again: the
	// attempt may have left something else there.
	shell := c.shellFile()
	for _, damage := range []struct {
		name, file string
		change     func(whole []byte) []byte
	}{
		{"machine code flipped", code[0], func(whole []byte) []byte { whole[len(whole)/2] ^= 1; return whole }},
		{"machine code short", code[0], func(whole []byte) []byte { return whole[:len(whole)/2] }},
		{"machine code empty", code[0], func([]byte) []byte { return nil }},
		{"machine code of another wazero", code[0], func(whole []byte) []byte { whole[len("WAZEVO")+1]++; return whole }},
		{"shell flipped", shell, func(whole []byte) []byte { whole[len(whole)/2] ^= 1; return whole }},
		{"shell short", shell, func(whole []byte) []byte { return whole[:len(whole)/2] }},
		{"shell empty", shell, func([]byte) []byte { return nil }},
	} {
		whole, err := os.ReadFile(damage.file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(damage.file, damage.change(append([]byte(nil), whole...)), 0o600); err != nil {
			t.Fatal(err)
		}
		if loads() {
			t.Errorf("%s: not noticed", damage.name)
		}
		if err := os.WriteFile(damage.file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if !loads() {
			t.Errorf("%s: not good when put back", damage.name)
		}
	}

	// Without machine code wazero compiles the shell and keeps that.
	if err := os.RemoveAll(c.machineCode()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if loads() {
			t.Error("a shell without machine code is taken for the guest")
		}
	}
	fill()
	if !loads() {
		t.Error("not repaired")
	}
}

func TestAFolderThatCannotBeUsedIsNoError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := openMachine(t.Context(), filepath.Join(file, "below it"))
	if err != nil || !m.works() {
		t.Fatal(err)
	}
	if err := m.close(t.Context()); err != nil {
		t.Error(err)
	}
}

// Whoever can write the folder can write machine code that we would run.
func TestACodeCacheThatOthersCanWriteIsNotUsed(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	for _, name := range []string{real, filepath.Join(dir, "shared", "machine-code")} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := errors.Join(os.Symlink(real, link), os.Chmod(filepath.Join(dir, "shared", "machine-code"), 0o770)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"real": true, "none": true, "link": false, "shared": false} {
		if got := (codeCache{filepath.Join(dir, name)}).private(); got != want {
			t.Errorf("%s is private: %v", name, got)
		}
	}
	for _, mode := range []os.FileMode{0o777, 0o720, 0o702} {
		if err := os.Chmod(real, mode); err != nil {
			t.Fatal(err)
		}
		c := codeCache{real}
		if c.private() {
			t.Errorf("mode %o is private", mode)
		}
		if _, err := c.fill(t.Context(), nil); err == nil {
			t.Errorf("mode %o was filled", mode)
		}
	}
}
