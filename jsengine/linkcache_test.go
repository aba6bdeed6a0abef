package jsengine

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/glovebox-run/glovebox/guest"
)

func TestTheLinkCacheIsCheckedAndCostsOnlyTime(t *testing.T) {
	want, err := guest.Build(guest.Metered)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "cache")
	link := func(dir string) {
		t.Helper()
		if got, err := linkedModule(dir); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, %v; want %d", len(got), err, len(want))
		}
	}
	link(dir)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, damaged := range map[string][]byte{"flipped": flipped, "short": whole[:len(whole)/2], "empty": nil, "headless": whole[32:]} {
		if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		link(dir)
		if repaired, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(repaired, whole) {
			t.Errorf("%s: not repaired, %v", name, err)
		}
	}

	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link(filepath.Join(file, "below it")) // nothing can be created there
}
