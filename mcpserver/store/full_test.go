package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAFullDiskEndsWaiting: a server whose disk is full no longer answers writes, it
// only logs the failure.
func TestAFullDiskEndsWaiting(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b, err := s.Bucket(t.Context(), BucketConfig{Name: "things", MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	s.notes.Errorf("Filestore [%s] Critical write error: write %s: no space left on device", "KV_things", "1.blk")
	ctx, cancel := s.within(t.Context())
	defer cancel()
	if ctx.Err() == nil {
		t.Error("another operation is begun")
	}
	began := time.Now()
	if _, err := b.Create(t.Context(), "a", nil); !errors.Is(err, Full) {
		t.Errorf("a write: %v", err)
	}
	s.room = func() error { return &fs.PathError{Op: "write", Path: "room", Err: syscall.ENOSPC} }
	if err := s.Check(t.Context()); !errors.Is(err, Full) {
		t.Errorf("the check: %v", err)
	}
	if waited := time.Since(began); waited > longestHere/2 {
		t.Errorf("waited %v", waited)
	}
}

// TestTheStoreIsOpenedAgain: once the disk has room, a check reopens the store; open
// buckets and streams keep working, and no acknowledged write is lost.
func TestTheStoreIsOpenedAgain(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b, err := s.Bucket(t.Context(), BucketConfig{Name: "things", MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	records, err := s.Stream(t.Context(), StreamConfig{Name: "records", Subject: "records"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Create(t.Context(), "a", []byte("1")); err != nil {
		t.Fatal(err)
	}
	for round, why := range []string{"no space left on device", "file too large"} {
		s.noted().Errorf("Filestore [%s] Critical write error: write %s: %s", "KV_things", "1.blk", why)
		if _, err := b.Get(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), why) {
			t.Fatalf("while it is full: %v", err)
		}
		if err := b.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e, err := b.Latest(t.Context(), "a"); err != nil || string(e.Value) != "1" {
			t.Errorf("what was acknowledged: %q, %v", e.Value, err)
		}
		if _, err := b.Create(t.Context(), fmt.Sprint("b", round), nil); err != nil {
			t.Error(err)
		}
		if err := records.Publish(t.Context(), fmt.Sprint(round), []byte("r")); err != nil {
			t.Error(err)
		}
	}
	left, err := filepath.Glob(filepath.Join(s.place, "room-*"))
	if len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
