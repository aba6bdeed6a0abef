package audit

import (
	"errors"
	"os"
	"syscall"
)

// datasync puts what was written to f on the disk, without the times of the file:
// where its size stays, that spares the file system's journal.
func datasync(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
