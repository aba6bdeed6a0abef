package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// maxQueued bounds the records that wait for a cluster: some megabytes, or a few
	// seconds of a server that makes only small calls.
	maxQueued = 4096
	// maxSent bounds the records sent and not yet acknowledged.
	maxSent = 256
	// between is the pause before a retry when a cluster does not accept records.
	between = time.Second
	// lastTime is how long Close keeps sending.
	lastTime = 2 * time.Second
)

// Publisher sends records to a stream in the background. Records that do not fit into
// its queue are lost, counted, and logged.
type Publisher struct {
	log   *slog.Logger
	lose  func(n int)
	queue chan []byte
	stop  context.CancelFunc
	ended chan struct{}
}

// NewPublisher returns a publisher that only queues until Start. lose is called with
// the number of lost records; it must not block, and may be nil.
func NewPublisher(log *slog.Logger, lose func(n int)) *Publisher {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if lose == nil {
		lose = func(int) {}
	}
	return &Publisher{log: log, lose: lose, queue: make(chan []byte, maxQueued)}
}

// Offer queues a copy of a record, or drops it if the queue is full. It does not block.
func (p *Publisher) Offer(record []byte) {
	select {
	case p.queue <- bytes.Clone(record):
	default:
		p.lose(1)
	}
}

// Start sends queued records until Close.
func (p *Publisher) Start(to *Stream) {
	queued, stop := context.WithCancel(context.Background())
	sent, giveUp := context.WithCancel(context.Background())
	p.stop, p.ended = stop, make(chan struct{})
	go func() {
		defer close(p.ended)
		defer giveUp()
		defer context.AfterFunc(queued, func() { time.AfterFunc(lastTime, giveUp) })()
		for {
			batch := p.next(queued)
			if len(batch) == 0 {
				return
			}
			p.send(sent, to, batch)
		}
	}()
}

// Close sends what is still queued for up to lastTime, and drops the rest.
func (p *Publisher) Close() {
	if p.stop != nil {
		p.stop()
		<-p.ended
	}
	if n := len(p.queue); n > 0 {
		p.lost(n, errors.New("the server stops"))
	}
}

// next waits for a record and returns it with those queued behind it. After Close it
// returns what is left.
func (p *Publisher) next(ctx context.Context) (batch [][]byte) {
	select {
	case r := <-p.queue:
		batch = append(batch, r)
	case <-ctx.Done():
	}
	for len(batch) < maxSent {
		select {
		case r := <-p.queue:
			batch = append(batch, r)
		default:
			return batch
		}
	}
	return batch
}

// send sends records until all of them are stored, or ctx ends.
func (p *Publisher) send(ctx context.Context, to *Stream, batch [][]byte) {
	for tries := 0; ; tries++ {
		left, err := to.publishAll(ctx, batch)
		if len(left) == 0 {
			if tries > 0 {
				p.log.Info("audit.publishing_resumed")
			}
			return
		}
		if code := codeOf(err); code == Invalid || ctx.Err() != nil {
			p.lost(len(left), err)
			return
		}
		if tries == 0 {
			p.log.Warn("audit.publishing_delayed", "cause", err)
		}
		batch = left
		select {
		case <-time.After(between):
		case <-ctx.Done():
		}
	}
}

func (p *Publisher) lost(n int, why error) {
	p.lose(n)
	p.log.Warn("audit.unpublished", "lost", n, "cause", why)
}

// publishAll sends records all at once and returns those that were not acknowledged,
// with the error of one. They can be sent again: the stream recognizes a record by
// its hash.
func (t *Stream) publishAll(ctx context.Context, records [][]byte) (left [][]byte, err error) {
	ctx, cancel := t.store.within(ctx)
	defer cancel()
	acks := make([]jetstream.PubAckFuture, len(records))
	for i, r := range records {
		id := sha256.Sum256(r)
		ack, failed := t.store.streams().PublishMsgAsync(&nats.Msg{Subject: t.config.Subject, Data: r}, jetstream.WithMsgID(hex.EncodeToString(id[:16])))
		if failed != nil {
			err = failed
			continue
		}
		acks[i] = ack
	}
	for i, ack := range acks {
		if ack == nil {
			left = append(left, records[i])
			continue
		}
		select {
		case <-ack.Ok():
		case err = <-ack.Err():
			left = append(left, records[i])
		case <-ctx.Done():
			err = ctx.Err()
			left = append(left, records[i])
		}
	}
	if err != nil && codeOf(err) == Full {
		err = fmt.Errorf("the stream holds what its bounds allow; raise them, or take records out of it: %w", err)
	}
	return left, t.store.failed("publish", t.config.Name, err)
}
