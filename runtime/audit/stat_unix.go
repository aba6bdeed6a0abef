//go:build unix

package audit

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// stat is what the system says about a file. os.Stat would allocate, and this is asked
// for every record.
type stat struct{ unix.Stat_t }

func statName(name string) (s stat, err error) {
	for {
		if err = unix.Stat(name, &s.Stat_t); !errors.Is(err, unix.EINTR) {
			return s, err
		}
	}
}

func statFile(f *os.File) (s stat, err error) {
	return s, unix.Fstat(int(f.Fd()), &s.Stat_t)
}

// same reports whether it is the same file, whatever is in it.
func (s *stat) same(as *stat) bool { return s.Dev == as.Dev && s.Ino == as.Ino }

// written reports whether the file was written to in between.
func (s *stat) written(since *stat) bool { return s.Mtim != since.Mtim }

func (s *stat) size() int64 { return s.Size }
