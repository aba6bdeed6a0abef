package store

import (
	"context"
	"errors"
	"os"
	"strings"
)

// enough is how many bytes must fit on a disk that was full before the store is
// reopened: some blocks of messages, so that the first write does not fill it again.
const enough = 1 << 20

// reopen reopens an embedded store whose disk was full and has room now: its server
// no longer answers writes. It fails if acknowledged writes are missing.
func (s *Store) reopen(ctx context.Context) error {
	s.reopening.Lock()
	defer s.reopening.Unlock()
	n := s.noted()
	if n == nil || n.full.Err() == nil {
		return nil
	}
	if s.lock == nil {
		return &Error{Code: Closed, Op: "open", Place: s.place}
	}
	if err := s.room(); err != nil {
		return failed("check", s.place, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = s.traffic()
	s.stop()
	s.server, s.conn = nil, nil
	s.notes = newNotes(n.log)
	err := s.run(ctx)
	for _, b := range s.buckets {
		if err == nil {
			b.kv, err = s.js.KeyValue(ctx, b.name)
		}
	}
	if err != nil {
		s.notes.setFull(err) // the next check retries
		return err
	}
	n.log.Info("store.reopened", "place", s.place)
	return nil
}

// hasRoom tests that the disk has room by writing a file.
func (s *Store) hasRoom() (err error) {
	f, err := os.CreateTemp(s.place, "room-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	// Not zeros: a file system may store those without using blocks.
	if _, err := f.Write([]byte(strings.Repeat("room", enough/4))); err != nil {
		return err
	}
	return f.Sync()
}

// checked is the key that a check writes. No other key begins with it.
const checked = "check"

// Check returns why nothing can be stored in the bucket now, or nil. It writes,
// because members of a cluster that lost their quorum answer everything else as
// before for up to half a minute. An embedded store whose disk was full is reopened
// once there is room.
func (b *Bucket) Check(ctx context.Context) error {
	if err := b.store.Stands(); err != nil {
		return err
	}
	if err := b.store.reopen(ctx); err != nil {
		return err
	}
	ctx, cancel := b.store.within(ctx)
	defer cancel()
	_, err := b.values().Put(ctx, checked, nil)
	return b.failed("check", checked, err)
}
