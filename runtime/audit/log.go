package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

const (
	// DefaultSegmentSize is the size in bytes at which the growing file becomes a
	// segment: about 60,000 records, which an editor still opens.
	DefaultSegmentSize = 64 << 20
	// groupDelay bounds how long only the kernel holds an acknowledged record. The record
	// survives a killed process at once, a power cut only after this delay.
	groupDelay = 50 * time.Millisecond
)

// Options configure a [Log]. The zero value is usable.
type Options struct {
	// SyncAlways makes Append return only when the record is on disk. Otherwise
	// records are synced together within 50 ms.
	SyncAlways bool
	// SegmentSize is the size in bytes at which a new file is started;
	// DefaultSegmentSize when zero.
	SegmentSize int64
	// Anchor, if not empty, is a file in another place that receives a signed
	// checkpoint within a second of an append. A chain that lacks what its anchor
	// knows is not opened.
	Anchor string
	// Keepers receive the same checkpoint, and are asked like Anchor when the log is
	// opened. Kept, if not nil, hears when one fails, and nil when all have it again.
	Keepers []Keeper
	Kept    func(error)
	// Mirror, if not nil, receives a copy of every record within seconds, and a sign of
	// life under Name, which is for people. Mirrored hears when that fails, and nil when
	// it goes on; Uncopied how many records were archived before they were copied;
	// Forked that the copy, which ends with a number, has other records than the chain.
	Mirror   Mirror
	Name     string
	Mirrored func(error)
	Uncopied func(records uint64)
	Forked   func(copied uint64)
	// Retention says which full segments leave the chain. They are looked for in the
	// background.
	Retention Retention
	// Retired, if not nil, hears what was archived and what hindered it. It must not
	// close the log.
	Retired func(*Archived, error)

	boot string // stands for the machine's in a test
}

// Log appends records. It is safe for concurrent use, and several processes may
// append to one path.
type Log struct {
	path string
	opts Options
	head headFile
	lock *os.File

	mu     sync.Mutex  // held for one append
	file   *os.File    // the growing file
	text   []byte      // reused for records
	buf    []byte      // reused for lines
	at     position    // the end as this process last saw it
	due    *time.Timer // runs syncDue; nil when no sync is pending
	failed error       // why the last append or sync failed; nil if it succeeded
	probed time.Time   // when a failure was last retried
	places []place     // the files that the names led to when opened
	looked time.Time   // when Failed found them in place, until a record was written

	boot string // of the machine, see [osfile.Boot]

	synced     int64 // how much of the growing file is known to be on disk
	unsynced   error // why a sync failed whose lines are not proven yet
	unprovable bool  // the lines are in a file that is no longer the growing one
	flush      func(*os.File) error

	signer    signer      // of checkpoints; zero without an anchor
	anchorDue *time.Timer // runs anchorDueNow; nil when the anchor is up to date

	background sync.WaitGroup // goroutines that Close waits for
	indexing   sync.Mutex     // held to build one index
	unindexed  int64          // bytes appended since the last one began

	rotated chan struct{} // holds a value after a segment was closed
	grown   chan struct{} // holds a value after an append that the keepers do not know
	stop    chan struct{} // closed by Close

	floods  map[string]*flood // by caller
	heldDue *time.Timer       // runs writeHeld; nil when nothing is held
	closed  bool

	// files is locked for reading while a sync runs outside mu, and for writing to
	// close or replace a file.
	files sync.RWMutex
}

// ErrClosed is returned by methods of a closed log.
var ErrClosed = errors.New("the audit log is closed")

// Open opens the log whose growing file is path, creating its folder with mode 0700
// if needed. It cuts off a line that a killed process left half written. It refuses a
// chain that does not end where its head says; Verify explains more.
func Open(path string, opts Options) (*Log, error) {
	if opts.SegmentSize == 0 {
		opts.SegmentSize = DefaultSegmentSize
	}
	if err := opts.Retention.check(path); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	l := &Log{path: path, opts: opts, flush: (*os.File).Sync, rotated: make(chan struct{}, 1), grown: make(chan struct{}, 1), stop: make(chan struct{})}
	if l.boot = opts.boot; l.boot == "" {
		l.boot = osfile.Boot()
	}
	var err error
	if l.lock, err = os.OpenFile(lockName(path), os.O_RDWR|os.O_CREATE, 0o600); err == nil {
		err = l.locked(l.open)
	}
	if err == nil {
		err = l.openKeepers()
	}
	if err == nil {
		err = l.recordLoss()
	}
	if errors.Is(err, errHeadForged) {
		err = fmt.Errorf("%w: the record in %s was changed, or is of an earlier version; \"glovebox audit verify\" says more, and moving that folder aside begins a new record", err, filepath.Dir(path))
	}
	if err != nil {
		l.closeFiles()
		return nil, fmt.Errorf("audit: %w", err)
	}
	if len(opts.Keepers) > 0 {
		l.background.Go(l.keeping)
	}
	if opts.Mirror != nil {
		l.background.Go(l.mirroring)
	}
	if opts.Retention.Age > 0 || opts.Retention.Size > 0 {
		l.background.Go(l.retiring)
	}
	return l, nil
}

