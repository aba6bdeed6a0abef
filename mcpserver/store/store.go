package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// longest bounds one operation whose context has no earlier deadline: longer than a
	// cluster takes to elect a leader, shorter than people wait.
	longest = 5 * time.Second
	// longestHere bounds one of an embedded store, and longestOpening one that makes or
	// opens something: no other member could do better. What takes long there is the
	// disk, or a machine that is busy, and giving up sooner would only not say how a
	// write ended. A full disk ends them at once.
	longestHere, longestOpening = 30 * time.Second, 30 * time.Second
	// dialling bounds one attempt to reach a member: what a network loses while it is cut must
	// not be waited for long after it is whole again.
	dialling = 2 * time.Second
	// pingEvery finds a member that no longer answers within three times that.
	pingEvery = 2 * time.Second
)

// Store is an open store. It is safe for concurrent use.
type Store struct {
	place string // for errors

	mu      sync.RWMutex // guards what reopening replaces
	conn    *nats.Conn
	js      jetstream.JetStream
	buckets []*Bucket
	before  Traffic // over connections that were replaced

	// For a cluster.
	replicas int          // copies of each bucket
	log      *slog.Logger // nil for an embedded store
	differs  atomic.Bool  // something has another number of copies, and that was said
	beats    struct {     // what Check writes to, created by the first Check
		sync.Mutex
		*Bucket
	}

	dial    func(...nats.Option) (*nats.Conn, error)
	seeking sync.Mutex // held by the one probe of other members

	// For an embedded store.
	server    *server.Server // under mu
	notes     *notes         // under mu
	reopening sync.Mutex
	room      func() error // checks that the disk has room for writes
	lock      *os.File
	heads     *heads
	marks     marks
}

// Cluster says how to reach a cluster.
type Cluster struct {
	// URL is one or several addresses separated by commas, such as
	// nats://host:4222 or tls://host:4222.
	URL string
	// Credentials is a file of user credentials; may be empty.
	Credentials string
	// NKey is a file with the seed of an nkey; may be empty.
	NKey string
	// CA is a file of root certificates that verify the cluster's, instead of the
	// system's; may be empty.
	CA string
	// Certificate and Key are the files of a client certificate; may be empty.
	Certificate, Key string
	// Replicas is how many members keep a copy of everything, 1 to 5; default 1. What
	// exists with more copies keeps them.
	Replicas int
	// Logger receives lost connections; nil discards them.
	Logger *slog.Logger
}

