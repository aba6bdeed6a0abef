package audit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// probeEvery bounds how often a failed log is retried without a record.
const probeEvery = time.Second

// probeSize is larger than any record.
const probeSize = 64 << 10

// lookedFor is how long what Failed saw also holds for the one record that follows: a call
// that took less need not look twice.
const lookedFor = 10 * time.Millisecond

// place is a name and the file that it led to when opened.
type place struct {
	name string
	file stat
	key  bool // nothing may write to it either
}

// mark remembers which files the chain's names lead to. The opened files must be the
// ones found there.
func (l *Log) mark() error {
	l.places = l.places[:0]
	for _, f := range []*os.File{l.file, l.head.file, l.lock} {
		file, err := statFile(f)
		if err != nil {
			return err
		}
		l.places = append(l.places, place{name: f.Name(), file: file})
	}
	key := keyName(l.path)
	file, err := statName(key)
	l.places = append(l.places, place{name: key, file: file, key: true})
	return err
}

// stands reports what happened to the chain's files under their names: a line written
// to a file that was moved or deleted is recorded nowhere.
func (l *Log) stands() error {
	for i := range l.places {
		p := &l.places[i]
		now, err := statName(p.name)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s was moved or deleted while it was in use: put it back", p.name)
		}
		if err != nil {
			return err
		}
		// The key is not held open, so another file may have got its inode number.
		if !now.same(&p.file) || p.key && now.written(&p.file) {
			return fmt.Errorf("%s was replaced while it was in use: put the file back, or check the chain and start again", p.name)
		}
		if i == 0 && now.size() < l.at.size {
			return fmt.Errorf("%s has %d bytes, but %d were written: its tail was cut off while it was in use", p.name, now.size(), l.at.size)
		}
	}
	return nil
}

// Failed returns why records cannot be kept, or nil. A caller that must not act without
// a record checks it before acting. It looks at the files, so it notices changes to them
// at once, and once a second it checks whether a failure is over.
func (l *Log) Failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	if l.failed != nil {
		if now := time.Now(); now.Sub(l.probed) >= probeEvery {
			l.probed = now
			l.fail(l.locked(l.probe))
		}
		return l.failed
	}
	if l.stands() == nil {
		l.looked = time.Now()
		return nil
	}
	// Another process may have started a new file; the lock shows it.
	l.fail(l.locked(func() error { return errors.Join(l.catchUp(), l.stands()) }))
	return l.failed
}

func (l *Log) fail(err error) {
	l.failed = nil
	if err != nil {
		l.failed = fmt.Errorf("audit: %w", err)
	}
}

// probe reports whether a record could be written now. It writes beside the chain,
// which holds nothing but records.
func (l *Log) probe() error {
	if err := l.ready(); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(l.path), ".probe-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(make([]byte, probeSize))
	return errors.Join(err, l.flush(tmp), tmp.Close())
}

// ready moves the log to the end of the chain and proves that the existing lines can be
// built on.
func (l *Log) ready() error {
	if err := l.catchUp(); err != nil {
		return err
	}
	if looked := l.looked; !looked.IsZero() && time.Since(looked) < lookedFor {
		l.looked = time.Time{}
		return l.prove()
	}
	if err := l.stands(); err != nil {
		return err
	}
	return l.prove()
}

// unsynced remembers that a sync of file failed. The kernel may have dropped what it
// could not write and report the next sync of the same file as a success.
func (l *Log) unsyncedIn(file *os.File, err error) {
	l.unsynced = err
	l.unprovable = l.unprovable || file != l.file
	l.fail(err)
}

// prove clears a failed sync: the lines since the last successful sync are read back,
// must lead to the end of the chain, and are written and synced once more.
func (l *Log) prove() error {
	if l.unsynced == nil {
		return nil
	}
	if l.unprovable {
		return fmt.Errorf("a full segment could not be synced: check the chain and start again: %w", l.unsynced)
	}
	last := position{last: l.at.last, count: l.at.count}
	if l.synced < l.at.size {
		last = position{}
	}
	err := eachLine(io.NewSectionReader(l.file, l.synced, l.at.size-l.synced), func(_ int, offset int64, text []byte) error {
		parsed, err := parseWhole(text)
		if err != nil || !parsed.intact || last.count > 0 && (parsed.prev != last.last || parsed.seq != last.count+1) {
			return fmt.Errorf("what was not synced is damaged: %w", l.unsynced)
		}
		last = position{count: parsed.seq, last: parsed.hash}
		_, err = l.file.WriteAt(text, l.synced+offset)
		return err
	})
	if err == nil && (last.count != l.at.count || last.last != l.at.last) {
		err = fmt.Errorf("what was not synced is gone: %w", l.unsynced)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(l.head.write(committed, l.at), l.sync()); err != nil {
		return err
	}
	l.unsynced, l.synced = nil, l.at.size
	return nil
}
