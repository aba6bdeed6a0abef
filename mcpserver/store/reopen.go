package store

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// enough is how many bytes a disk that was full must take before the store is opened
// again: some blocks of messages, so that it is not full again at the first write.
const enough = 1 << 20

// reopen opens an embedded store again whose disk was full and has room now: its
// server answers no write any more. What was acknowledged is there, or it is an error.
func (s *Store) reopen(ctx context.Context) error {
	s.reopening.Lock()
	defer s.reopening.Unlock()
	n := s.noted()
	if n == nil || n.full.Err() == nil {
		return nil
	}
	if s.lock == nil {
		return &Error{Code: Closed, Op: "open", Place: s.place}
	}
	if err := s.room(); err != nil {
		return failed("check", s.place, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
	s.server, s.conn = nil, nil
	s.notes = newNotes(n.log)
	err := s.run(ctx)
	for _, b := range s.buckets {
		if err == nil {
			b.kv, err = s.js.KeyValue(ctx, b.name)
		}
	}
	if err != nil {
		s.notes.setFull(err) // the next check tries again
		return err
	}
	n.log.Info("the store is open again", "place", s.place)
	return nil
}

// hasRoom tries whether the disk takes what a write takes.
func (s *Store) hasRoom() (err error) {
	f, err := os.CreateTemp(s.place, "room-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	// Not zeros: a file system may keep those in no block.
	if _, err := f.Write([]byte(strings.Repeat("room", enough/4))); err != nil {
		return err
	}
	return f.Sync()
}

// checked is the key that a check writes. No other begins with it.
const checked = "check"

// Check returns why nothing can be kept in the bucket at the moment, or nil. It
// writes: members of a cluster that have lost their quorum answer everything else as
// before, for up to half a minute. An embedded store whose disk was full is opened
// again when there is room.
func (b *Bucket) Check(ctx context.Context) error {
	if err := b.store.reopen(ctx); err != nil {
		return err
	}
	ctx, cancel := b.store.within(ctx)
	defer cancel()
	_, err := b.values().Put(ctx, checked, nil)
	return b.failed("check", checked, err)
}

// Latest is Get as the leader of a cluster has it. Get may be answered by a member
// that lags behind, so that what another member has just acknowledged is not there.
func (b *Bucket) Latest(ctx context.Context, key string) (Entry, error) {
	if b.store.heads != nil { // there is one member
		return b.Get(ctx, key)
	}
	ctx, cancel := b.store.within(ctx)
	defer cancel()
	conn, _ := b.store.link()
	question, err := json.Marshal(map[string]string{"last_by_subj": "$KV." + b.name + "." + key})
	if err != nil {
		return Entry{}, b.failed("get", key, err)
	}
	reply, err := conn.RequestWithContext(ctx, jetstream.DefaultAPIPrefix+"STREAM.MSG.GET.KV_"+b.name, question)
	if err != nil {
		return Entry{}, b.failed("get", key, err)
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Message struct {
			Seq    uint64    `json:"seq"`
			Header []byte    `json:"hdrs"`
			Data   []byte    `json:"data"`
			Time   time.Time `json:"time"`
		} `json:"message"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return Entry{}, b.failed("get", key, err)
	}
	if answer.Error != nil {
		err := error(answer.Error)
		if answer.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound {
			err = jetstream.ErrKeyNotFound
		}
		return Entry{}, b.failed("get", key, err)
	}
	header, err := nats.DecodeHeadersMsg(answer.Message.Header)
	if len(answer.Message.Header) > 0 && err != nil {
		return Entry{}, b.failed("get", key, err)
	}
	if header.Get("KV-Operation") != "" || header.Get("Nats-Marker-Reason") != "" {
		return Entry{}, b.failed("get", key, jetstream.ErrKeyDeleted)
	}
	return Entry{Key: key, Value: answer.Message.Data, Revision: answer.Message.Seq, Time: answer.Message.Time}, nil
}
