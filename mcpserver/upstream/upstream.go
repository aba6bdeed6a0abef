package upstream

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver/once"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
	"github.com/glovebox-run/glovebox/risk/egress"
)

// Request is one request of a client, and Peer the client behind it.
type (
	Request = session.Request
	Peer    = session.Peer
	Asked   = session.Asked
)

// Options are what all upstreams of a gateway share. The zero value reaches nothing.
type Options struct {
	// Name and Version are what servers are told about the gateway.
	Name, Version string
	// Lookup finds the values of ${VAR}.
	Lookup catalog.Lookup
	// Resolve and Dial reach the network, for servers over HTTP. Roots are trusted for
	// TLS; nil means the system's.
	Resolve netguard.Resolve
	Dial    netguard.Dial
	Roots   *x509.CertPool
	// Vault opens where the sign-ins of people are kept; nil for nowhere.
	Vault func() (*signin.Vault, error)
	// Processes starts servers of kind stdio. Homes is a folder in which each sandboxed
	// one has a home folder that lasts; empty gives it one that does not.
	Processes process.Supervisor
	Homes     string
	// Cluster has servers that must exist once; nil without a cluster. Outside says that
	// this process is none of the cluster's servers: it starts nothing that must exist
	// once.
	Cluster *once.Cluster
	Outside bool
	// Era returns what era a server was last found to speak, "legacy" or "modern", so that
	// it need not be found out again; nil if that is not known.
	Era func(name string) string
	// Changed is called when a server says that lists have changed, and when it was
	// connected again after its connection ended, when they may have. It must not block.
	Changed func(Change)
	Log     *slog.Logger // nil for none
	// Now, Jitter and ExitTime are for tests; nil means time.Now and a random number in
	// [0, 1). ExitTime is how long a process may take to end after its output; 0 means 5 s.
	Now      func() time.Time
	Jitter   func() float64
	ExitTime time.Duration
}

// Change says what may have changed at an upstream.
type Change struct {
	Upstream                  string
	Tools, Resources, Prompts bool
	Reconnected               bool
	Updated                   string // URI of a resource that was subscribed to
}

const (
	// connectTime bounds the whole way from nothing to an agreed session. The first start
	// of a server through npx or uvx downloads it.
	connectTime = time.Minute
	// waitTime bounds the wait for a free place, and maxWaiting how many may wait for
	// each place.
	waitTime   = 10 * time.Second
	maxWaiting = 4
	// closeTime bounds the farewell to a server; a process gets 10 s of it.
	closeTime = 15 * time.Second
)

// Upstream is one server. It is safe for concurrent use.
type Upstream struct {
	config  Config
	options Options
	shared  *shared       // nil for a server that every gateway starts for itself
	places  chan struct{} // one for each request at once
	queue   chan struct{} // those and the ones that wait

	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup // connecting and closing

	mu         sync.Mutex
	breaker    breaker
	session    *session.Session
	connecting *attempt
	connected  int         // times
	era        session.Era // that the server was found to speak
	surface    *Surface
	listing    *listing
	secrets    []string        // that were looked up for the connection
	masked     []string        // what masker masks
	masker     *egress.Masker  // nil before the first connection
	tokens     *tokens         // nil if the server was not reached yet, or wants none
	watched    map[string]bool // resources that are subscribed to
	level      string          // of the log that is wanted
	probing    bool
	closing    chan struct{}     // closed when the last session is
	measures   []process.Measure // what keeps the process in its bounds
}

// attempt is a connection in the making.
type attempt struct {
	done    chan struct{}
	session *session.Session
	err     error
}

// New makes an upstream. It reaches nothing yet.
func New(c Config, o Options) (*Upstream, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	if o.ExitTime == 0 {
		o.ExitTime = exitTime
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	n := c.concurrency()
	u := &Upstream{config: c, options: o, places: make(chan struct{}, n), queue: make(chan struct{}, n*(1+maxWaiting)), watched: map[string]bool{}, era: eras[c.Era], breaker: breaker{jitter: o.Jitter}}
	if u.era == session.Auto && o.Era != nil {
		u.era = eras[o.Era(c.Name)]
	}
	u.life, u.end = context.WithCancel(context.Background())
	if c.Singleton && (o.Cluster != nil || o.Outside) {
		u.share()
	}
	return u, nil
}

// Name returns the name that the operator gave the server.
func (u *Upstream) Name() string { return u.config.Name }

// Config returns the configuration. It must not be changed.
func (u *Upstream) Config() *Config { return &u.config }

// Secrets masks the values that the operator gave for the server, as far as they were
// looked up, and its tokens; nil before the first connection.
func (u *Upstream) Secrets() *egress.Masker {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := u.secrets
	if u.tokens != nil {
		all = slices.Concat(all, u.tokens.client.Secrets()) // they change when they are renewed
	}
	if len(all) > 0 && !slices.Equal(all, u.masked) {
		u.masked, u.masker = all, egress.NewMasker(all)
	}
	return u.masker
}

// Call makes one request and returns the raw result. The error is an [*RPCError] that the
// server answered, an [*Error], or context.Canceled.
func (u *Upstream) Call(ctx context.Context, r Request) (json.RawMessage, error) {
	if u.shared != nil {
		return u.shared.call(ctx, r)
	}
	return u.callHere(ctx, r)
}

// callHere is Call over the connection of this process.
func (u *Upstream) callHere(ctx context.Context, r Request) (json.RawMessage, error) {
	ctx, cancel := u.within(ctx)
	defer cancel()
	if err := u.enter(ctx); err != nil {
		return nil, err
	}
	defer u.leave()
	var result json.RawMessage
	err := u.with(ctx, r.Method, func(s *session.Session) (err error) {
		result, err = s.Call(ctx, &r)
		if rpc := (*RPCError)(nil); errors.As(err, &rpc) && rpc.Code == codeHeaderMismatch && r.Method == "tools/call" {
			// The server refused the call: since its tools were listed, or because they were
			// not, it wants other arguments in headers.
			if _, listing := s.List(ctx, "tools/list"); listing == nil {
				result, err = s.Call(ctx, &r)
			}
		}
		return err
	})
	return result, err
}

// codeHeaderMismatch is the error of 2026-07-28 for headers that do not repeat what the
// body says.
const codeHeaderMismatch = -32020

// errTimeout tells the upstream's own time from that of the caller.
var errTimeout = fmt.Errorf("it did not answer in time: %w", context.DeadlineExceeded)

// within bounds a request with the configured time.
func (u *Upstream) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, u.config.timeout(), errTimeout)
}

