package labels

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/live"
)

// Shelf keeps sessions in a store: they outlive the process, and all servers of a cluster
// see them.
type Shelf struct {
	heads, texts, objects *store.Bucket
	most                  int // sessions

	mu    sync.Mutex
	count int // sessions, roughly: others of a cluster count for themselves
	// room is closed once there is room again; nil while nobody makes any.
	room chan struct{}
}

// The buckets, and the bytes of one value and of all.
const (
	headsName, textsName, objectsName = "glovebox-sessions", "glovebox-session-texts", "glovebox-object-labels"
	maxHead, maxHeads                 = 64 << 10, 128 << 20  // 1.3 KB of each of MaxSessions
	maxText, maxTexts                 = 900 << 10, 256 << 20 // one is below the message limit of a cluster, 1 MiB
	maxObject, maxObjects             = 4 << 10, 64 << 20

	headPrefix = "h."
	horizonKey = "horizon" // exists once a session was dropped to make room
	dropped    = 1000      // sessions that are dropped at a time: finding the oldest reads them all
)

// OpenShelf opens the buckets.
func OpenShelf(ctx context.Context, s *store.Store) (*Shelf, error) {
	shelf := &Shelf{most: MaxSessions}
	for _, b := range []struct {
		into   **store.Bucket
		config store.BucketConfig
	}{
		{&shelf.heads, store.BucketConfig{Name: headsName, MaxValue: maxHead, MaxBytes: maxHeads}},
		// Nobody needs the texts of a session that ended; twice the time is for clocks.
		{&shelf.texts, store.BucketConfig{Name: textsName, TTL: 2 * IdleTime, MaxValue: maxText, MaxBytes: maxTexts}},
		{&shelf.objects, store.BucketConfig{Name: objectsName, MaxValue: maxObject, MaxBytes: maxObjects}},
	} {
		var err error
		if *b.into, err = s.Bucket(ctx, b.config); err != nil {
			return nil, err
		}
	}
	all, err := shelf.heads.List(ctx, headPrefix+store.All)
	shelf.count = len(all)
	return shelf, err
}

var _ Keeper = (*Shelf)(nil)

// Head implements [Keeper].
func (s *Shelf) Head(ctx context.Context, key string) (Head, uint64, error) {
	e, err := s.heads.Latest(ctx, headPrefix+key)
	if errors.Is(err, store.NotFound) {
		switch _, err := s.heads.Get(ctx, horizonKey); {
		case err == nil:
			return forgotten(), 0, nil
		case errors.Is(err, store.NotFound):
			return Head{}, 0, nil
		default:
			return Head{}, 0, err
		}
	}
	if err != nil {
		return Head{}, 0, err
	}
	h, err := unpack[Head](e.Value)
	if err != nil {
		return Head{}, 0, fmt.Errorf("what is kept of a session: %w", err)
	}
	return h, e.Revision, nil
}

// Unchanged implements [Keeper].
func (s *Shelf) Unchanged(ctx context.Context, key string, revision uint64) bool {
	return s.heads.Unchanged(ctx, headPrefix+key, revision)
}

// Put implements [Keeper].
func (s *Shelf) Put(ctx context.Context, key string, h Head, revision uint64) (uint64, error) {
	value, err := pack(h)
	if err != nil {
		return 0, err
	}
	if revision > 0 {
		revision, err = s.heads.Update(ctx, headPrefix+key, value, revision)
	} else if revision, err = s.heads.Create(ctx, headPrefix+key, value); err == nil {
		s.added()
	}
	if errors.Is(err, store.Conflict) {
		return 0, errConflict
	}
	return revision, err
}

// roomTime bounds one attempt to make room. If it was not enough, the session after next
// tries again, and the bytes of the bucket are the bound that holds.
const roomTime = time.Minute

// added counts a new session, and has room made if there are too many. No call waits for
// it: finding the oldest reads all.
func (s *Shelf) added() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count++; s.count <= s.most || s.room != nil {
		return
	}
	room := make(chan struct{})
	s.room = room
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), roomTime)
		defer cancel()
		count, err := s.makeRoom(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		if err == nil {
			s.count = count
		}
		s.room = nil
		close(room)
	}()
}

