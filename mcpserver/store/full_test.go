package store

import (
	"errors"
	"testing"
	"time"
)

// TestAFullDiskEndsWaiting: a server whose disk is full no longer answers writes,
// it only says so in its log.
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
	if err := s.Check(t.Context()); !errors.Is(err, Full) {
		t.Errorf("the check: %v", err)
	}
	if waited := time.Since(began); waited > longest/2 {
		t.Errorf("waited %v", waited)
	}
}
