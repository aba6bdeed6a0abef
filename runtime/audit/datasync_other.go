//go:build !linux

package audit

import "os"

// datasync puts what was written to f on the disk.
func datasync(f *os.File) error { return f.Sync() }
