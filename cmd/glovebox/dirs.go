package main

import (
	"os"
	"path/filepath"
)

// stateDir is where what must survive lives: the audit chain, pass records, the
// server's state. XDG_STATE_HOME moves it.
func stateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "glovebox"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state", "glovebox"), nil
}

// auditFile is the growing file of the audit chain that commands share.
func auditFile() (string, error) {
	dir, err := stateDir()
	return filepath.Join(dir, "audit", "audit.jsonl"), err
}

// cacheDir is where what can be made again lives: the linked guest and its
// machine code. XDG_CACHE_HOME moves it. Empty when there is no such place,
// which costs time and nothing else.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "glovebox")
}