func (l *Log) open() (err error) {
	if l.head, err = openHead(l.path, os.O_RDWR|os.O_CREATE); err != nil {
		return err
	}
	l.head.kept = &kept{keyed: hmac.New(sha256.New, l.head.key)}
	if err := l.reopen(); err != nil {
		return err
	}
	if err := l.enterBoot(); err != nil {
		return err
	}
	return l.openAnchor()
}

// Append writes r as the next record. When it returns nil, the record survives the
// death of the process; with SyncAlways also that of the machine. When it returns an
// error, nothing was added. Once a caller is refused too often, its refused calls are
// only counted and get the number 0.
func (l *Log) Append(r Record) (seq uint64, err error) {
	r.bound()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, ErrClosed
	}
	under := l.admit(r)
	if under == nil {
		return 0, l.failed
	}
	if seq, err = l.write(r, under.held()); err != nil {
		return 0, fmt.Errorf("audit: %w", err)
	}
	under.written()
	return seq, nil
}

// write runs under mu.
func (l *Log) write(r Record, counts *Coalesced) (seq uint64, err error) {
	r.Coalesced = counts
	l.text, err = r.append(l.text[:0])
	if err != nil {
		return 0, err
	}
	err = l.locked(func() error {
		seq, err = l.append(l.text)
		return err
	})
	l.fail(err)
	if err != nil {
		return 0, err
	}
	return seq, nil
}

// append runs under both locks.
func (l *Log) append(record []byte) (uint64, error) {
	if err := l.ready(); err != nil {
		return 0, err
	}
	if l.at.size >= l.opts.SegmentSize {
		if err := l.rotate(); err != nil {
			return 0, err
		}
	}
	next := position{count: l.at.count + 1}
	l.buf, next.last = appendLine(l.buf[:0], next.count, l.at.last, record)
	next.size = l.at.size + int64(len(l.buf))
	if err := l.head.write(intended, next); err != nil {
		return 0, err
	}
	if l.opts.SyncAlways {
		// Written before the line, so that no disk holds a line unknown to its head. The
		// commit below needs no sync: recover reconstructs it from both.
		if err := errors.Join(l.head.write(flushed, l.at), datasync(l.head.file)); err != nil {
			return 0, err
		}
	}
	if _, err := l.file.WriteAt(l.buf, l.at.size); err != nil {
		// A full disk may have taken part of the line. Without it the chain still ends at
		// the committed position.
		return 0, errors.Join(err, l.file.Truncate(l.at.size))
	}
	if l.opts.SyncAlways {
		if err := datasync(l.file); err != nil {
			l.unsyncedIn(l.file, err)
			return 0, errors.Join(err, l.file.Truncate(l.at.size))
		}
	}
	if err := l.head.write(committed, next); err != nil {
		return 0, errors.Join(err, l.file.Truncate(l.at.size))
	}
	l.at = next
	if l.unindexed += int64(len(l.buf)); l.unindexed >= indexEvery {
		l.index(l.path, l.at.size)
	}
	if l.opts.SyncAlways {
		l.synced = next.size
	}
	if l.due == nil && !l.opts.SyncAlways {
		l.due = time.AfterFunc(groupDelay, l.syncDue)
	}
	if len(l.opts.Keepers) > 0 {
		l.grow()
	}
	if l.opts.Anchor != "" && l.anchorDue == nil {
		l.anchorDue = time.AfterFunc(anchorEvery, l.anchorDueNow)
	}
	return next.count, nil
}

// catchUp moves to the end of the chain, which another process may have extended.
func (l *Log) catchUp() error {
	head, err := l.head.read(committed)
	if err != nil {
		return err
	}
	if head.count < l.at.count {
		return fmt.Errorf("%s went back from record %d to %d while it was in use", headName(l.path), l.at.count, head.count)
	}
	if head != l.at {
		return l.reopen()
	}
	return nil
}

// reopen opens the growing file and finds the end of the chain in it.
func (l *Log) reopen() error {
	f, err := osfile.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	l.files.Lock()
	if l.file != nil {
		l.file.Close()
	}
	l.file, l.synced = f, 0
	l.files.Unlock()
	at, err := l.recover()
	if err != nil {
		return err
	}
	l.at = at
	return l.mark()
}

