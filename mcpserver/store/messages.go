package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Message is one record of a stream with what belongs to it.
type Message struct {
	Subject  string
	Header   map[string]string
	Data     []byte
	Sequence uint64    // in the stream
	Time     time.Time // by the clock of the cluster
}

// ExistingStream opens a stream to read it, and changes nothing; the code is NotFound if
// there is none.
func (s *Store) ExistingStream(ctx context.Context, name string) (*Stream, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	_, err := s.streams().Stream(ctx, name)
	if err != nil {
		return nil, s.failed("open", name, err)
	}
	return &Stream{store: s, config: StreamConfig{Name: name}}, nil
}

// ExistingBucket opens a bucket to read it, and changes nothing; the code is NotFound if
// there is none.
func (s *Store) ExistingBucket(ctx context.Context, name string) (*Bucket, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	kv, err := s.streams().KeyValue(ctx, name)
	if err != nil {
		return nil, s.failed("open", name, err)
	}
	return &Bucket{store: s, name: name, kv: kv}, nil
}

// Newest returns the newest message of a subject; the code is NotFound if there is none.
func (t *Stream) Newest(ctx context.Context, subject string) (Message, error) {
	ctx, cancel := t.store.within(ctx)
	defer cancel()
	stream, err := t.store.streams().Stream(ctx, t.config.Name)
	if err != nil {
		return Message{}, t.store.failed("look at", t.config.Name, err)
	}
	m, err := stream.GetLastMsgForSubject(ctx, subject)
	if err != nil {
		return Message{}, t.store.failed("get", t.config.Name, err)
	}
	return Message{m.Subject, flat(m.Header), m.Data, m.Sequence, m.Time}, nil
}

// Append adds a message if the newest of its subject has a sequence number, 0 for none;
// otherwise the code is Conflict. After any other error it may have been added.
func (t *Stream) Append(ctx context.Context, m Message, after uint64) (sequence uint64, err error) {
	ctx, cancel := t.store.within(ctx)
	defer cancel()
	message := &nats.Msg{Subject: m.Subject, Data: m.Data, Header: nats.Header{}}
	for name, value := range m.Header {
		message.Header.Set(name, value)
	}
	ack, err := t.store.streams().PublishMsg(ctx, message, jetstream.WithExpectLastSequencePerSubject(after))
	if err == nil {
		return ack.Sequence, t.store.reached(t.config.Name, ack.Sequence)
	}
	if codeOf(err) == Full {
		err = fmt.Errorf("the stream holds what its bounds allow; raise them, or take records out of it: %w", err)
	}
	return 0, t.store.failed("publish", t.config.Name, err)
}

// Each calls f with the messages that match a subject, oldest first, up to the newest one
// when it began. Several are on their way at a time, so f may take its time.
func (t *Stream) Each(ctx context.Context, subject string, f func(Message) error) error {
	opening, cancel := t.store.within(ctx)
	defer cancel()
	stream, err := t.store.streams().Stream(opening, t.config.Name)
	if err != nil {
		return t.store.failed("read", t.config.Name, err)
	}
	last, err := stream.GetLastMsgForSubject(opening, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	var all jetstream.MessagesContext
	if err == nil {
		var ordered jetstream.Consumer
		if ordered, err = stream.OrderedConsumer(opening, jetstream.OrderedConsumerConfig{FilterSubjects: []string{subject}}); err == nil {
			all, err = ordered.Messages()
		}
	}
	if err != nil {
		return t.store.failed("read", t.config.Name, err)
	}
	defer all.Stop()
	for {
		waiting, cancel := t.store.within(ctx)
		m, err := all.Next(jetstream.NextContext(waiting))
		cancel()
		if err != nil {
			return t.store.failed("read", t.config.Name, err)
		}
		at, err := m.Metadata()
		if err != nil {
			return t.store.failed("read", t.config.Name, err)
		}
		if err := f(Message{m.Subject(), flat(m.Headers()), m.Data(), at.Sequence.Stream, at.Timestamp}); err != nil {
			return err
		}
		if at.Sequence.Stream >= last.Sequence {
			return nil
		}
	}
}

func flat(h nats.Header) map[string]string {
	all := map[string]string{}
	for name := range h {
		all[name] = h.Get(name)
	}
	return all
}

// Standing is how a stream is kept.
type Standing struct {
	Copies  int       `json:"copies"` // that it should have
	Members []Member  `json:"members"`
	Now     time.Time `json:"now"` // by the clock of the cluster
	// MaxAge is when a message leaves; 0 is never. Other bounds push older ones out too
	// if Pushes is set.
	MaxAge time.Duration `json:"-"`
	Pushes bool          `json:"-"`
}

// Member is a server of the cluster that should have a copy of a stream.
type Member struct {
	Name   string `json:"name"`
	Leader bool   `json:"leader,omitempty"`
	// Current says that it has what the leader has; Away that it is not connected.
	Current bool `json:"current"`
	Away    bool `json:"away,omitempty"`
}

// Standing returns how the stream is kept.
func (t *Stream) Standing(ctx context.Context) (Standing, error) {
	ctx, cancel := t.store.within(ctx)
	defer cancel()
	stream, err := t.store.streams().Stream(ctx, t.config.Name)
	if err != nil {
		return Standing{}, t.store.failed("look at", t.config.Name, err)
	}
	info, err := stream.Info(ctx)
	if err != nil {
		return Standing{}, t.store.failed("look at", t.config.Name, err)
	}
	c := info.Config
	s := Standing{Copies: max(c.Replicas, 1), Members: []Member{}, Now: info.TimeStamp, MaxAge: c.MaxAge, Pushes: c.Discard == jetstream.DiscardOld}
	if info.Cluster != nil {
		s.Members = append(s.Members, Member{Name: info.Cluster.Leader, Leader: true, Current: true})
		for _, p := range info.Cluster.Replicas {
			s.Members = append(s.Members, Member{Name: p.Name, Current: p.Current && !p.Offline, Away: p.Offline})
		}
	}
	return s, nil
}
