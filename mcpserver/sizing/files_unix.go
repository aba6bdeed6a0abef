//go:build unix

package sizing

import "syscall"

// Files is how many files this process may have open; 0 when that is not known.
func Files() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur)
}
