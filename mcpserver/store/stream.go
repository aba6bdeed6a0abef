package store

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// StreamConfig describes a stream.
type StreamConfig struct {
	Name     string // letters, digits, dashes and underscores
	Subject  string // of its records, such as "audit.records"
	MaxAge   time.Duration
	MaxBytes int64 // when full, the oldest records are dropped
}

// Stream holds records in order of arrival.
type Stream struct {
	store  *Store
	config StreamConfig
}

// sameWithin is how long a record with a known id counts as a duplicate.
const sameWithin = 10 * time.Minute

// Stream opens a stream and creates it if needed. An existing stream keeps the
// configuration of its operators.
func (s *Store) Stream(ctx context.Context, c StreamConfig) (*Stream, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	_, err := s.streams().Stream(ctx, c.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		_, err = s.streams().CreateStream(ctx, jetstream.StreamConfig{
			Name: c.Name, Subjects: []string{c.Subject}, MaxAge: c.MaxAge, MaxBytes: c.MaxBytes,
			Storage: jetstream.FileStorage, Replicas: s.replicas, Duplicates: sameWithin,
		})
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another member created it first
			_, err = s.streams().Stream(ctx, c.Name)
		}
	}
	if err != nil {
		return nil, s.failed("open", c.Name, err)
	}
	return &Stream{store: s, config: c}, nil
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
