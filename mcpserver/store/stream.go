package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// StreamConfig describes a stream.
type StreamConfig struct {
	Name     string // letters, digits, dashes and underscores
	Subject  string // of its records, such as "audit.records"
	MaxAge   time.Duration
	MaxBytes int64 // when it has so many, it takes no further record
	// Newest bounds the records of one subject; the oldest are dropped. The store
	// deletes no other record, whoever asks.
	Newest int64
}

// Stream holds records in order of arrival.
type Stream struct {
	store  *Store
	config StreamConfig
}

// sameWithin is how long a record with a known id counts as a duplicate.
const sameWithin = 10 * time.Minute

// Stream opens a stream and creates it if needed. An existing stream keeps the
// configuration of its operators, and gets the subject if it lacks it.
func (s *Store) Stream(ctx context.Context, c StreamConfig) (*Stream, error) {
	ctx, cancel := s.bounded(ctx, longestOpening)
	defer cancel()
	_, err := untilAnswered(ctx, s, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.openStream(ctx, c) })
	if err != nil {
		return nil, s.failed("open", c.Name, err)
	}
	return &Stream{store: s, config: c}, s.mark(c.Name)
}

func (s *Store) openStream(ctx context.Context, c StreamConfig) error {
	there, err := s.streams().Stream(ctx, c.Name)
	if err == nil && !slices.Contains(there.CachedInfo().Config.Subjects, c.Subject) {
		changed := there.CachedInfo().Config
		changed.Subjects = append(slices.Clone(changed.Subjects), c.Subject)
		_, err = s.streams().UpdateStream(ctx, changed)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		_, err = s.streams().CreateStream(ctx, jetstream.StreamConfig{
			Name: c.Name, Subjects: []string{c.Subject}, MaxAge: c.MaxAge, MaxBytes: c.MaxBytes,
			Storage: jetstream.FileStorage, Replicas: s.replicas, Duplicates: within(sameWithin, c.MaxAge),
			Discard: discard(c), MaxMsgsPerSubject: c.Newest, DenyDelete: c.Newest > 0, DenyPurge: c.Newest > 0,
		})
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another member created it first
			_, err = s.streams().Stream(ctx, c.Name)
		}
	}
	return err
}

// discard lets a full stream refuse records: if they pushed out older ones, a flood
// could remove what happened before.
func discard(c StreamConfig) jetstream.DiscardPolicy {
	if c.Newest > 0 {
		return jetstream.DiscardOld
	}
	return jetstream.DiscardNew
}

// At returns the part of the stream under one subject.
func (t *Stream) At(subject string) *Stream {
	part := *t
	part.config.Subject = subject
	return &part
}

// Last returns the newest record; the code is NotFound if there is none.
func (t *Stream) Last(ctx context.Context) ([]byte, error) {
	ctx, cancel := t.store.within(ctx)
	defer cancel()
	stream, err := t.store.streams().Stream(ctx, t.config.Name)
	if err != nil {
		return nil, t.store.failed("look at", t.config.Name, err)
	}
	m, err := stream.GetLastMsgForSubject(ctx, t.config.Subject)
	if err != nil {
		return nil, t.store.failed("get", t.config.Name, err)
	}
	return m.Data, nil
}

// within returns the shorter of two times, of which the second may be unlimited (0).
func within(d, most time.Duration) time.Duration {
	if most > 0 {
		return min(d, most)
	}
	return d
}

// Publish adds a record and returns once it is stored. Only the first record with an
// id counts, so a record whose acknowledgement was lost can be sent again.
func (t *Stream) Publish(ctx context.Context, id string, record []byte) error {
	ctx, cancel := t.store.within(ctx)
	defer cancel()
	message := &nats.Msg{Subject: t.config.Subject, Data: record}
	ack, err := t.store.streams().PublishMsg(ctx, message, jetstream.WithMsgID(id))
	if err == nil {
		err = t.store.reached(t.config.Name, ack.Sequence)
	}
	return t.store.failed("publish", t.config.Name, err)
}

// Len returns how many records the stream holds.
func (t *Stream) Len(ctx context.Context) (uint64, error) {
	ctx, cancel := t.store.within(ctx)
	defer cancel()
	stream, err := t.store.streams().Stream(ctx, t.config.Name)
	if err != nil {
		return 0, t.store.failed("look at", t.config.Name, err)
	}
	info, err := stream.Info(ctx)
	if err != nil {
		return 0, t.store.failed("look at", t.config.Name, err)
	}
	return info.State.Msgs, nil
}
