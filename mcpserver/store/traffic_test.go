package store_test

import (
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// TestTrafficCountsWhatIsWritten: a value goes out once, and its acknowledgement comes in.
func TestTrafficCountsWhatIsWritten(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	things := bucket(t, s, store.BucketConfig{})
	before := s.Traffic()
	const size = 10_000
	if _, err := things.Create(t.Context(), "k", make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	after := s.Traffic()
	if out := after.BytesOut - before.BytesOut; out < size || out > size+1000 || after.MessagesOut-before.MessagesOut != 1 || after.MessagesIn-before.MessagesIn != 1 || after.BytesIn == before.BytesIn {
		t.Errorf("from %+v to %+v", before, after)
	}
}
