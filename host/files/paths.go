package files

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

func refuse(kind hostcall.Kind, reason, format string, args ...any) *hostcall.Error {
	return hostcall.Errorf(kind, Helper, reason, format, args...)
}

// checkPath refuses what is no path before anything touches the disk. U+FFFD is
// what broken UTF-8 has become on its way here: two broken names would share it.
func checkPath(path *string) (string, error) {
	if path == nil || strings.TrimSpace(*path) == "" {
		return "", refuse(hostcall.InvalidInput, "path-required", "a path is needed")
	}
	p := *path
	if len(p) > maxPath || strings.ContainsRune(p, 0) || strings.ContainsRune(p, '\uFFFD') {
		return "", refuse(hostcall.InvalidInput, "invalid-path", "a path has at most %d bytes, is UTF-8 and has no NUL", maxPath)
	}
	names := 0
	for name := range strings.SplitSeq(filepath.ToSlash(p), "/") {
		if len(name) > maxName {
			return "", refuse(hostcall.InvalidInput, "invalid-path", "a name has at most %d bytes", maxName)
		}
		names++
	}
	if names > maxNames {
		return "", refuse(hostcall.InvalidInput, "invalid-path", "a path has at most %d names", maxNames)
	}
	return p, nil
}

// escapes is the refusal of a path that leads out of what may be read.
func escapes(path string) *hostcall.Error {
	return refuse(hostcall.Security, "path-escapes-base", "%q lies outside of what this tool may read", path)
}

// failed turns what the system said about a path into the guest's error. The
// system's own text is left out: it can hold paths that are none of the tool's
// business.
func failed(path string, err error) error {
	var already *hostcall.Error
	switch {
	case errors.As(err, &already):
		return already
	case errors.Is(err, errOutside), errors.Is(err, errHardLink):
		return escapes(path)
	case errors.Is(err, errReserved):
		return refuse(hostcall.InvalidInput, "invalid-path", "a name does not begin with %q", tempPrefix)
	case errors.Is(err, errNotUTF8):
		return refuse(hostcall.Runtime, "invalid-utf8", "%q is not UTF-8 text", path)
	case errors.Is(err, errTooLarge):
		return refuse(hostcall.Runtime, "file-too-large", "%q is larger than %d bytes", path, maxFile)
	case errors.Is(err, errTooMany):
		return refuse(hostcall.Runtime, "too-many-entries", "%q: more entries or results than fit one call", path)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return refuse(hostcall.Runtime, "interrupted", "%q: the call was ended", path)
	}
	return refuse(hostcall.Runtime, "io", "%q: %s", path, plainReason(err))
}

// plainReason names the common failures in words of our own.
func plainReason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file or directory"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, fs.ErrExist):
		return "it exists already"
	case errors.Is(err, errNotRegular), errors.Is(err, syscall.EISDIR):
		return "not a regular file"
	case errors.Is(err, syscall.ENOTDIR):
		return "not a directory"
	case errors.Is(err, syscall.ELOOP):
		return "too many symbolic links"
	case errors.Is(err, syscall.ENOSPC):
		return "no space left"
	}
	return "input or output failed"
}
