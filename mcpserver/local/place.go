package local

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// maxSocketPath is the longest path a socket may have, in bytes: 104 with the
// terminator on macOS, 108 on Linux.
const maxSocketPath = 103

// runDir is the folder of the lock and, if its path is short enough, the socket.
func runDir(state string) string { return filepath.Join(state, "run") }

func lockPath(state string) string { return filepath.Join(runDir(state), "owner.lock") }

// socketPath returns the path the owner of a state folder listens on, and makes its
// folder. If the path in the state folder is too long for the kernel, the socket is
// in the runtime folder or, without one, in the system's folder for temporary files,
// named by a hash of the state folder. Other processes read the path from the lock file, so their environment
// does not matter.
func socketPath(state string) (string, error) {
	inState := filepath.Join(runDir(state), "socket")
	if len(inState) <= maxSocketPath {
		return inState, makePrivate(runDir(state))
	}
	sum := sha256.Sum256([]byte(state))
	name := hex.EncodeToString(sum[:8]) + ".sock"
	dirs := []string{shortDir()}
	if runtime := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(runtime) {
		dirs = append([]string{filepath.Join(runtime, "glovebox")}, dirs...)
	}
	var failed error
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if len(path) > maxSocketPath {
			continue
		}
		err := makePrivate(dir)
		if err == nil {
			return path, nil
		}
		failed = errors.Join(failed, err)
	}
	return "", failed
}

// makePrivate makes a folder that nobody else may enter, with its parents.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return private(dir)
}

// private refuses a folder that others can access. It does not repair the mode:
// what others put there in the meantime would stay.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder", dir)
	}
	return onlyOurs(dir, info)
}
