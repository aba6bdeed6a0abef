package library

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrChanged means that a file is not what the writer has seen: nothing was written.
var ErrChanged = errors.New("the file is another one by now, and was not replaced")

// Version identifies the content of a file; that of a file that does not exist is empty.
func Version(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Save writes a spec into a folder, whole or not at all, if the file of that name still has
// the content of a version, and returns the new one. An empty version wants that there is
// no such file. name is a plain name that ends in .json.
func Save(dir, name, version string, content []byte) (saved string, err error) {
	if err := PlainName(name); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	unlock, err := lock(filepath.Join(dir, ".glovebox")) // one for the folder
	if err != nil {
		return "", err
	}
	defer unlock()
	now := ""
	switch there, err := Read(path); {
	case err == nil:
		now = Version(there)
	case !errors.Is(err, os.ErrNotExist):
		return "", err
	}
	if now != version {
		return "", fmt.Errorf("%s: %w", name, ErrChanged)
	}
	return Version(content), WriteFile(path, content)
}

// PlainName returns why a file of specs cannot have a name, or nil.
func PlainName(name string) error {
	stem, isJSON := strings.CutSuffix(name, ".json")
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.", r)
	}
	if !isJSON || stem == "" || len(name) > 128 || stem[0] == '.' || strings.ContainsFunc(stem, func(r rune) bool { return !plain(r) }) {
		return fmt.Errorf("the file name %.60q: want letters, digits, dots, dashes and underscores, and .json", name)
	}
	return nil
}
