package main

import (
	"errors"
	"os"
	"path/filepath"
)

// xdg returns a folder of the XDG Base Directory Specification: that of the
// variable if it is set to a whole path, else the one below the home folder. Empty
// when there is neither.
func xdg(variable string, below ...string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "glovebox")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(append(append([]string{home}, below...), "glovebox")...)
}

// stateDir is where what must survive lives: the audit chain, pass records, the
// token, the server's state.
func stateDir() (string, error) {
	dir := xdg("XDG_STATE_HOME", ".local", "state")
	if dir == "" {
		return "", errors.New("there is no place for state: set HOME, or XDG_STATE_HOME to a whole path")
	}
	return dir, nil
}

// cacheDir is where what can be made again lives: the linked guest and its
// machine code. Empty when there is no such place, which costs time and nothing
// else.
func cacheDir() string { return xdg("XDG_CACHE_HOME", ".cache") }

// configDir is where the configuration is looked for. Empty when there is no such
// place.
func configDir() string { return xdg("XDG_CONFIG_HOME", ".config") }
