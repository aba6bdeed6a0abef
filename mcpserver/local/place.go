package local

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// maxSocketPath is how long the path of a socket may be, in bytes: 104 with its
// end on macOS, 108 on Linux.
const maxSocketPath = 103

// runDir is where the lock and, if its path is not too long, the socket are.
func runDir(state string) string { return filepath.Join(state, "run") }

func lockPath(state string) string { return filepath.Join(runDir(state), "owner.lock") }

// socketPath returns where the owner of a state folder listens, and makes the
// folder for it. When the path in the state folder is too long for the kernel, it
// is one with a hash of it in the runtime folder or, without one, in /tmp. Others
// read in the lock file which it is, so the environment of a process does not
// matter for finding it.
func socketPath(state string) (string, error) {
	inState := filepath.Join(runDir(state), "socket")
	if len(inState) <= maxSocketPath {
		return inState, makePrivate(runDir(state))
	}
	sum := sha256.Sum256([]byte(state))
	name := hex.EncodeToString(sum[:8]) + ".sock"
	dirs := []string{filepath.Join("/tmp", "glovebox-"+strconv.Itoa(os.Getuid()))}
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

// makePrivate makes a folder that nobody else may enter, with those above it.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return private(dir)
}

// private refuses a folder that is not this user's alone. It is not put right
// here: what others put into it meanwhile would stay.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder", dir)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%s belongs to another user", dir)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("%s has mode %04o, so others may reach what is in it; run chmod 700 on it", dir, perm)
	}
	return nil
}
