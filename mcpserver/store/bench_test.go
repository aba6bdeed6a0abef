package store_test

import (
	"fmt"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// BenchmarkOpen is what the store adds to the start of a server: a folder with one
// bucket of a hundred values.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	s := open(b, dir)
	things := bucket(b, s, store.BucketConfig{})
	for i := range 100 {
		if _, err := things.Create(b.Context(), fmt.Sprintf("k%d", i), make([]byte, 2000)); err != nil {
			b.Fatal(err)
		}
	}
	s.Close()
	for b.Loop() {
		s := open(b, dir)
		bucket(b, s, store.BucketConfig{})
		s.Close()
	}
}

func BenchmarkUpdate(b *testing.B) {
	things := bucket(b, open(b, b.TempDir()), store.BucketConfig{})
	revision, err := things.Create(b.Context(), "k", nil)
	for b.Loop() {
		if err == nil {
			revision, err = things.Update(b.Context(), "k", make([]byte, 2000), revision)
		}
	}
	if err != nil {
		b.Fatal(err)
	}
}
