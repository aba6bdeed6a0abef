package main

import (
	"errors"
	"os"
	"path/filepath"
)

// xdg returns a folder of the XDG Base Directory Specification: the variable's if
// it is set to an absolute path, else the one below the home folder. It is empty
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

// stateDir holds files that must survive: the audit chain, pass records, the
// token, the server's state.
func stateDir() (string, error) {
	dir := xdg("XDG_STATE_HOME", ".local", "state")
	if dir == "" {
		return "", errors.New("there is no place for state: set HOME, or XDG_STATE_HOME to a whole path")
	}
	return dir, nil
}

// cacheDir holds files that can be made again: the linked guest and its machine
// code. It is empty when there is no such place, which only costs time.
func cacheDir() string { return xdg("XDG_CACHE_HOME", ".cache") }

// configDir is the folder of the configuration. It is empty when there is no such
// place.
func configDir() string { return xdg("XDG_CONFIG_HOME", ".config") }