// makeRoom drops the sessions that were not changed for longest, several at a time, and
// returns how many there are.
func (s *Shelf) makeRoom(ctx context.Context) (int, error) {
	all, err := s.heads.List(ctx, headPrefix+store.All)
	if err != nil || len(all) <= s.most {
		return len(all), err
	}
	// The horizon first: if this ends half-way, too much counts as forgotten.
	if _, err := s.heads.Create(ctx, horizonKey, []byte("{}")); err != nil && !errors.Is(err, store.Conflict) {
		return 0, err
	}
	count := len(all)
	for _, e := range all[:min(len(all)-1, max(count-s.most, min(dropped, s.most/10)))] { // oldest change first
		if err := s.heads.Delete(ctx, e.Key, e.Revision); err != nil && !errors.Is(err, store.Conflict) {
			return 0, err
		}
		count--
	}
	return count, nil
}

// settled waits until nobody makes room.
func (s *Shelf) settled() {
	s.mu.Lock()
	room := s.room
	s.mu.Unlock()
	if room != nil {
		<-room
	}
}

func textKey(key string, round int) string { return fmt.Sprintf("%s.%d", key, round) }

// Texts implements [Keeper].
func (s *Shelf) Texts(ctx context.Context, key string, round int) ([]live.Text, error) {
	entries, err := s.texts.List(ctx, textKey(key, round)+".*")
	if err != nil {
		return nil, err
	}
	texts := make([]live.Text, 0, len(entries))
	for _, e := range entries {
		raw, err := unpack[json.RawMessage](e.Value)
		if err != nil {
			return nil, fmt.Errorf("a text of a session: %w", err)
		}
		t, err := live.DecodeText(raw)
		if err != nil {
			return nil, err
		}
		texts = append(texts, t)
	}
	return texts, nil
}

// Add implements [Keeper].
func (s *Shelf) Add(ctx context.Context, key string, round int, texts []live.Text) error {
	return forAll(texts, func(t live.Text) error {
		value, err := t.Encode()
		if err == nil {
			value, err = pack(json.RawMessage(value))
		}
		if err != nil {
			return err
		}
		_, err = s.texts.Create(ctx, textKey(key, round)+"."+rand.Text(), value)
		if errors.Is(err, store.Full) {
			return errFull
		}
		return err
	})
}

// atOnce is how many messages of one call are on their way to a cluster at a time: it
// answers several about as fast as one.
const atOnce = 8

// forAll calls f with each of them, several at once, and returns the errors.
func forAll[T any](all []T, f func(T) error) error {
	errs := make([]error, len(all))
	places := make(chan struct{}, atOnce)
	var work sync.WaitGroup
	for i, one := range all {
		places <- struct{}{}
		work.Go(func() {
			errs[i] = f(one)
			<-places
		})
	}
	work.Wait()
	return errors.Join(errs...)
}

// List implements [Keeper].
func (s *Shelf) List(ctx context.Context) ([]Head, error) {
	entries, err := s.heads.List(ctx, headPrefix+store.All)
	if err != nil {
		return nil, err
	}
	var all []Head
	for _, e := range entries {
		h, err := unpack[Head](e.Value)
		if err != nil {
			return nil, fmt.Errorf("what is kept of a session: %w", err)
		}
		all = append(all, h)
	}
	newestFirst(all)
	return all, nil
}

// Objects implements [Keeper].
func (s *Shelf) Objects(ctx context.Context, objects []live.Object) (live.Label, error) {
	var mu sync.Mutex
	var label live.Label
	err := forAll(objects, func(o live.Object) error {
		_, l, err := s.object(ctx, o)
		mu.Lock()
		defer mu.Unlock()
		label = label.Join(l)
		return err
	})
	if err != nil {
		return live.Label{}, err
	}
	return label, nil
}

func (s *Shelf) object(ctx context.Context, o live.Object) (uint64, live.Label, error) {
	e, err := s.objects.Latest(ctx, string(o))
	if errors.Is(err, store.NotFound) {
		return 0, live.Label{}, nil
	}
	var label live.Label
	if err == nil {
		label, err = unpack[live.Label](e.Value)
	}
	return e.Revision, label, err
}

// Mark implements [Keeper].
func (s *Shelf) Mark(ctx context.Context, objects []live.Object, label live.Label) error {
	return forAll(objects, func(o live.Object) error { return s.mark(ctx, o, label) })
}

func (s *Shelf) mark(ctx context.Context, o live.Object, label live.Label) error {
	for {
		revision, before, err := s.object(ctx, o)
		if err != nil || before.Covers(label) {
			return err
		}
		value, err := pack(before.Join(label))
		if err != nil {
			return err
		}
		if revision > 0 {
			_, err = s.objects.Update(ctx, string(o), value, revision)
		} else {
			_, err = s.objects.Create(ctx, string(o), value)
		}
		if !errors.Is(err, store.Conflict) { // each conflict is somebody else's success
			return err
		}
	}
}
