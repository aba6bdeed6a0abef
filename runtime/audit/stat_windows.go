package audit

import "os"

// stat is what the system says about a file.
type stat struct{ os.FileInfo }

func statName(name string) (s stat, err error) {
	s.FileInfo, err = os.Stat(name)
	return s, err
}

func statFile(f *os.File) (s stat, err error) {
	s.FileInfo, err = f.Stat()
	return s, err
}

// same reports whether it is the same file, whatever is in it.
func (s *stat) same(as *stat) bool { return os.SameFile(s.FileInfo, as.FileInfo) }

// written reports whether the file was written to in between.
func (s *stat) written(since *stat) bool { return !s.ModTime().Equal(since.ModTime()) }

func (s *stat) size() int64 { return s.Size() }
