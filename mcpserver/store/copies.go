package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// oneOpening bounds one attempt to open something of a cluster: of servers that create the
// same stream at the same moment, one may get no answer at all.
const oneOpening = 2 * time.Second

// untilAnswered attempts an opening until it is answered or ctx ends. Every attempt looks
// first whether the thing is there. An embedded store has one opener, and may have a slow
// disk.
func untilAnswered[T any](ctx context.Context, s *Store, open func(context.Context) (T, error)) (T, error) {
	if s.heads != nil {
		return open(ctx)
	}
	for {
		attempt, cancel := context.WithTimeout(ctx, oneOpening)
		opened, err := open(attempt)
		late := attempt.Err() != nil
		cancel()
		if err == nil || !late || ctx.Err() != nil {
			return opened, err
		}
	}
}

// keyValue opens a bucket, creates it if needed, and makes an existing one match, except
// that it never gets fewer copies: whoever opens it with a smaller number, a verb for
// instance, must not take the safety of what others keep there.
func (s *Store) keyValue(ctx context.Context, want jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	_, js := s.link()
	for {
		kv, err := js.KeyValue(ctx, want.Bucket)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			kv, err = js.CreateKeyValue(ctx, want)
			if errors.Is(err, jetstream.ErrBucketExists) && ctx.Err() == nil {
				continue // another server made it meanwhile
			}
			return kv, err
		}
		if err != nil {
			return nil, err
		}
		there, err := configOf(ctx, kv)
		if err != nil {
			return nil, err
		}
		s.compareCopies(want.Bucket, there.Replicas)
		want.Replicas = max(want.Replicas, there.Replicas)
		// Without need nothing is written: another server may raise the copies right now.
		if same(there, want) {
			return kv, nil
		}
		return js.UpdateKeyValue(ctx, want)
	}
}

// configOf returns the configuration of the stream that is the bucket.
func configOf(ctx context.Context, kv jetstream.KeyValue) (jetstream.StreamConfig, error) {
	status, err := kv.Status(ctx)
	if err != nil {
		return jetstream.StreamConfig{}, err
	}
	of, ok := status.(*jetstream.KeyValueBucketStatus)
	if !ok {
		return jetstream.StreamConfig{}, fmt.Errorf("the client has no configuration of %s", kv.Bucket())
	}
	return of.StreamInfo().Config, nil
}

// same reports whether a bucket is already as it is wanted, in all that a [BucketConfig]
// can say. The server writes -1 for no limit.
func same(there jetstream.StreamConfig, want jetstream.KeyValueConfig) bool {
	return there.Replicas == want.Replicas && there.MaxAge == want.TTL && there.MaxMsgsPerSubject == int64(want.History) &&
		max(there.MaxMsgSize, 0) == want.MaxValueSize && max(there.MaxBytes, 0) == want.MaxBytes
}

// compareCopies says once for each store that something has another number of copies than
// this program wants of it.
func (s *Store) compareCopies(name string, there int) {
	if there == s.replicas || s.heads != nil || s.differs.Swap(true) {
		return
	}
	outcome := "more copies are made"
	if there > s.replicas {
		outcome = "it keeps them; say the same number at every server (state.nats.replicas)"
	}
	s.log.Warn("store.copies_differ", slog.String("name", name), slog.Int("copies", there), slog.Int("wanted", s.replicas), slog.String("outcome", outcome))
}
