package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A member that does not lead hears of a write a moment after whoever wrote it: some 200 us
// on an idle machine. It is asked again after lagging, and each time after twice as long,
// up to mostLagging.
const lagging, mostLagging = 100 * time.Microsecond, 5 * time.Millisecond

// Latest returns the value that a key has at some moment of the call, whatever happens to
// the members of a cluster: what anybody was told before is in it. Get may be answered by
// a member that misses it. It costs a write more, which all readers of a moment share.
func (b *Bucket) Latest(ctx context.Context, key string) (Entry, error) {
	if b.store.heads != nil { // embedded: there is one member
		return b.Get(ctx, key)
	}
	if !validKey.MatchString(key) { // a pattern would be answered with several
		return Entry{}, b.failed("get", key, jetstream.ErrInvalidKey)
	}
	ctx, cancel := b.store.within(ctx)
	defer cancel()
	if b.fences.idle() { // nobody to share a fence with
		if e, err, proven := b.proven(ctx, key); proven {
			return e, b.failed("get", key, err)
		}
	}
	for {
		e, err := b.behindAFence(ctx, key)
		if err == nil || ctx.Err() != nil || codeOf(err) != Unreachable {
			return e, b.failed("get", key, err)
		}
	}
}

// proven reads from any member, and then has the leader say that nothing was written since:
// a member that does not lead has a fence only after it has written it to its own disk.
func (b *Bucket) proven(ctx context.Context, key string) (e Entry, err error, proven bool) {
	attempt, cancel := context.WithTimeout(ctx, oneTry/4) // which leaves time for a fence
	defer cancel()
	kept, err := b.values().Get(attempt, key)
	if err == nil {
		e = entryOf(kept)
	} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return e, err, false
	}
	// A key that was deleted has a revision, so it is not found unchanged here.
	return e, err, b.Unchanged(attempt, key, e.Revision)
}

func (b *Bucket) behindAFence(ctx context.Context, key string) (Entry, error) {
	f, err := b.fence(ctx)
	if err != nil {
		return Entry{}, err
	}
	attempt, cancel := context.WithTimeout(ctx, oneTry)
	defer cancel()
	for pause := lagging; ; pause = min(2*pause, mostLagging) {
		e, seen, err := b.beside(attempt, key)
		if seen >= f.revision {
			return e, err
		}
		if err != nil && codeOf(err) != NotFound {
			return e, err
		}
		select {
		case <-time.After(pause):
		case <-attempt.Done():
			return Entry{}, attempt.Err()
		}
	}
}

// beside returns the value of a key and the revision of the fence that one member has at
// the same moment. The error is only about the key if there is a fence.
func (b *Bucket) beside(ctx context.Context, key string) (e Entry, seen uint64, err error) {
	conn, _ := b.store.link()
	inbox := conn.NewInbox()
	answers, err := conn.SubscribeSync(inbox)
	if err != nil {
		return e, 0, err
	}
	defer answers.Unsubscribe()
	question, err := json.Marshal(map[string][]string{"multi_last": {b.subject(key), b.subject(fenceKey)}})
	if err != nil {
		return e, 0, err
	}
	if err := conn.PublishRequest(jetstream.DefaultAPIPrefix+"DIRECT.GET.KV_"+b.name, inbox, question); err != nil {
		return e, 0, err
	}
	found := error(jetstream.ErrKeyNotFound)
	for {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil {
			return e, 0, err
		}
		switch status := m.Header.Get("Status"); status {
		case "":
		case "204": // the end
			return e, seen, found
		case "404":
			return e, 0, jetstream.ErrKeyNotFound // there is no fence
		default:
			return e, 0, fmt.Errorf("the cluster answers %s %s; NATS 2.11 or later is needed", status, m.Header.Get("Description"))
		}
		revision, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
		if err != nil {
			return e, 0, err
		}
		switch {
		case m.Header.Get(jetstream.SubjectHeader) == b.subject(fenceKey):
			seen = revision
		case m.Header.Get("KV-Operation") != "" || m.Header.Get("Nats-Marker-Reason") != "":
			found = jetstream.ErrKeyDeleted
		default:
			at, err := time.Parse(time.RFC3339Nano, m.Header.Get(jetstream.TimeStampHeaer))
			if err != nil {
				return e, 0, err
			}
			e, found = Entry{Key: key, Value: m.Data, Revision: revision, Time: at}, nil
		}
	}
}

// seek has the client use another member if that one can write and the one it uses
// cannot: a member that is cut off from the others keeps its clients. One probe runs at a
// time.
func (s *Store) seek(probe *nats.Msg) {
	if !s.seeking.TryLock() {
		return
	}
	go func() {
		defer s.seeking.Unlock()
		conn, _ := s.link()
		if conn.Status() != nats.CONNECTED {
			return // it seeks by itself
		}
		other, err := s.dial(nats.Timeout(oneTry), nats.NoReconnect())
		if err != nil {
			return
		}
		defer other.Close()
		if other.ConnectedServerId() == conn.ConnectedServerId() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), oneTry)
		defer cancel()
		answer, err := other.RequestMsgWithContext(ctx, probe)
		if err != nil {
			return
		}
		var ack struct {
			Sequence uint64 `json:"seq"`
		}
		if json.Unmarshal(answer.Data, &ack) == nil && ack.Sequence > 0 {
			conn.ForceReconnect()
		}
	}()
}
