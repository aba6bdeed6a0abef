package audit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

// maxLine bounds one line when reading. Parameters and results are limited far below
// it, so a longer line is damage.
const maxLine = 32 << 20

// The files beside the growing one are named after it.
func headName(path string) string { return path + ".head" }
func keyName(path string) string  { return path + ".key" }
func lockName(path string) string { return path + ".lock" }

// What a power cut took until it is on record, and what it left behind the chain.
func lossName(path string) string     { return path + ".loss" }
func unprovenName(path string) string { return path + ".unproven" }

// segmentName sorts by the sequence number of the first record.
func segmentName(path string, first uint64) string { return fmt.Sprintf("%s.%020d", path, first) }

// segmentFiles returns the full segments, oldest first.
func segmentFiles(path string) ([]string, error) {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir + "."))
	var names []string
	for _, e := range entries { // sorted by name, hence by sequence number
		if digits, ok := strings.CutPrefix(e.Name(), base+"."); ok && len(digits) == 20 && strings.Trim(digits, "0123456789") == "" {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names, err
}

// firstIn returns the number that a segment's name begins with.
func firstIn(name string) uint64 {
	first, _ := strconv.ParseUint(name[len(name)-20:], 10, 64)
	return first
}

// chainFiles returns the files of a chain, oldest first.
func chainFiles(path string) ([]string, error) {
	files, err := segmentFiles(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err == nil {
		files = append(files, path)
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return files, nil
}

// Exists reports whether there are files of a chain, or of the archive of one.
func Exists(path string) bool {
	files, err := chainFiles(path)
	return err == nil && len(files) > 0
}

func firstSeq(f *os.File) (uint64, error) {
	text, err := bufio.NewReader(io.NewSectionReader(f, 0, maxLine)).ReadBytes('\n')
	if err != nil {
		return 0, fmt.Errorf("%s: first line: %w", f.Name(), err)
	}
	first, err := parseWhole(text)
	return first.seq, err
}

// eachLine calls f for every line of r, with its number from 1 and the offset where it
// begins. The text includes the newline; the last line may lack it, and so does the
// rest of a line longer than maxLine.
func eachLine(r io.Reader, f func(number int, offset int64, text []byte) error) error {
	lines := bufio.NewReaderSize(r, 256<<10)
	var long []byte
	offset := int64(0)
	for n := 1; ; n++ {
		text, err := lines.ReadSlice('\n')
		size := int64(len(text))
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long[:0], text...)
			for errors.Is(err, bufio.ErrBufferFull) {
				text, err = lines.ReadSlice('\n')
				size += int64(len(text))
				long = append(long, text[:min(len(text), maxLine-len(long))]...)
			}
			text = long
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(text) == 0 {
			return nil
		}
		if stop := f(n, offset, text); stop != nil {
			return stop
		}
		if err != nil {
			return nil
		}
		offset += size
	}
}

// snapshot is a chain at one moment, however many processes are appending: its files
// are open, and later additions are not read.
type snapshot struct {
	files []*os.File
	sizes []int64

	boundary    []byte // the note about what was archived; empty if nothing was
	boundaryErr error

	headErr   error // why there is no head to compare with, or nil
	rebooted  bool  // the machine was started since the head was opened
	at        position
	intent    position
	intentErr error
}

// takeSnapshot opens the chain between two appends. A chain that cannot be locked, such as a copy on a read-only disk, is read without a lock.
func takeSnapshot(path string) (*snapshot, error) {
	if lock, err := os.OpenFile(lockName(path), os.O_RDWR, 0); err == nil {
		defer lock.Close() // releases the lock
		if err := osfile.Lock(lock); err != nil {
			return nil, err
		}
	}
	s := &snapshot{}
	names, err := chainFiles(path)
	for _, name := range names {
		if err == nil {
			err = s.open(name)
		}
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.readHead(path)
	if s.boundary, s.boundaryErr = os.ReadFile(archivedName(path)); errors.Is(s.boundaryErr, os.ErrNotExist) {
		s.boundaryErr = nil
	}
	return s, nil
}

func (s *snapshot) open(name string) error {
	f, err := osfile.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	s.files = append(s.files, f)
	info, err := f.Stat()
	if err != nil {
		return err
	}
	s.sizes = append(s.sizes, info.Size())
	return nil
}

// dropUpTo leaves out the segments that hold no record after count.
func (s *snapshot) dropUpTo(count uint64) {
	for count > 0 && len(s.files) > 1 {
		next, err := firstSeq(s.files[1])
		if s.sizes[1] == 0 && s.headErr == nil {
			next, err = s.at.count+1, nil
		}
		if err != nil || next > count+1 {
			return
		}
		s.files[0].Close()
		s.files, s.sizes = s.files[1:], s.sizes[1:]
	}
}

// dropAfter leaves out the segments of an archive that begin after record count: a
// process that ended while archiving copied them.
func (s *snapshot) dropAfter(count uint64) {
	for n := len(s.files) - 1; n >= 0 && firstIn(s.files[n].Name()) > count; n-- {
		s.files[n].Close()
		s.files, s.sizes = s.files[:n], s.sizes[:n]
	}
}

func (s *snapshot) readHead(path string) {
	head, err := openHead(path, os.O_RDONLY)
	if err != nil {
		s.headErr = err
		return
	}
	defer head.file.Close()
	s.at, s.headErr = head.read(committed)
	s.intent, s.intentErr = head.read(intended)
	_, s.rebooted = head.sinceBoot(osfile.Boot())
}

// each calls f for every line of the chain, oldest first.
func (s *snapshot) each(f func(file string, number int, text []byte) error) error {
	for i, file := range s.files {
		name := filepath.Base(file.Name())
		err := eachLine(io.NewSectionReader(file, 0, s.sizes[i]), func(n int, _ int64, text []byte) error { return f(name, n, text) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *snapshot) close() {
	for _, f := range s.files {
		f.Close()
	}
}
