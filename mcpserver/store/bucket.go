package store

import (
	"context"
	"crypto/rand"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// BucketConfig describes a bucket. An existing bucket is updated to match it, and keeps
// its copies if it has more than [Cluster] wants.
type BucketConfig struct {
	Name     string        // letters, digits, dashes and underscores
	TTL      time.Duration // lifetime of a value after its last change; 0 is for ever
	MaxValue int32         // bytes
	MaxBytes int64         // of the whole bucket, with its history
	History  uint8         // values kept per key, 1 to 64; default 1
}

// Bucket holds values by key. Keys are letters, digits and any of "-/_=.", with no
// dot at either end. It is safe for concurrent use, by many processes in a
// cluster.
type Bucket struct {
	store *Store
	name  string
	kv    jetstream.KeyValue // under store.mu: replaced when the store is reopened

	fences fences
}

func (b *Bucket) values() jetstream.KeyValue {
	b.store.mu.RLock()
	defer b.store.mu.RUnlock()
	return b.kv
}

// Entry is one value of a key. Revisions grow with each change of the bucket.
type Entry struct {
	Key      string
	Value    []byte
	Revision uint64
	Time     time.Time
	Deleted  bool // the key was deleted; there is no value
}

// Bucket opens a bucket and creates it if needed.
func (s *Store) Bucket(ctx context.Context, c BucketConfig) (*Bucket, error) {
	ctx, cancel := s.bounded(ctx, longestOpening)
	defer cancel()
	kv, err := untilAnswered(ctx, s, func(ctx context.Context) (jetstream.KeyValue, error) {
		return s.keyValue(ctx, jetstream.KeyValueConfig{
			Bucket: c.Name, TTL: c.TTL, MaxValueSize: c.MaxValue, MaxBytes: c.MaxBytes, History: max(c.History, 1),
			Storage: jetstream.FileStorage, Replicas: s.replicas,
		})
	})
	if err != nil {
		return nil, s.failed("open", c.Name, err)
	}
	if err := s.mark("KV_" + c.Name); err != nil {
		return nil, err
	}
	b := &Bucket{store: s, name: c.Name, kv: kv}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buckets = append(s.buckets, b)
	return b, nil
}

// Get returns the value of a key; the code is NotFound if there is none.
func (b *Bucket) Get(ctx context.Context, key string) (Entry, error) {
	ctx, cancel := b.store.within(ctx)
	defer cancel()
	e, err := b.values().Get(ctx, key)
	if err != nil {
		return Entry{}, b.failed("get", key, err)
	}
	return entryOf(e), nil
}

// Create sets the value of a key that has none; otherwise the code is Conflict.
func (b *Bucket) Create(ctx context.Context, key string, value []byte) (revision uint64, err error) {
	if err := b.store.marks.stand(); err != nil {
		return 0, err
	}
	ctx, cancel := b.store.within(ctx)
	defer cancel()
	if b.store.heads != nil { // embedded: no acknowledgement gets lost
		revision, err = b.values().Create(ctx, key, value)
	} else if revision, err = b.updateOnce(ctx, key, value, 0); err != nil && codeOf(err) == Conflict {
		revision, err = b.values().Create(ctx, key, value) // a deleted key has a revision
	}
	return revision, b.written("create", key, revision, err)
}

// Update changes a value if it still has the revision; otherwise the code is
// Conflict. After any other error the value may have changed.
func (b *Bucket) Update(ctx context.Context, key string, value []byte, revision uint64) (next uint64, err error) {
	if err := b.store.marks.stand(); err != nil {
		return 0, err
	}
	ctx, cancel := b.store.within(ctx)
	defer cancel()
	if b.store.heads != nil { // embedded: no acknowledgement gets lost
		next, err = b.values().Update(ctx, key, value, revision)
	} else {
		next, err = b.updateOnce(ctx, key, value, revision)
	}
	return next, b.written("update", key, next, err)
}

// oneTry bounds one attempt of a write: a leader that steps down may take the write and
// never acknowledge it.
const oneTry = time.Second

var validKey = regexp.MustCompile(`^[-/_=a-zA-Z0-9]+(\.[-/_=a-zA-Z0-9]+)*$`)

// updateOnce writes until a leader acknowledges. Every attempt has the same id, which
// the stream remembers for two minutes: what was written already is acknowledged and not
// written twice.
func (b *Bucket) updateOnce(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if !validKey.MatchString(key) {
		return 0, jetstream.ErrInvalidKey
	}
	id, began := rand.Text(), time.Now()
	for {
		attempt, cancel := context.WithTimeout(ctx, oneTry)
		ack, err := b.store.streams().Publish(attempt, b.subject(key), value, jetstream.WithExpectLastSequencePerSubject(revision), jetstream.WithMsgID(id))
		cancel()
		if err == nil {
			return ack.Sequence, nil
		}
		if underWay(err) && time.Since(began) < mostUnderWay && ctx.Err() == nil {
			time.Sleep(lagging)
			continue
		}
		if ctx.Err() != nil || codeOf(err) != Unreachable {
			return 0, err
		}
	}
}

// mostUnderWay is how long a write waits for one of the same key that is under way, such
// as the proof of a reader that it is unchanged, which takes some milliseconds.
const mostUnderWay = 100 * time.Millisecond

// Delete removes a value if it still has the revision, like Update. The history of
// the key stays.
func (b *Bucket) Delete(ctx context.Context, key string, revision uint64) error {
	if err := b.store.marks.stand(); err != nil {
		return err
	}
	ctx, cancel := b.store.within(ctx)
	defer cancel()
	return b.failed("delete", key, b.values().Delete(ctx, key, jetstream.LastRevision(revision)))
}

// Erase removes a key with its history, whatever its revision, also from a full bucket,
// which takes no note of a deletion. Watchers are not told.
func (b *Bucket) Erase(ctx context.Context, key string) error {
	if err := b.store.marks.stand(); err != nil {
		return err
	}
	if !validKey.MatchString(key) { // a pattern would take more than one
		return b.failed("erase", key, jetstream.ErrInvalidKey)
	}
	ctx, cancel := b.store.within(ctx)
	defer cancel()
	stream, err := b.store.streams().Stream(ctx, "KV_"+b.name)
	if err == nil {
		err = stream.Purge(ctx, jetstream.WithPurgeSubject(b.subject(key)))
	}
	return b.failed("erase", key, err)
}

// All matches any key; "*" matches one part of a key, up to a dot.
const All = ">"

// List returns the values of the keys that match, oldest change first.
func (b *Bucket) List(ctx context.Context, keys string) ([]Entry, error) {
	return b.collect(ctx, "list", keys, jetstream.IgnoreDeletes())
}

// ListAfter returns the values of those keys that were changed after a revision, oldest
// change first, deletions among them. What went because of its age is not told.
func (b *Bucket) ListAfter(ctx context.Context, keys string, revision uint64) ([]Entry, error) {
	return b.collect(ctx, "list", keys, jetstream.ResumeFromRevision(revision+1))
}

// Keys returns the keys that match, oldest change first, without reading their values.
func (b *Bucket) Keys(ctx context.Context, keys string) ([]string, error) {
	all, _, err := b.KeysAfter(ctx, keys, 0)
	return all, err
}

// KeysAfter returns those of [Bucket.Keys] that were changed after a revision, and the
// newest revision of them, which is the given one if there are none.
func (b *Bucket) KeysAfter(ctx context.Context, keys string, revision uint64) (all []string, newest uint64, err error) {
	entries, err := b.collect(ctx, "list", keys, jetstream.IgnoreDeletes(), jetstream.MetaOnly())
	newest = revision
	for _, e := range entries {
		if e.Revision > revision {
			all, newest = append(all, e.Key), max(newest, e.Revision)
		}
	}
	return all, newest, err
}

// History returns the kept values of a key, oldest first.
func (b *Bucket) History(ctx context.Context, key string) ([]Entry, error) {
	return b.collect(ctx, "history", key, jetstream.IncludeHistory())
}

// collect returns the initial values of a watch.
func (b *Bucket) collect(ctx context.Context, op, keys string, options ...jetstream.WatchOpt) ([]Entry, error) {
	ctx, cancel := b.store.within(ctx)
	defer cancel()
	w, err := b.values().Watch(ctx, keys, options...)
	if err != nil {
		return nil, b.failed(op, keys, err)
	}
	defer w.Stop()
	var all []Entry
	for {
		select {
		case <-ctx.Done():
			return nil, b.failed(op, keys, ctx.Err())
		case e, open := <-w.Updates():
			if !open {
				return nil, b.failed(op, keys, context.DeadlineExceeded)
			}
			if e == nil {
				return all, nil
			}
			all = append(all, entryOf(e))
		}
	}
}

// Watch sends the values of the keys that match, and then each change, until ctx
// ends or the store is closed; then it closes the channel. After a lost connection
// the values are sent again.
func (b *Bucket) Watch(ctx context.Context, keys string) (<-chan Entry, error) {
	return b.changes(ctx, keys)
}

// WatchKeys is Watch without the values.
func (b *Bucket) WatchKeys(ctx context.Context, keys string) (<-chan Entry, error) {
	return b.changes(ctx, keys, jetstream.MetaOnly())
}

func (b *Bucket) changes(ctx context.Context, keys string, options ...jetstream.WatchOpt) (<-chan Entry, error) {
	changes := make(chan Entry)
	err := b.watch(ctx, keys, nil, func(ctx context.Context, e Entry) {
		if e.Key == fenceKey {
			return
		}
		select {
		case changes <- e:
		case <-ctx.Done():
		}
	}, func() { close(changes) }, options...)
	if err != nil {
		return nil, err
	}
	return changes, nil
}

// watch calls f with what is watched, and ended at the end. renew, which may be nil, asks
// for a new watcher.
func (b *Bucket) watch(ctx context.Context, keys string, renew <-chan struct{}, f func(context.Context, Entry), ended func(), options ...jetstream.WatchOpt) error {
	ctx, cancel := context.WithCancel(ctx)
	w, err := b.watcher(ctx, keys, b.store.most(), options)
	if err != nil {
		cancel()
		return b.failed("watch", keys, err)
	}
	go func() {
		defer ended()
		defer cancel()
		b.forward(ctx, keys, w, renew, f, options)
	}()
	return nil
}

// watcher returns a watcher that ends with ctx. It is given up after a time.
func (b *Bucket) watcher(ctx context.Context, keys string, most time.Duration, options []jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	// The context that bounds the setup must not end the watch.
	ready, cancel := context.WithCancel(ctx)
	late := time.AfterFunc(most, cancel)
	w, err := b.values().Watch(ready, keys, options...)
	if !late.Stop() && err == nil {
		w.Stop()
		err = context.DeadlineExceeded
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return endingWith{w, cancel}, nil
}

// endingWith is a watcher whose context ends with it.
type endingWith struct {
	jetstream.KeyWatcher
	cancel context.CancelFunc
}

func (w endingWith) Stop() error {
	defer w.cancel()
	return w.KeyWatcher.Stop()
}

// forward passes the updates of a watcher on. After a reconnect it makes a new watcher:
// the old one would notice only after 20 s that no updates come.
func (b *Bucket) forward(ctx context.Context, keys string, w jetstream.KeyWatcher, renew <-chan struct{}, f func(context.Context, Entry), options []jetstream.WatchOpt) {
	defer func() { w.Stop() }()
	conn, _ := b.store.link()
	back := conn.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer conn.RemoveStatusListener(back)
	updates := w.Updates()
	var again <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case status, open := <-back:
			if !open || status == nats.CLOSED {
				return
			}
			again = time.After(0)
		case <-renew:
			again = time.After(0)
		case <-again:
			fresh, err := b.watcher(ctx, keys, oneTry, options)
			if err != nil && codeOf(err) == Closed {
				return
			}
			if err != nil { // connected, but not ready yet
				again = time.After(soon)
				continue
			}
			w.Stop()
			w, updates, again = fresh, fresh.Updates(), nil
		case e, open := <-updates:
			if !open && conn.IsClosed() {
				return
			}
			if !open {
				updates, again = nil, time.After(soon)
				continue
			}
			if e == nil {
				continue // the initial values have been sent
			}
			f(ctx, entryOf(e))
		}
	}
}

// soon is when what failed is tried again.
const soon = 250 * time.Millisecond

// written is failed for a write, after noting its revision (0 if it failed).
func (b *Bucket) written(op, key string, revision uint64, err error) error {
	if err == nil {
		err = b.store.reached("KV_"+b.name, revision)
	}
	return b.failed(op, key, err)
}

func (b *Bucket) failed(op, key string, err error) error {
	if err == nil {
		return nil
	}
	return b.store.failed(op, b.name+"/"+key, err)
}

func entryOf(e jetstream.KeyValueEntry) Entry {
	return Entry{Key: e.Key(), Value: e.Value(), Revision: e.Revision(), Time: e.Created(), Deleted: e.Operation() != jetstream.KeyValuePut}
}