// with does something with a session, and once more with a new one if the first attempt
// certainly had no effect or only reads.
func (u *Upstream) with(ctx context.Context, method string, do func(*session.Session) error) error {
	for again := false; ; again = true {
		s, err := u.connect(ctx)
		if err != nil {
			return u.wrap(err, "ping") // nothing was sent
		}
		err = do(s)
		u.judge(ctx, s, err)
		if err == nil || again || ctx.Err() != nil || !u.worthAgain(s, method, err) {
			return u.wrap(err, method)
		}
	}
}

// worthAgain reports whether a new session may do better and no call can run twice.
func (u *Upstream) worthAgain(s *session.Session, method string, err error) bool {
	e := (*transport.Error)(nil)
	if !errors.As(err, &e) || !e.Unsent && !onlyReads(method) {
		return false
	}
	if e.Kind == transport.SessionGone {
		u.drop(s)
		return true
	}
	return e.Kind == transport.Closed
}

// judge tells the breaker how a request went. An answer is a success, whatever it says.
// Only what shows that the server is gone or failing is a failure: a client must not be
// able to take a server away from others by what it asks or how long it waits.
func (u *Upstream) judge(ctx context.Context, s *session.Session, err error) {
	rpc, wire := (*RPCError)(nil), (*transport.Error)(nil)
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case err == nil || errors.As(err, &rpc):
		u.breaker.succeeded()
	case ctx.Err() != nil:
		u.breaker.gaveUp()
		if context.Cause(ctx) == errTimeout {
			u.probe(s)
		}
	case errors.As(err, &wire) && (wire.Kind == transport.Closed || wire.Kind == transport.Unreachable || wire.Kind == transport.Stalled || wire.Kind == transport.Status && !wire.Unsent):
		u.breaker.failedNow(u.options.Now(), err, false, wire.RetryAfter)
	default:
		u.breaker.gaveUp()
	}
	if s.Err() != nil {
		u.dropLocked(s)
	}
}

// probeTime is how long a server may take for a sign of life.
const probeTime = 10 * time.Second

// probe asks a server that let a request time out whether it lives. Its answer decides, and
// not the request: that may be one that takes long.
func (u *Upstream) probe(s *session.Session) {
	if u.probing || s.Err() != nil || u.life.Err() != nil {
		return
	}
	u.probing = true
	u.work.Add(1)
	go func() {
		defer u.work.Done()
		ctx, cancel := context.WithTimeout(u.life, probeTime)
		defer cancel()
		err := s.Ping(ctx)
		u.mu.Lock()
		defer u.mu.Unlock()
		u.probing = false
		if rpc := (*RPCError)(nil); err == nil || errors.As(err, &rpc) {
			u.breaker.succeeded()
		} else if u.life.Err() == nil {
			u.breaker.failedNow(u.options.Now(), err, false, 0)
		}
	}()
}

// enter takes a place; leave gives it back.
func (u *Upstream) enter(ctx context.Context) error {
	select {
	case u.queue <- struct{}{}:
	default:
		return &Error{Upstream: u.config.Name, Kind: Busy, Err: errors.New("too many requests wait for it")}
	}
	select {
	case u.places <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(waitTime)
	defer timer.Stop()
	var err error
	select {
	case u.places <- struct{}{}:
		return nil
	case <-timer.C:
		err = &Error{Upstream: u.config.Name, Kind: Busy, Err: errors.New("no request before this one ended in time")}
	case <-ctx.Done():
		if err = ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
			err = &Error{Upstream: u.config.Name, Kind: Busy, Err: err}
		}
	}
	<-u.queue
	return err
}

func (u *Upstream) leave() {
	<-u.places
	<-u.queue
}

// Close ends the connection for good and waits until nothing of it is left.
func (u *Upstream) Close() {
	u.end()
	u.mu.Lock()
	s := u.session
	if s != nil {
		u.dropLocked(s)
	}
	u.mu.Unlock()
	u.work.Wait()
	if u.shared != nil {
		u.shared.leave()
	}
}
