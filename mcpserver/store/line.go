package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// MaxSaid is the size in bytes of the largest message of Ask and its answer: well below
// the 1 MiB that a cluster takes unless its operators say otherwise.
const MaxSaid = 512 << 10

// lastHeard bounds the time for what was sent before a listener stopped.
const lastHeard = 2 * time.Second

// Ask sends a message to the process that listens at a subject and returns its answer.
// The code is NotFound if nobody listens there. Nothing is kept: what is sent while the
// cluster is out of reach is lost. A context with a deadline may wait longer than other
// operations do.
func (s *Store) Ask(ctx context.Context, subject string, message []byte) ([]byte, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = s.within(ctx)
		defer cancel()
	}
	conn, _ := s.link()
	answer, err := conn.RequestWithContext(ctx, subject, message)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, &Error{Code: NotFound, Op: "ask", Place: subject, Cause: errors.New("nobody listens there")}
	}
	if err != nil {
		return nil, failed("ask", subject, err)
	}
	return answer.Data, nil
}

// Tell sends a message to all processes that listen at a subject. Nobody says whether it
// arrives.
func (s *Store) Tell(subject string, message []byte) error {
	conn, _ := s.link()
	if err := conn.Publish(subject, message); err != nil {
		return failed("tell", subject, err)
	}
	return nil
}

// Listen has heard called with every message to a subject, one after the other: it must
// not wait. "*" stands for any one part of a subject, up to a dot. reply answers the
// message, then or later. stop has those who ask from now on told that nobody listens, and
// returns when what was sent before is heard.
func (s *Store) Listen(subject string, heard func(subject string, message []byte, reply func([]byte))) (stop func(), err error) {
	conn, _ := s.link()
	listening, err := conn.Subscribe(subject, func(m *nats.Msg) {
		// An error of Respond means that the connection is gone, which whoever asked
		// finds out.
		heard(m.Subject, m.Data, func(answer []byte) { _ = m.Respond(answer) })
	})
	if err == nil {
		// Until the cluster knows of it, those who ask are told that nobody listens.
		err = conn.FlushTimeout(s.most())
	}
	if err != nil {
		return nil, failed("listen", subject, err)
	}
	return sync.OnceFunc(func() {
		ended := listening.StatusChanged(nats.SubscriptionClosed)
		if listening.Drain() != nil {
			return // the connection is closed, or being made again
		}
		select {
		case <-ended:
		case <-time.After(lastHeard):
		}
	}), nil
}