// Connect opens the store of a cluster. It fails within seconds if no member can be
// reached; if the connection is lost later, it retries until Close.
func Connect(ctx context.Context, c Cluster) (*Store, error) {
	log := c.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	options := []nats.Option{
		nats.Name("glovebox"), nats.Timeout(dialling), nats.MaxReconnects(-1), nats.ReconnectWait(soon),
		// A member whose machine is gone sends no end of the connection.
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2),
		// Writes are answered or refused in time: none waits in a buffer for a member
		// that may not come back.
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("store.disconnected", "cause", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { log.Info("store.connected") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Warn("store.trouble", "cause", err) }),
	}
	if c.Credentials != "" {
		options = append(options, nats.UserCredentials(c.Credentials))
	}
	if c.NKey != "" {
		nkey, err := nats.NkeyOptionFromSeed(c.NKey)
		if err != nil {
			return nil, &Error{Code: Denied, Op: "connect", Place: shown(c.URL), Cause: fmt.Errorf("the nkey in %s cannot be used: %w", c.NKey, err)}
		}
		options = append(options, nkey)
	}
	if c.CA != "" {
		options = append(options, nats.RootCAs(c.CA))
	}
	if c.Certificate != "" || c.Key != "" {
		options = append(options, nats.ClientCert(c.Certificate, c.Key))
	}
	s := &Store{place: shown(c.URL), replicas: max(c.Replicas, 1), log: log}
	s.dial = func(more ...nats.Option) (*nats.Conn, error) {
		return nats.Connect(c.URL, slices.Concat(options, more)...)
	}
	type connected struct {
		conn *nats.Conn
		err  error
	}
	done := make(chan connected, 1)
	go func() {
		conn, err := s.dial()
		done <- connected{conn, err}
	}()
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	select {
	case got := <-done:
		if got.err != nil {
			return nil, s.unconnected(got.err)
		}
		s.conn = got.conn
	case <-ctx.Done():
		go func() {
			if late := <-done; late.conn != nil {
				late.conn.Close()
			}
		}()
		return nil, failed("connect", s.place, ctx.Err())
	}
	if err := s.begin(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// unconnected returns the error of a first connection, without secrets.
func (s *Store) unconnected(err error) error {
	e := &Error{Code: codeOf(err), Op: "connect", Place: s.place, Cause: err}
	if e.Code == Failed { // names that do not resolve, refused connections, certificates
		e.Code = Unreachable
	}
	if strings.Contains(err.Error(), "://") {
		e.Cause = errors.New("the address cannot be read")
	}
	return e
}

// begin checks that the server has JetStream.
func (s *Store) begin(ctx context.Context) (err error) {
	most := s.most()
	if s.js, err = jetstream.New(s.conn, jetstream.WithDefaultTimeout(most), jetstream.WithPublishAsyncTimeout(most)); err != nil {
		return failed("open", s.place, err)
	}
	_, err = s.js.AccountInfo(ctx)
	return failed("open", s.place, err)
}

// Check returns why nothing can be stored now, or nil; see [Bucket.Check].
func (s *Store) Check(ctx context.Context) (err error) {
	s.beats.Lock()
	defer s.beats.Unlock()
	if s.beats.Bucket == nil {
		if err := s.reopen(ctx); err != nil {
			return err
		}
		if s.beats.Bucket, err = s.Bucket(ctx, BucketConfig{Name: "glovebox-beats", MaxBytes: 64 << 10}); err != nil {
			return err
		}
	}
	return s.beats.Check(ctx)
}

// failed is the function failed, except that a full disk explains every failure: an
// embedded server then no longer answers.
func (s *Store) failed(op, place string, err error) error {
	if n := s.noted(); err != nil && n != nil && n.full.Err() != nil {
		err = context.Cause(n.full)
	}
	return failed(op, place, err)
}

// noted returns the log of the embedded server; nil for a cluster.
func (s *Store) noted() *notes {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.notes
}

// link returns the current connection.
func (s *Store) link() (*nats.Conn, jetstream.JetStream) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.conn, s.js
}

func (s *Store) streams() jetstream.JetStream {
	_, js := s.link()
	return js
}

// reached records an acknowledged write, for the next start.
func (s *Store) reached(stream string, seq uint64) error {
	if s.heads == nil {
		return nil
	}
	return s.heads.reached(stream, seq)
}

// Close ends the connection and an embedded server. Acknowledged writes stay.
func (s *Store) Close() {
	s.reopening.Lock()
	defer s.reopening.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
	if s.heads != nil {
		s.heads.close()
	}
	if s.lock != nil {
		s.lock.Close() // releases it
		s.lock = nil
	}
}

// stop ends the connection and the embedded server.
func (s *Store) stop() {
	if s.conn != nil {
		s.conn.Close()
	}
	if s.server != nil {
		s.server.Shutdown()
		s.server.WaitForShutdown()
	}
}

// most is how long one operation may take.
func (s *Store) most() time.Duration {
	if s.heads != nil {
		return longestHere
	}
	return longest
}

// within bounds the time of an operation.
func (s *Store) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return s.bounded(ctx, s.most())
}

func (s *Store) bounded(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, most)
	n := s.noted()
	if n == nil {
		return ctx, cancel
	}
	if n.full.Err() != nil { // AfterFunc runs in a goroutine, too late
		cancel()
	}
	stop := context.AfterFunc(n.full, cancel)
	return ctx, func() { stop(); cancel() }
}
