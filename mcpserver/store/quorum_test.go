package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// The last member reports itself healthy for half a minute after the others have
// gone, but cannot store anything.
func TestACheckNoticesALostQuorum(t *testing.T) {
	all := natstest.Three(t)
	s, err := store.Connect(t.Context(), store.Cluster{URL: all[0].ClientURL(), Replicas: 3})
	ok(t, err)
	t.Cleanup(s.Close)
	ok(t, s.Check(t.Context()))
	b := bucket(t, s, store.BucketConfig{})
	for _, gone := range all[1:] {
		gone.Shutdown()
		gone.WaitForShutdown()
	}
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		t.Cleanup(cancel)
		return ctx
	}
	_, err = b.Create(soon(), "a", nil)
	is(t, "a write", err, store.Unreachable)
	is(t, "a check", s.Check(soon()), store.Unreachable)
}

// TestLatestIsWhatTheLeaderHas: a read right after another member's write sees it,
// whichever member it asks.
func TestLatestIsWhatTheLeaderHas(t *testing.T) {
	all := natstest.Three(t)
	var buckets []*store.Bucket
	for _, member := range all {
		s, err := store.Connect(t.Context(), store.Cluster{URL: member.ClientURL(), Replicas: 3})
		ok(t, err)
		t.Cleanup(s.Close)
		buckets = append(buckets, bucket(t, s, store.BucketConfig{}))
	}
	_, err := buckets[0].Latest(t.Context(), "a")
	is(t, "no value", err, store.NotFound)
	for n := range 200 {
		key := fmt.Sprint("k.", n)
		revision, err := buckets[n%3].Create(t.Context(), key, []byte(key))
		ok(t, err)
		e, err := buckets[(n+1)%3].Latest(t.Context(), key)
		if err != nil || string(e.Value) != key || e.Revision != revision || e.Key != key {
			t.Fatalf("%v, %v", e, err)
		}
		ok(t, buckets[(n+1)%3].Delete(t.Context(), key, revision))
		_, err = buckets[(n+2)%3].Latest(t.Context(), key)
		is(t, "deleted", err, store.NotFound)
	}
}
