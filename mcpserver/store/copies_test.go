package store_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// TestCopiesAreNeverTakenAway: in a cluster of three members a bucket with three copies
// keeps them, whoever opens it, also when something else of it changes; one with a single
// copy gets more from the first server that wants more.
func TestCopiesAreNeverTakenAway(t *testing.T) {
	url := natstest.URL(natstest.Three(t)...)
	conn, err := nats.Connect(url)
	ok(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn) // the members' own word
	ok(t, err)
	there := func() jetstream.StreamConfig {
		t.Helper()
		stream, err := js.Stream(t.Context(), "KV_things")
		ok(t, err)
		return stream.CachedInfo().Config
	}
	opened := func(replicas int, c store.BucketConfig) (said string) {
		t.Helper()
		var log bytes.Buffer
		s, err := store.Connect(t.Context(), store.Cluster{URL: url, Replicas: replicas, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		ok(t, err)
		bucket(t, s, c)
		bucket(t, s, c) // what differs is said once
		s.Close()
		return log.String()
	}
	for _, step := range []struct {
		replicas int
		config   store.BucketConfig
		copies   int
		said     string
	}{
		{1, store.BucketConfig{}, 1, ""},
		{3, store.BucketConfig{}, 3, "name=things copies=1 wanted=3 outcome=\"more copies are made\""},
		{3, store.BucketConfig{}, 3, ""},
		{1, store.BucketConfig{}, 3, "name=things copies=3 wanted=1 outcome=\"it keeps them; say the same number at every server (state.nats.replicas)\""},
		{1, store.BucketConfig{TTL: time.Hour}, 3, "name=things copies=3 wanted=1"},
		{0, store.BucketConfig{TTL: time.Hour, History: 4, MaxValue: 1000, MaxBytes: 2 << 20}, 3, "name=things copies=3 wanted=1"},
	} {
		said := opened(step.replicas, step.config)
		if n := strings.Count(said, "store.copies_differ"); !strings.Contains(said, step.said) || n > 1 || (n == 1) != (step.said != "") {
			t.Errorf("opened with %d: it says %q, want %q", step.replicas, said, step.said)
		}
		got := there()
		if got.Replicas != step.copies || got.MaxAge != step.config.TTL || got.MaxMsgsPerSubject != int64(max(step.config.History, 1)) {
			t.Errorf("opened with %d: %d copies, %v, %d values of a key", step.replicas, got.Replicas, got.MaxAge, got.MaxMsgsPerSubject)
		}
	}
	if got := there(); got.MaxMsgSize != 1000 || got.MaxBytes != 2<<20 {
		t.Errorf("the sizes are %d and %d", got.MaxMsgSize, got.MaxBytes)
	}
}
