package editors

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
)

// Backup returns the path of the copy of a configuration file made before the
// server of that name was added.
func Backup(file, name string) string { return file + ".before-" + url.PathEscape(name) }

// Read returns a configuration file and its backup; each is nil if there is none.
func Read(file, name string) (text, backup []byte, err error) {
	if text, err = readOptional(file); err != nil {
		return nil, nil, err
	}
	backup, err = readOptional(Backup(file, name))
	return text, backup, err
}

func readOptional(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// Apply writes a change that adds the server, after backing up the previous file.
// The backup is kept while the server is in the file: it holds the file without it.
// Apply removes the backup of a file that no longer exists.
func Apply(file, name string, ch Change) error {
	switch {
	case ch.Old != "":
	case ch.Before != nil:
		if err := write(Backup(file, name), ch.Before, file); err != nil {
			return err
		}
	default:
		if err := os.Remove(Backup(file, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return write(file, ch.After, file)
}

// Undo writes a change that removes the server, and removes the backup. It removes
// a file that did not exist before.
func Undo(file, name string, ch Change) error {
	var err error
	if ch.After == nil {
		err = os.Remove(file)
	} else {
		err = write(file, ch.After, file)
	}
	if err != nil {
		return err
	}
	if err := os.Remove(Backup(file, name)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// write replaces a whole file, with the mode of another; a new file is readable by
// its owner alone, because clients keep keys there. A link stays a link.
func write(file string, text []byte, like string) error {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	mode := os.FileMode(0o600)
	if info, err := os.Stat(like); err == nil {
		mode = info.Mode().Perm()
	}
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".glovebox-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
