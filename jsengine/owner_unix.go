//go:build unix

package jsengine

import (
	"io/fs"
	"os"
	"syscall"
)

// onlyWeWrite reports whether a file belongs to the user that this process runs
// as, and neither its group nor others may write it.
func onlyWeWrite(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
