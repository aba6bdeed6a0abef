package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/once"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
)

// fencingNumber is the variable with which the process of a server that must exist once
// learns its number: larger than that of every process that another server ran. One that
// ended by itself is started again with the same number. What it writes to can refuse a smaller
// number than it has seen.
const fencingNumber = "GLOVEBOX_FENCING_NUMBER"

// ownerTime is how long a request waits for a server that is taken over: once.Takeover,
// and the start of the process.
const ownerTime = 15 * time.Second

// shared is a server that must exist once in a cluster. Its process runs where the lease
// is held; requests of the others are carried there.
type shared struct {
	u     *Upstream
	lease *once.Lease // nil outside of the cluster's servers

	mu      sync.Mutex
	running int           // requests that are made here
	calm    chan struct{} // closed when there are none, once retired
	retired bool
	process *process.Process
	number  uint64 // of the process
}

// share has this upstream exist once.
func (u *Upstream) share() {
	s := &shared{u: u, calm: make(chan struct{})}
	u.shared = s
	if u.options.Outside {
		return
	}
	// The functions come before the lease is there: they wait for it.
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lease = u.options.Cluster.Want(u.config.Name, once.Wanting{Renewed: s.renewed, Changed: s.changed})
	u.options.Cluster.Handle(s.lease.Seat(), s.handle)
}

// absent returns why there is no process here, or nil if there may be one.
func (s *shared) absent() error {
	if s.lease != nil {
		if _, _, held := s.lease.Held(); held {
			return nil
		}
	}
	return s.elsewhere()
}

func (s *shared) elsewhere() *Error {
	e := &Error{Upstream: s.u.config.Name, Kind: Unavailable}
	switch host := s.host(); {
	case s.lease == nil:
		e.Err = errors.New("it exists once in the cluster, and this process is none of the cluster's servers; start glovebox serve on this machine, or use another one where it runs")
	case host == "":
		e.Err = fmt.Errorf("it exists once in the cluster, and no server has taken it yet; that takes up to %v once a majority of the cluster is there", once.Takeover)
	default:
		e.Err = fmt.Errorf("it exists once in the cluster and runs at %s, which does not answer; another server takes it over within %v once a majority of the cluster is there", host, once.Takeover)
	}
	return e
}

// host is the machine where the server runs, as far as is known.
func (s *shared) host() string {
	if s.lease == nil {
		return ""
	}
	owner, _ := s.lease.Owner()
	return owner.Host
}

// fence adds to the configuration of a process until when it may run, and its number.
func (s *shared) fence(c *process.Config) (number uint64, err error) {
	until, number, held := s.lease.Held()
	if !held {
		return 0, &transport.Error{Kind: transport.Unreachable, Unsent: true, Err: s.elsewhere()}
	}
	c.Until = until
	c.Env = maps.Clone(c.Env)
	if c.Env == nil {
		c.Env = map[string]string{}
	}
	c.Env[fencingNumber] = strconv.FormatUint(number, 10)
	return number, nil
}

// started notes a process, and returns what writes to it while the lease is held.
func (s *shared) started(p *process.Process, number uint64) io.WriteCloser {
	s.mu.Lock()
	s.process, s.number = p, number
	s.mu.Unlock()
	if until, now, held := s.lease.Held(); held && now == number {
		p.Extend(until) // it may have been renewed while the process started
	}
	return fenced{p.Stdin(), s.lease, number}
}

// fenced refuses messages once the lease is lost. It is asked before each of them, by a
// clock that does not stand still while this process does.
type fenced struct {
	io.WriteCloser
	lease  *once.Lease
	number uint64
}

func (f fenced) Write(p []byte) (int, error) {
	if _, number, held := f.lease.Held(); !held || number != f.number {
		return 0, transport.ErrRefused
	}
	return f.WriteCloser.Write(p)
}

// renewed lets the process run on.
func (s *shared) renewed(until time.Duration) {
	s.mu.Lock()
	p, number, lease := s.process, s.number, s.lease
	s.mu.Unlock()
	if _, now, held := lease.Held(); p != nil && held && now == number {
		p.Extend(until)
	}
}

// changed ends what does not count any more. The new owner starts the server.
func (s *shared) changed(owner once.Owner) {
	s.mu.Lock()
	mine, number := s.lease.Mine(owner), s.number
	s.mu.Unlock()
	u := s.u
	u.mu.Lock()
	if u.session != nil && (!mine || owner.Number != number) {
		u.dropLocked(u.session)
	}
	u.mu.Unlock()
	if mine {
		u.Retry() // why it failed before, while it ran elsewhere, does not count
	}
	u.tell(Change{Tools: true, Resources: true, Prompts: true, Reconnected: mine})
}

// enter begins a request that is made here, if this is the owner and, unless it is 0, has
// the number. leave must follow.
func (s *shared) enter(number uint64) (leave func(), ok bool) {
	if s.lease == nil {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, now, held := s.lease.Held(); !held || s.retired || number != 0 && now != number {
		return nil, false
	}
	s.running++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.running--; s.running == 0 && s.retired {
			close(s.calm)
		}
	}, true
}

// lost reports whether a request that failed was not made because the lease was lost.
func (s *shared) lost(err error) bool {
	if e := (*Error)(nil); !errors.As(err, &e) || e.MayHaveRun {
		return false
	}
	_, _, held := s.lease.Held()
	return !held || errors.Is(err, transport.ErrRefused)
}

// route makes a request where the server runs, and waits a while for a server that is
// being taken over. What may have been made is not made again.
func (s *shared) route(ctx context.Context, here func() error, there func(once.Owner, <-chan struct{}) error) error {
	if s.lease == nil {
		return s.elsewhere()
	}
	late := time.NewTimer(ownerTime)
	defer late.Stop()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		if leave, ok := s.enter(0); ok {
			err := here()
			leave()
			if !s.lost(err) {
				return err
			}
		}
		owner, changed := s.lease.Owner()
		if owner.Member != "" && !s.lease.Mine(owner) {
			if err := there(owner, changed); !errors.Is(err, once.ErrMoved) {
				return err
			}
		}
		select {
		case <-changed:
		case <-again.C:
		case <-late.C:
			return s.elsewhere()
		case <-s.u.life.Done():
			return &Error{Upstream: s.u.config.Name, Kind: Gone, Err: errClosed}
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return &Error{Upstream: s.u.config.Name, Kind: Timeout, Err: s.elsewhere()}
			}
			return ctx.Err()
		}
	}
}

// Retire gives a server that exists once to another gateway: requests that run here may
// end, those that come are carried there. Others are left as they are.
func (u *Upstream) Retire(ctx context.Context) {
	s := u.shared
	if s == nil || s.lease == nil {
		return
	}
	s.mu.Lock()
	first := !s.retired
	s.retired = true
	if first && s.running == 0 {
		close(s.calm)
	}
	s.mu.Unlock()
	select {
	case <-s.calm:
	case <-ctx.Done():
	}
	u.mu.Lock()
	if u.session != nil {
		u.dropLocked(u.session)
	}
	closing := u.closing
	u.mu.Unlock()
	if closing != nil {
		<-closing // within closeTime
	}
	s.lease.Resign()
}

// leave ends the wish for the lease, when the process has ended.
func (s *shared) leave() {
	if s.lease == nil {
		return
	}
	s.lease.Resign()
	s.u.options.Cluster.Handle(s.lease.Seat(), nil)
}
