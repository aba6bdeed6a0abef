package audit

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

// Retention says which full segments leave the chain. The zero value keeps all of
// them. The growing file always stays.
type Retention struct {
	// Age is how long a segment stays after its last record.
	Age time.Duration
	// Size bounds the bytes of all files together.
	Size int64
	// Folder is where segments are moved to, on any disk. Without one they are deleted.
	Folder string
}

// check refuses an archive that is the folder of the chain itself.
func (r Retention) check(path string) error {
	if r.Folder == "" {
		return nil
	}
	here, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	there, err := filepath.Abs(r.Folder)
	if err != nil {
		return err
	}
	one, err := os.Stat(here)
	if err == nil {
		if other, err := os.Stat(there); err == nil && os.SameFile(one, other) {
			there = here
		}
	}
	if here == there {
		return fmt.Errorf("the archive %s is the folder of the record itself: name another one", there)
	}
	return nil
}

// retireEvery is how often the age of segments is looked at. Their size is looked at
// whenever there is a new one.
const retireEvery = time.Hour

// Archived is the beginning of a chain that was moved away or deleted.
type Archived struct {
	From    uint64    `json:"from,omitempty"` // the first record in the archive; 0 if they were deleted
	Records uint64    `json:"records"`        // the last one
	Hash    string    `json:"hash"`           // of the last one
	At      time.Time `json:"at"`
}

// archivedOrigin is the first line of a note about what was archived. It differs from
// that of a checkpoint: a checkpoint, which anybody may have, must not explain why
// records are missing.
const archivedOrigin = "glovebox-audit-archived"

// archivedName is the file of the note, beside the chain and in the archive.
func archivedName(path string) string { return path + ".archived" }

// boundary is where the archive of a chain ends and its files begin.
type boundary struct {
	position
	from uint64 // the first record in the archive; 0 if there is none
	time time.Time
}

func (b boundary) archived() *Archived {
	if b.count == 0 {
		return nil
	}
	return &Archived{b.from, b.count, b.last.String(), b.time}
}

func (s signer) boundary(b boundary) ([]byte, error) {
	text := fmt.Sprintf("%s\n%d\n%s\n%d\n%s\n", archivedOrigin, b.count, base64.StdEncoding.EncodeToString(b.last[:]), b.from, b.time.UTC().Format(time.RFC3339))
	return note.Sign(&note.Note{Text: text}, s)
}

// parseBoundary reads a note about what was archived.
func parseBoundary(text []byte, by note.Verifier) (b boundary, err error) {
	signed, err := note.Open(text, note.VerifierList(by))
	if err != nil {
		return b, err
	}
	lines := strings.Split(signed.Text, "\n")
	if len(lines) != 6 || lines[0] != archivedOrigin {
		return b, errors.New("no note about archived records")
	}
	if b.position, err = parsePosition(lines[1], lines[2]); err != nil {
		return b, err
	}
	if b.from, err = strconv.ParseUint(lines[3], 10, 64); err != nil {
		return b, err
	}
	b.time, err = time.Parse(time.RFC3339, lines[4])
	return b, err
}

// readBoundary reads the note at name; without one nothing was archived.
func readBoundary(name string, by note.Verifier) (boundary, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return boundary{}, nil
	}
	if err != nil {
		return boundary{}, err
	}
	b, err := parseBoundary(text, by)
	if err != nil {
		err = fmt.Errorf("%s: the chain's key did not sign it: %w", name, err)
	}
	return b, err
}

// retiring moves segments away whenever one is due, until the log is closed.
func (l *Log) retiring() {
	tick := time.NewTicker(retireEvery)
	defer tick.Stop()
	for {
		archived, err := l.Retire()
		if l.opts.Retired != nil && (archived != nil || err != nil) && !errors.Is(err, ErrClosed) {
			l.opts.Retired(archived, err)
		}
		select {
		case <-l.stop:
			return
		case <-l.rotated:
		case <-tick.C:
		}
	}
}

// Retire moves the segments away that [Options].Retention lets go, and returns what
// was archived since the beginning if there were any. A segment that is not whole
// stays: nothing is signed that was not checked. Another process that does the same
// comes first.
func (l *Log) Retire() (*Archived, error) {
	// Its file is there for as long as the chain. A lock of its own: appends go on.
	key, err := os.Open(keyName(l.path))
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	defer key.Close() // releases the lock
	if err := osfile.TryLock(key); errors.Is(err, osfile.ErrLocked) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	archived, err := l.retire()
	if err != nil {
		return archived, fmt.Errorf("audit: archiving: %w", err)
	}
	return archived, nil
}

func (l *Log) retire() (*Archived, error) {
	var gone, due []segment
	var begin boundary
	err := l.holding(func() (err error) {
		if err := l.ready(); err != nil {
			return err
		}
		if begin, err = readBoundary(archivedName(l.path), l.signer.Verifier); err == nil {
			gone, due, err = l.leaving(begin)
		}
		return err
	})
	if err != nil || len(gone)+len(due) == 0 {
		return nil, err
	}
	end := begin
	if len(due) > 0 {
		if end, err = l.copyAll(due, begin); err != nil {
			return nil, err
		}
	}
	text, err := l.signer.boundary(end)
	if err == nil && l.opts.Retention.Folder != "" {
		err = writeFile(archivedName(l.inArchive(l.path)), text)
	}
	if err != nil {
		return nil, err
	}
	// The note comes before the removal: a process that ends in between leaves segments
	// that the note counts, and the next one removes them.
	l.indexing.Lock()
	defer l.indexing.Unlock()
	return end.archived(), l.holding(func() error {
		if err := writeFile(archivedName(l.path), text); err != nil {
			return err
		}
		var errs []error
		for _, s := range append(gone, due...) {
			errs = append(errs, os.Remove(s.name))
			if err := os.Remove(s.name + ".index"); !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, err)
			}
		}
		return errors.Join(append(errs, osfile.SyncDir(filepath.Dir(l.path)))...)
	})
}

