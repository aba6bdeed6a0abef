//go:build unix

package config

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestUnreadableFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"testdata/nowhere.yaml", "testdata", "/dev/null", pipe} {
		_, err := Load(Sources{File: name})
		problems, ok := err.(Problems)
		if !ok || problems[0].Code != Unreadable || problems.ReadAtAll() {
			t.Errorf("%s: %v", name, err)
		}
	}
}
