package audit

import "os"

// syncDue flushes everything written since the last sync to disk. Appends continue
// meanwhile.
func (l *Log) syncDue() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due = nil
	if l.closed {
		return
	}
	file, at := l.file, l.at
	flush := func(f *os.File) error {
		l.files.RLock() // keeps f open
		l.mu.Unlock()
		err := l.flush(f)
		l.files.RUnlock() // before mu is taken: whoever holds it may wait to replace files
		l.mu.Lock()
		return err
	}
	info, err := file.Stat()
	if err == nil {
		err = flush(file)
	}
	if err == nil && !l.closed {
		err = l.locked(func() error { return l.noteFlushed(info, at) })
	}
	if err == nil && !l.closed {
		err = flush(l.head.file)
	}
	switch {
	case err != nil && !l.closed:
		l.unsyncedIn(file, err)
	case file == l.file:
		l.synced = max(l.synced, at.size)
	}
}

// sync flushes the lines to disk and then the head, which counts them and says that they
// are there. It runs under both locks.
func (l *Log) sync() error {
	if err := l.flush(l.file); err != nil {
		return err
	}
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	if err := l.noteFlushed(info, l.at); err != nil {
		return err
	}
	return l.flush(l.head.file)
}