// segment is a full segment with the numbers of its records.
type segment struct {
	name        string
	first, last uint64
	size        int64
	changed     time.Time
}

// segments lists the full segments, oldest first. It runs under both locks.
func (l *Log) segments() ([]segment, error) {
	names, err := segmentFiles(l.path)
	if err != nil {
		return nil, err
	}
	next := l.at.count + 1
	if l.at.size > 0 {
		if next, err = firstSeq(l.file); err != nil {
			return nil, err
		}
	}
	all := make([]segment, len(names))
	for i, name := range slices.Backward(names) {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		first := firstIn(name)
		all[i] = segment{name, first, next - 1, info.Size(), info.ModTime()}
		next = first
	}
	return all, nil
}

// leaving returns the segments that an earlier process archived and did not remove,
// and those that are due.
func (l *Log) leaving(begin boundary) (gone, due []segment, err error) {
	all, err := l.segments()
	size := l.at.size
	for _, s := range all {
		size += s.size
	}
	keep := l.opts.Retention
	for _, s := range all {
		switch {
		case s.last <= begin.count:
			gone = append(gone, s)
		case keep.Age > 0 && time.Since(s.changed) > keep.Age, keep.Size > 0 && size > keep.Size:
			due = append(due, s)
		default:
			return gone, due, err
		}
		size -= s.size
	}
	return gone, due, err
}

// copyAll copies segments to the archive, if there is one, and returns where they end.
// The chain has to lead through them to what follows.
func (l *Log) copyAll(due []segment, begin boundary) (end boundary, err error) {
	end = boundary{position: position{count: begin.count, last: begin.last}, time: time.Now().UTC().Truncate(time.Second)}
	if folder := l.opts.Retention.Folder; folder != "" {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return end, err
		}
		end.from = begin.count + 1
		// An archive of another chain, or of an earlier part, begins where it began.
		if before, err := readBoundary(archivedName(l.inArchive(l.path)), l.signer.Verifier); err != nil {
			return end, err
		} else if before.from > 0 && before.count == begin.count {
			end.from = before.from
		} else if before.count > begin.count {
			end.from = before.from // copied by a process that ended before it said so here
		}
	}
	for _, s := range due {
		if err := l.copyOne(s, &end.position); err != nil {
			return end, err
		}
	}
	return end, l.holding(func() error {
		if err := l.ready(); err != nil {
			return err
		}
		all, err := l.segments()
		if err != nil {
			return err
		}
		next := l.file
		for _, s := range all {
			if s.first == end.count+1 {
				if next, err = osfile.OpenFile(s.name, os.O_RDONLY, 0); err != nil {
					return err
				}
				defer next.Close()
			}
		}
		if next == l.file && l.at.size == 0 {
			if l.at.last != end.last {
				return errors.New("the newest segment does not lead to the end of the chain")
			}
			return nil
		}
		return leadsOn(next, end.position)
	})
}

// leadsOn reports whether the first line of a file follows from a position.
func leadsOn(f *os.File, from position) error {
	text, err := bufio.NewReader(io.NewSectionReader(f, 0, maxLine)).ReadBytes('\n')
	if err != nil {
		return err
	}
	first, err := parseWhole(text)
	if err == nil && (first.prev != from.last || first.seq != from.count+1) {
		err = fmt.Errorf("%s does not follow from record %d: run glovebox audit verify", f.Name(), from.count)
	}
	return err
}

// copyOne reads a segment that begins after at, moves at to its end, and keeps a copy
// in the archive, if there is one.
func (l *Log) copyOne(s segment, at *position) (err error) {
	f, err := osfile.OpenFile(s.name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var from io.Reader = f
	done := func() error { return nil }
	if l.opts.Retention.Folder != "" {
		to := l.inArchive(s.name)
		tmp, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+"-")
		if err != nil {
			return err
		}
		defer os.Remove(tmp.Name())
		defer tmp.Close()
		from = io.TeeReader(f, tmp)
		done = func() error {
			return errors.Join(tmp.Sync(), tmp.Close(), os.Rename(tmp.Name(), to), osfile.SyncDir(filepath.Dir(to)))
		}
	}
	err = eachLine(from, func(number int, _ int64, text []byte) error {
		line, err := parseWhole(text)
		if err == nil && (!line.intact || line.prev != at.last || line.seq != at.count+1) {
			err = errors.New("the chain is broken here")
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w: it stays; run glovebox audit verify", s.name, number, err)
		}
		*at = position{count: line.seq, last: line.hash}
		return nil
	})
	if err == nil && at.count != s.last {
		err = fmt.Errorf("%s ends with record %d, and not %d: it stays; run glovebox audit verify", s.name, at.count, s.last)
	}
	if err != nil {
		return err
	}
	return done()
}

// holding runs f while nobody appends.
func (l *Log) holding(f func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	return l.locked(f)
}

func (l *Log) inArchive(name string) string {
	return filepath.Join(l.opts.Retention.Folder, filepath.Base(name))
}
