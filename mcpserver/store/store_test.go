package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// everywhere runs a test with an embedded store, and with a cluster over a socket.
func everywhere(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Run("embedded", func(t *testing.T) { test(t, open(t, t.TempDir())) })
	t.Run("cluster", func(t *testing.T) { test(t, connect(t, cluster(t, nil).ClientURL())) })
}

func open(t testing.TB, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func connect(t testing.TB, url string) *store.Store {
	t.Helper()
	s, err := store.Connect(t.Context(), store.Cluster{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// cluster starts a server that syncs every write.
func cluster(t testing.TB, change func(*server.Options)) *server.Server {
	t.Helper()
	return natstest.One(t, func(o *server.Options) {
		o.SyncAlways = true
		if change != nil {
			change(o)
		}
	})
}

func bucket(t testing.TB, s *store.Store, c store.BucketConfig) *store.Bucket {
	t.Helper()
	if c.Name == "" {
		c.Name = "things"
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 1 << 20
	}
	b, err := s.Bucket(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func is(t *testing.T, what string, err error, code store.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOneValue(t *testing.T) {
	everywhere(t, func(t *testing.T, s *store.Store) {
		ctx, b := t.Context(), bucket(t, s, store.BucketConfig{History: 5})
		_, err := b.Get(ctx, "a")
		is(t, "get nothing", err, store.NotFound)
		_, err = b.Update(ctx, "a", nil, 7)
		is(t, "update nothing", err, store.Conflict)
		first, err := b.Create(ctx, "a", []byte("1"))
		ok(t, err)
		_, err = b.Create(ctx, "a", []byte("2"))
		is(t, "create again", err, store.Conflict)
		second, err := b.Update(ctx, "a", []byte("2"), first)
		ok(t, err)
		_, err = b.Update(ctx, "a", []byte("3"), first)
		is(t, "update an old one", err, store.Conflict)
		is(t, "delete an old one", b.Delete(ctx, "a", first), store.Conflict)
		e, err := b.Get(ctx, "a")
		ok(t, err)
		if string(e.Value) != "2" || e.Revision != second || e.Key != "a" || e.Time.IsZero() {
			t.Errorf("got %+v", e)
		}
		ok(t, b.Delete(ctx, "a", second))
		_, err = b.Get(ctx, "a")
		is(t, "get what was deleted", err, store.NotFound)
		_, err = b.Create(ctx, "a", []byte("4"))
		ok(t, err)
		past, err := b.History(ctx, "a")
		ok(t, err)
		var values []string
		for _, e := range past {
			values = append(values, fmt.Sprint(string(e.Value), e.Deleted))
		}
		if want := []string{"1false", "2false", "true", "4false"}; !slices.Equal(values, want) {
			t.Errorf("the history is %v, want %v", values, want)
		}
		_, err = b.Create(ctx, "no spaces", nil)
		is(t, "a bad key", err, store.Invalid)
	})
}

func TestListAndWatch(t *testing.T) {
	everywhere(t, func(t *testing.T, s *store.Store) {
		ctx, b := t.Context(), bucket(t, s, store.BucketConfig{})
		if all, err := b.List(ctx, store.All); err != nil || len(all) > 0 {
			t.Errorf("at first: %v, %v", all, err)
		}
		revisions := map[string]uint64{}
		for _, key := range []string{"a.1", "a.2", "b.1"} {
			var err error
			revisions[key], err = b.Create(ctx, key, []byte(key))
			ok(t, err)
		}
		ok(t, b.Delete(ctx, "a.1", revisions["a.1"]))
		if all, err := b.List(ctx, "a.*"); err != nil || len(all) != 1 || all[0].Key != "a.2" {
			t.Errorf("listed %v, %v", all, err)
		}
		if keys, err := b.Keys(ctx, "a.*"); err != nil || !slices.Equal(keys, []string{"a.2"}) {
			t.Errorf("keys %v, %v", keys, err)
		}
		changes, err := b.Watch(ctx, "a.*")
		ok(t, err)
		_, err = b.Update(ctx, "b.1", []byte("not watched"), revisions["b.1"])
		ok(t, err)
		_, err = b.Update(ctx, "a.2", []byte("new"), revisions["a.2"])
		ok(t, err)
		for _, want := range []string{"a.2", "a.1", "a.2 new"} { // oldest change first
			e := <-changes
			if got := strings.TrimSpace(e.Key + " " + strings.TrimPrefix(string(e.Value), e.Key)); got != want || e.Deleted != (want == "a.1") {
				t.Errorf("saw %q %v, want %q", got, e.Deleted, want)
			}
		}
	})
}

// TestOneWinnerPerRevision: of many writers with the same revision, one succeeds.
func TestOneWinnerPerRevision(t *testing.T) {
	everywhere(t, func(t *testing.T, s *store.Store) {
		b := bucket(t, s, store.BucketConfig{})
		const writers, each = 8, 25
		var mu sync.Mutex
		winners := map[uint64]int{} // by the revision that they replaced
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for won := 0; won < each; {
					e, err := b.Get(t.Context(), "k")
					if errors.Is(err, store.NotFound) {
						_, err = b.Create(t.Context(), "k", nil)
					} else if err == nil {
						_, err = b.Update(t.Context(), "k", fmt.Appendf(e.Value, "%d ", w), e.Revision)
					}
					if errors.Is(err, store.Conflict) {
						continue
					}
					if err != nil {
						t.Error(err)
						return
					}
					won++
					mu.Lock()
					winners[e.Revision]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for revision, n := range winners {
			if n != 1 {
				t.Errorf("%d writers replaced revision %d", n, revision)
			}
		}
		e, err := b.Get(t.Context(), "k")
		ok(t, err)
		if n := len(strings.Fields(string(e.Value))); n != writers*each-1 { // one of them created it
			t.Errorf("%d changes are in the value", n)
		}
	})
}

func TestAStreamTakesEachRecordOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, s *store.Store) {
		stream, err := s.Stream(t.Context(), store.StreamConfig{Name: "records", Subject: "records.all", MaxBytes: 1 << 20})
		ok(t, err)
		for _, id := range []string{"1", "2", "2", "3", "1"} {
			ok(t, stream.Publish(t.Context(), id, []byte(id)))
		}
		if n, err := stream.Len(t.Context()); err != nil || n != 3 {
			t.Errorf("it has %d records, %v", n, err)
		}
	})
}

func TestALimitIsAFullStore(t *testing.T) {
	everywhere(t, func(t *testing.T, s *store.Store) {
		b := bucket(t, s, store.BucketConfig{MaxBytes: 10_000, MaxValue: 5000})
		_, err := b.Create(t.Context(), "a", make([]byte, 4000))
		ok(t, err)
		_, err = b.Create(t.Context(), "b", make([]byte, 4000))
		ok(t, err)
		_, err = b.Create(t.Context(), "c", make([]byte, 4000))
		is(t, "one too many", err, store.Full)
		_, err = b.Create(t.Context(), "d", make([]byte, 6000))
		is(t, "too large", err, store.Invalid)
	})
}

// TestErase: a full bucket takes no note of a deletion, but forgets.
func TestErase(t *testing.T) {
	everywhere(t, func(t *testing.T, s *store.Store) {
		b := bucket(t, s, store.BucketConfig{MaxBytes: 10_000, MaxValue: 5000, History: 3})
		for _, key := range []string{"a", "a.b"} {
			_, err := b.Create(t.Context(), key, make([]byte, 4000))
			ok(t, err)
		}
		_, err := b.Create(t.Context(), "c", make([]byte, 4000))
		is(t, "before", err, store.Full)
		for _, pattern := range []string{"*", store.All, "a.>", ""} {
			is(t, pattern, b.Erase(t.Context(), pattern), store.Invalid)
		}
		ok(t, b.Erase(t.Context(), "a"))
		ok(t, b.Erase(t.Context(), "never"))
		_, err = b.Get(t.Context(), "a")
		is(t, "erased", err, store.NotFound)
		if all, err := b.History(t.Context(), "a"); err != nil || len(all) > 0 {
			t.Errorf("%d values are left, %v", len(all), err)
		}
		_, err = b.Get(t.Context(), "a.b")
		ok(t, err)
		_, err = b.Create(t.Context(), "c", make([]byte, 4000))
		ok(t, err)
	})
}

// TestErasedToTheEnd: an embedded store whose last records were erased is not behind what
// it acknowledged.
func TestErasedToTheEnd(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	b := bucket(t, s, store.BucketConfig{})
	for _, key := range []string{"a", "b"} {
		_, err := b.Create(t.Context(), key, []byte(key))
		ok(t, err)
	}
	ok(t, b.Erase(t.Context(), "b"))
	ok(t, b.Erase(t.Context(), "a"))
	s.Close()
	b = bucket(t, open(t, dir), store.BucketConfig{})
	if keys, err := b.Keys(t.Context(), store.All); err != nil || len(keys) > 0 {
		t.Errorf("it has %q, %v", keys, err)
	}
	_, err := b.Create(t.Context(), "a", []byte("again"))
	ok(t, err)
}

func TestAFolderHasOneOwner(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	_, err := store.Open(t.Context(), dir, nil)
	is(t, "the second", err, store.Busy)
	s.Close()
	open(t, dir)
}

func TestOthersCannotReadTheFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "store")
	_, err := bucket(t, open(t, dir), store.BucketConfig{}).Create(t.Context(), "a", nil)
	ok(t, err)
	ok(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	}))
}

// TestDamageIsNotPassedOver damages each file in several ways. The store must either
// open with all its data or report that it is damaged.
func TestDamageIsNotPassedOver(t *testing.T) {
	const values = 20
	whole := t.TempDir()
	s := open(t, whole)
	b := bucket(t, s, store.BucketConfig{})
	for i := range values {
		_, err := b.Create(t.Context(), fmt.Sprintf("k%d", i), []byte("a value of some length"))
		ok(t, err)
	}
	killed := filepath.Join(t.TempDir(), "killed") // as the files are while it runs
	ok(t, os.CopyFS(killed, os.DirFS(whole)))
	s.Close()
	ways := map[string]func([]byte) []byte{
		"a bit at the beginning": func(b []byte) []byte { b[2] ^= 0x10; return b },
		"a bit in the middle":    func(b []byte) []byte { b[len(b)/2] ^= 0x10; return b },
		"half of it":             func(b []byte) []byte { return b[:len(b)/2] },
		"the end":                func(b []byte) []byte { return b[:len(b)-3] },
		"everything":             func([]byte) []byte { return nil },
		"something added":        func(b []byte) []byte { return append(b, "something more"...) },
	}
	found := 0
	for _, from := range []string{whole, killed} {
		files, err := filepath.Glob(filepath.Join(from, "jetstream", "$G", "streams", "*", "*", "*.blk"))
		ok(t, err)
		more, err := filepath.Glob(filepath.Join(from, "jetstream", "$G", "streams", "*", "meta.*"))
		ok(t, err)
		heads, err := filepath.Glob(filepath.Join(from, "*.head"))
		ok(t, err)
		for _, file := range append(append(files, more...), heads...) {
			name, err := filepath.Rel(from, file)
			ok(t, err)
			for way, damage := range ways {
				dir := filepath.Join(t.TempDir(), "damaged")
				ok(t, os.CopyFS(dir, os.DirFS(from)))
				text, err := os.ReadFile(file)
				ok(t, err)
				ok(t, os.WriteFile(filepath.Join(dir, name), damage(text), 0o600))
				s, err := store.Open(t.Context(), dir, nil)
				if err != nil {
					is(t, name+": "+way, err, store.Damaged)
					found++
					continue
				}
				all, err := bucket(t, s, store.BucketConfig{}).List(t.Context(), store.All)
				if err != nil || len(all) != values {
					t.Errorf("%s: %s: %d values, %v", name, way, len(all), err)
				}
				s.Close()
			}
		}
	}
	if found == 0 {
		t.Error("no damage was found")
	}
	_, err := store.Open(t.Context(), filepath.Join(whole, "lock"), nil)
	is(t, "a file for a folder", err, store.Damaged)
}

func TestAClusterOutOfReach(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	nobody := listener.Addr().String()
	listener.Close()
	_, err = store.Connect(t.Context(), store.Cluster{URL: "nats://me:secret@" + nobody})
	is(t, "nobody listens", err, store.Unreachable)
	if strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	locked := cluster(t, func(o *server.Options) { o.Username, o.Password = "me", "secret" })
	_, err = store.Connect(t.Context(), store.Cluster{URL: strings.Replace(locked.ClientURL(), "//", "//me:wrong@", 1)})
	is(t, "a wrong password", err, store.Denied)
	without := cluster(t, func(o *server.Options) { o.JetStream = false })
	_, err = store.Connect(t.Context(), store.Cluster{URL: without.ClientURL()})
	is(t, "a server without JetStream", err, store.Unreachable)
	_, err = store.Connect(t.Context(), store.Cluster{URL: without.ClientURL(), Credentials: filepath.Join(t.TempDir(), "none")})
	if err == nil {
		t.Error("connected without the credentials")
	}

	gone := cluster(t, nil)
	b := bucket(t, connect(t, gone.ClientURL()), store.BucketConfig{})
	gone.Shutdown()
	gone.WaitForShutdown()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = b.Create(ctx, "a", nil)
	is(t, "the cluster has gone", err, store.Unreachable)
}

// TestAWatchOutlivesItsCluster, and so does everything else that is open.
func TestAWatchOutlivesItsCluster(t *testing.T) {
	dir := t.TempDir()
	port := natstest.Ports(t, 1)[0] // which nobody gets in between
	first := cluster(t, func(o *server.Options) { o.StoreDir, o.Port = dir, port })
	s := connect(t, first.ClientURL())
	b := bucket(t, s, store.BucketConfig{})
	revision, err := b.Create(t.Context(), "a", []byte("1"))
	ok(t, err)
	changes, err := b.Watch(t.Context(), "a")
	ok(t, err)
	if e := <-changes; string(e.Value) != "1" {
		t.Fatalf("saw %q", e.Value)
	}
	first.Shutdown()
	first.WaitForShutdown()
	cluster(t, func(o *server.Options) { o.StoreDir, o.Port = dir, port })
	for s.Check(t.Context()) != nil {
	}
	_, err = b.Update(t.Context(), "a", []byte("2"), revision)
	ok(t, err)
	for e := range changes {
		if string(e.Value) == "2" {
			return
		}
	}
	t.Error("the watch has ended")
}

func TestClosingEndsWatches(t *testing.T) {
	everywhere(t, func(t *testing.T, s *store.Store) {
		b := bucket(t, s, store.BucketConfig{})
		changes, err := b.Watch(t.Context(), store.All)
		ok(t, err)
		s.Close()
		for e := range changes {
			t.Errorf("saw %+v", e)
		}
		_, err = b.Get(t.Context(), "a")
		is(t, "afterwards", err, store.Closed)
	})
}
