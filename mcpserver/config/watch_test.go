package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAFileThatChangesAsItIsRead: a file named by the configuration for the first
// time changes right after it was read, and is read again.
func TestAFileThatChangesAsItIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, secrets := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "secrets")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	write(file, "{}")
	write(secrets, "A=1")
	sources := Sources{File: file}
	loaded, err := Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 10)
	go func() {
		err := Watch(t.Context(), Watched{
			Sources: sources,
			Files:   func(l *Loaded) []string { return []string{string(l.World.Secrets)} },
			Changed: func(l *Loaded, _ []string, err error) {
				text, _ := os.ReadFile(secrets)
				if string(text) == "A=1" {
					write(secrets, "A=2")
				}
				read <- string(text)
			},
		}, loaded)
		if err != nil {
			t.Error(err)
		}
	}()
	write(file, "world: {secrets: secrets}")
	for _, want := range []string{"A=1", "A=2"} {
		select {
		case got := <-read:
			if got != want {
				t.Errorf("%s instead of %s", got, want)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s was not read", want)
		}
	}
}
