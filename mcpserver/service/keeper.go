package service

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

const (
	// anchorBucket and anchorStream are where a cluster keeps checkpoints, for each chain
	// under a key of its own.
	anchorBucket, anchorStream, anchorSubject = "glovebox-anchors", "glovebox-checkpoints", "glovebox.checkpoints"
	// maxAnchor and maxAnchors bound one checkpoint, of which 300 bytes are usual, and the
	// bucket.
	maxAnchor, maxAnchors = 4 << 10, 8 << 20
	// checkpointsKept is how many the stream has of each chain: of three hours at one a
	// second.
	checkpointsKept = 10_000
)

// keepers returns the places in the cluster where the anchors of a chain are.
// opened waits for the store.
func keepers(l *config.Loaded, p Place, opened func() (*store.Store, error)) (all []audit.Keeper) {
	if l.State.NATS.URL == "" {
		return nil // the store is in the state folder, beside the record
	}
	if l.State.NATS.AnchorStore {
		all = append(all, &bucketKeeper{key: chainName(l, p), opened: opened})
	}
	if l.State.NATS.AnchorStream {
		all = append(all, &streamKeeper{key: chainName(l, p), opened: opened})
	}
	return all
}

// chainName tells the chains of several servers apart. It does not depend on the key of
// the chain: a chain that was exchanged has another.
func chainName(l *config.Loaded, p Place) string {
	name := l.Audit.Name
	if name == "" {
		host, _ := os.Hostname() // without one, the path tells chains of one machine apart
		path := p.Audit(l)
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
		name = host + "\x00" + path
	}
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%x", sum[:16])
}

// bucketKeeper keeps the newest checkpoint as a value.
type bucketKeeper struct {
	key    string
	opened func() (*store.Store, error)
	bucket *store.Bucket
}

func (k *bucketKeeper) Name() string { return "in the store of the cluster" }

func (k *bucketKeeper) open(ctx context.Context) error {
	if k.bucket != nil {
		return nil
	}
	s, err := k.opened()
	if err != nil {
		return err
	}
	k.bucket, err = s.Bucket(ctx, store.BucketConfig{Name: anchorBucket, MaxValue: maxAnchor, MaxBytes: maxAnchors})
	return err
}

func (k *bucketKeeper) Kept(ctx context.Context) ([]byte, error) {
	if err := k.open(ctx); err != nil {
		return nil, err
	}
	e, err := k.bucket.Latest(ctx, k.key)
	if errors.Is(err, store.NotFound) {
		return nil, nil
	}
	return e.Value, err
}

func (k *bucketKeeper) Keep(ctx context.Context, checkpoint []byte) error {
	if err := k.open(ctx); err != nil {
		return err
	}
	e, err := k.bucket.Latest(ctx, k.key)
	if errors.Is(err, store.NotFound) {
		_, err = k.bucket.Create(ctx, k.key, checkpoint)
	} else if err == nil {
		_, err = k.bucket.Update(ctx, k.key, checkpoint, e.Revision)
	}
	return err
}

// streamKeeper adds each checkpoint to a stream.
type streamKeeper struct {
	key    string
	opened func() (*store.Store, error)
	stream *store.Stream
}

func (k *streamKeeper) Name() string { return "in the stream " + anchorStream + " of the cluster" }

func (k *streamKeeper) open(ctx context.Context) error {
	if k.stream != nil {
		return nil
	}
	s, err := k.opened()
	if err != nil {
		return err
	}
	all, err := s.Stream(ctx, store.StreamConfig{Name: anchorStream, Subject: anchorSubject + ".*", Newest: checkpointsKept})
	if err == nil {
		k.stream = all.At(anchorSubject + "." + k.key)
	}
	return err
}

func (k *streamKeeper) Kept(ctx context.Context) ([]byte, error) {
	if err := k.open(ctx); err != nil {
		return nil, err
	}
	text, err := k.stream.Last(ctx)
	if errors.Is(err, store.NotFound) {
		return nil, nil
	}
	return text, err
}

func (k *streamKeeper) Keep(ctx context.Context, checkpoint []byte) error {
	if err := k.open(ctx); err != nil {
		return err
	}
	sum := sha256.Sum256(checkpoint)
	return k.stream.Publish(ctx, fmt.Sprintf("%x", sum[:16]), checkpoint)
}

// Anchors returns the checkpoints of a chain that the cluster keeps, by where they are.
func Anchors(ctx context.Context, l *config.Loaded, p Place) (map[string][]byte, error) {
	kept := map[string][]byte{}
	if n := l.State.NATS; n.URL == "" || !n.AnchorStore && !n.AnchorStream {
		return kept, nil
	}
	s, err := store.Connect(ctx, Cluster(l, nil))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for _, k := range keepers(l, p, func() (*store.Store, error) { return s, nil }) {
		text, err := k.Kept(ctx)
		if err != nil {
			return nil, fmt.Errorf("the anchor %s: %w", k.Name(), err)
		}
		if len(text) > 0 {
			kept["the anchor "+k.Name()] = text
		}
	}
	return kept, nil
}
