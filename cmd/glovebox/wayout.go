package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// wayOut is the end of the sentence of an error that has its cause around the program: what
// to do about a taken address, or a folder that cannot be written. It is empty for others.
func wayOut(cmd *cobra.Command, err error) string {
	var on *net.OpError
	if errors.As(err, &on) && on.Op == "listen" && on.Net == "tcp" && cmd.Flag("listen") != nil {
		return "; name another address with --listen, such as 127.0.0.1:0 for any port that is free"
	}
	var at *fs.PathError
	if !errors.As(err, &at) {
		return ""
	}
	if errors.Is(at, fs.ErrNotExist) && cmd.Flag("folder") != nil && at.Path == cmd.Flag("folder").Value.String() {
		return "; make it first: mkdir -p " + at.Path
	}
	variable := variableOf(at.Path)
	switch {
	case variable == "":
		return ""
	case errors.Is(at, fs.ErrPermission):
		return fmt.Sprintf("; set %s to a folder of this user, or run this as the user that owns %s", variable, existing(at.Path))
	case errors.Is(at, syscall.EROFS):
		return fmt.Sprintf("; set %s to a folder on a file system that can be written", variable)
	case errors.Is(at, syscall.ENOSPC), errors.Is(at, syscall.EDQUOT):
		return fmt.Sprintf("; make room there, or set %s to a folder on another disk", variable)
	}
	return ""
}

// variableOf names the variable that says where a folder of ours is that a path is in, or
// on the way to.
func variableOf(path string) string {
	state, _ := stateDir()
	for _, f := range []struct{ variable, dir string }{{"XDG_STATE_HOME", state}, {"XDG_CONFIG_HOME", configDir()}, {"XDG_CACHE_HOME", cacheDir()}} {
		if f.dir != "" && (within(path, f.dir) || within(f.dir, path)) {
			return f.variable
		}
	}
	return ""
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// existing is the part of a path that exists.
func existing(path string) string {
	for filepath.Dir(path) != path {
		if _, err := os.Lstat(path); err == nil {
			break
		}
		path = filepath.Dir(path)
	}
	return path
}