// recover returns the position of the next line. Anything after it was never
// acknowledged and is cut off.
func (l *Log) recover() (position, error) {
	at, err := l.head.read(committed)
	if err != nil {
		return position{}, err
	}
	if at, err = l.afterPowerCut(at); err != nil {
		return position{}, err
	}
	info, err := l.file.Stat()
	if err != nil {
		return position{}, err
	}
	if info.Size() == at.size {
		return at, nil
	}
	intent, err := l.head.read(intended)
	if err != nil && !errors.Is(err, errHeadForged) {
		return position{}, err // a torn intent was never followed by a line
	}
	switch {
	case err == nil && info.Size() == 0 && intent == (position{count: at.count, last: at.last}) && l.segmentOfSize(at.size):
		return intent, l.head.write(committed, intent) // killed while rotating
	case info.Size() < at.size:
		return position{}, fmt.Errorf("%s: %d bytes, but its head says %d: the tail was cut off", l.path, info.Size(), at.size)
	case err == nil && intent.count == at.count+1 && info.Size() == intent.size && l.endsWith(at, intent):
		return intent, l.head.write(committed, intent)
	case err == nil && intent.count == at.count+1 && info.Size() < intent.size:
		return at, l.file.Truncate(at.size) // killed in the middle of the line
	}
	return position{}, fmt.Errorf("%s: %d bytes, but its head says %d: something was added behind the chain", l.path, info.Size(), at.size)
}

// endsWith reports whether the bytes between the two positions are the one line
// that leads from the first to the second.
func (l *Log) endsWith(from, to position) bool {
	text := make([]byte, to.size-from.size)
	if _, err := l.file.ReadAt(text, from.size); err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	last, err := parseWhole(text)
	return err == nil && last.intact && last.prev == from.last && last.hash == to.last && last.seq == to.count
}

// rotate turns the growing file into a segment. The intent tells the next process if
// this one was killed between the rename and the commit.
func (l *Log) rotate() error {
	if err := l.flush(l.file); err != nil {
		l.unsyncedIn(l.file, err)
		return err
	}
	first, err := firstSeq(l.file)
	if err != nil {
		return err
	}
	start := position{count: l.at.count, last: l.at.last}
	// Each step is on disk before the next, so that a power cut leaves what a kill leaves.
	if err := errors.Join(l.head.write(flushed, l.at), l.head.write(intended, start), l.flush(l.head.file)); err != nil {
		return err
	}
	if err := os.Rename(l.path, segmentName(l.path, first)); err != nil {
		return err
	}
	if err := osfile.SyncDir(filepath.Dir(l.path)); err != nil {
		return err
	}
	if err := errors.Join(l.head.write(flushed, start), l.head.write(committed, start)); err != nil {
		return err
	}
	l.index(segmentName(l.path, first), l.at.size)
	select {
	case l.rotated <- struct{}{}:
	default:
	}
	return l.reopen()
}

// index builds the index of what a file holds, in the background, for the next search.
// What goes wrong is not reported: a search does without.
func (l *Log) index(name string, size int64) {
	l.unindexed = 0
	l.background.Go(func() {
		l.indexing.Lock()
		defer l.indexing.Unlock()
		f, err := osfile.OpenFile(name, os.O_RDONLY, 0)
		if err != nil {
			return
		}
		defer f.Close()
		_, _ = openIndex(l.path, f, size)
	})
}

// segmentOfSize reports whether the newest segment has exactly that many bytes.
func (l *Log) segmentOfSize(size int64) bool {
	segments, err := segmentFiles(l.path)
	if err != nil || len(segments) == 0 {
		return false
	}
	info, err := os.Stat(segments[len(segments)-1])
	return err == nil && info.Size() == size
}

// Close syncs pending records and closes the log.
func (l *Log) Close() error {
	defer l.background.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	err := l.flushHeld()
	if l.heldDue != nil {
		l.heldDue.Stop()
	}
	l.closed = true
	close(l.stop)
	if l.anchorDue != nil {
		l.anchorDue.Stop()
		err = errors.Join(err, l.locked(l.writeAnchor))
	}
	if l.due != nil {
		l.due.Stop()
		err = errors.Join(err, l.locked(l.sync))
	}
	return errors.Join(err, l.closeFiles())
}

func (l *Log) closeFiles() error {
	l.files.Lock()
	defer l.files.Unlock()
	var errs []error
	for _, f := range []*os.File{l.file, l.head.file, l.lock} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// locked runs f while no other process can append.
func (l *Log) locked(f func() error) error {
	if err := osfile.Lock(l.lock); err != nil {
		return err
	}
	defer osfile.Unlock(l.lock)
	return f()
}
