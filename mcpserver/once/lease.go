package once

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

const (
	// Renewal is how often an owner renews its lease.
	Renewal = time.Second
	// Hold is how long an owner may act after it began a renewal that was acknowledged. A
	// change of the leader of the cluster takes two to three seconds.
	Hold = 4 * time.Second
	// Takeover is how long another server waits after the last renewal that it saw. What
	// is more than Hold is for ending what runs, and for clocks that do not run equally
	// fast.
	Takeover = 6 * time.Second
	// look is how often it is looked whether something is due.
	look = 200 * time.Millisecond
	// maxLease bounds one value in bytes, maxLeases all of them.
	maxLease, maxLeases = 1 << 10, 4 << 20
)

// Owner is the server that has a lease, as far as is known. The zero Owner is none.
type Owner struct {
	Member string `json:"member"` // its name, for messages
	Host   string `json:"host"`   // the machine, for people
	Seat   string `json:"seat"`   // tells leases of one member apart, before and after a change of its configuration
	// Number is larger than that of every owner before. In the first value it is 0: it is
	// the revision of that value.
	Number uint64 `json:"number,omitempty"`
	// Told counts what others should look at; see [Lease.Tell].
	Told uint64 `json:"told,omitempty"`
}

// Wanting is who wants a lease. The functions must not wait.
type Wanting struct {
	// Renewed is told until when the lease is held now; see [Lease.Held].
	Renewed func(until time.Duration)
	// Changed is told of another owner, also of this one, and of what an owner tells.
	Changed func(Owner)
}

// Lease is a wish for something that one server at a time has. It is safe for concurrent
// use.
type Lease struct {
	cluster *Cluster
	name    string
	seat    string
	wanting Wanting

	wake    chan struct{}
	resign  context.CancelFunc
	standby context.Context // ends with the wish; the lease is still followed
	ended   chan struct{}   // the lease is given back

	mu       sync.Mutex
	owner    Owner
	revision uint64
	seen     time.Duration // when revision was seen
	until    time.Duration // the lease is held; 0 if it is not
	begun    time.Duration // of the last renewal
	told     uint64
	changed  chan struct{} // closed at every change of the owner
}

// Want begins to want the lease of a name, until [Lease.Resign] and Leave.
func (c *Cluster) Want(name string, w Wanting) *Lease {
	l := &Lease{cluster: c, name: name, seat: rand.Text(), wanting: w, wake: make(chan struct{}, 1), ended: make(chan struct{}), changed: make(chan struct{})}
	l.standby, l.resign = context.WithCancel(c.life)
	c.work.Go(l.run)
	return l
}

// Held returns until when this server may act, by the clock of the cluster, and its number.
// It must be asked before every act: the time passes for a process that is frozen, too.
func (l *Lease) Held() (until time.Duration, number uint64, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until, l.owner.Number, l.until > l.cluster.clock()
}

// Owner returns who has the lease as far as is known, and a channel that is closed when
// that changes.
func (l *Lease) Owner() (Owner, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owner, l.changed
}

// Seat is the name under which this server answers for it; see [Cluster.Handle].
func (l *Lease) Seat() string { return l.seat }

// Mine reports whether an owner is this lease's.
func (l *Lease) Mine(o Owner) bool { return o.Seat == l.seat }

// Tell has the others look again, if the lease is held.
func (l *Lease) Tell() {
	l.mu.Lock()
	l.told++
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Resign gives the lease back, if it is held, and never takes it again. It returns when
// the others know, or will take it for given up.
func (l *Lease) Resign() {
	l.resign()
	<-l.ended
}

func (l *Lease) run() {
	var changes <-chan store.Entry
	tick := time.NewTicker(look)
	defer tick.Stop()
	standby := l.standby.Done()
	given := sync.OnceFunc(func() { close(l.ended) })
	defer given()
	defer l.giveBack()
	for {
		if changes == nil {
			// Without it the lease is still right, by compare-and-set, and only taken later.
			changes, _ = l.cluster.bucket.Watch(l.cluster.life, l.name)
		}
		select {
		case <-l.cluster.life.Done():
			return
		case <-standby:
			standby = nil
			l.giveBack()
			given()
			continue
		case e, open := <-changes:
			if !open {
				changes = nil
				continue
			}
			l.saw(e)
			continue
		case <-tick.C:
		case <-l.wake:
		}
		l.step()
	}
}

// step does what is due.
func (l *Lease) step() {
	now := l.cluster.clock()
	l.mu.Lock()
	held, lost := l.until > now, l.until != 0 && l.until <= now
	if lost {
		l.until, l.seen = 0, now
	}
	owner, revision := l.owner, l.revision
	due := held && (now-l.begun >= Renewal || l.told != owner.Told)
	free := !held && (owner == Owner{} && revision != 0 || now-l.seen >= Takeover)
	// Nobody can have had it in between: that would be another revision.
	free = free || !held && owner.Seat == l.seat
	unknown := revision == 0 && !held
	l.mu.Unlock()
	if lost {
		l.cluster.log.Warn("lease.lost", "name", l.name, "cause", "it was not renewed in time")
	}
	switch {
	case due:
		l.write(now, revision)
	case l.standby.Err() != nil:
	case unknown:
		l.look()
	case free:
		l.write(now, revision)
	}
}

// write takes or renews the lease. begun is from when the time counts: before the value
// could be there.
func (l *Lease) write(begun time.Duration, revision uint64) {
	l.mu.Lock()
	next := Owner{Member: l.cluster.member, Host: l.cluster.host, Seat: l.seat, Told: l.told}
	taking := l.owner.Seat != l.seat || l.until == 0
	if !taking {
		next.Number = l.owner.Number
	}
	free := l.owner == Owner{}
	l.mu.Unlock()
	text, err := json.Marshal(next)
	if err != nil {
		panic(err) // cannot fail: strings and numbers
	}
	ctx, cancel := context.WithTimeout(l.cluster.life, Hold)
	defer cancel()
	var at uint64
	if free {
		at, err = l.cluster.bucket.Create(ctx, l.name, text)
	} else {
		at, err = l.cluster.bucket.Update(ctx, l.name, text, revision)
	}
	if err != nil {
		if !errors.Is(err, store.Conflict) {
			l.cluster.log.Info("lease.not_written", "name", l.name, "cause", err)
		}
		l.look() // it may have been written, or somebody else was first
		return
	}
	if next.Number == 0 {
		next.Number = at
	}
	until := begun + Hold
	l.mu.Lock()
	l.note(next, at)
	if !taking && l.until <= l.cluster.clock() {
		// It came after the time was over: what ran has ended, and a new owner has a new number.
		l.until = 0
		l.mu.Unlock()
		l.cluster.log.Warn("lease.lost", "name", l.name, "cause", "it was not renewed in time")
		return
	}
	l.begun, l.until = begun, until
	l.mu.Unlock()
	if taking {
		l.cluster.log.Info("lease.taken", "name", l.name, "number", next.Number)
		l.tell(next)
	}
	if l.wanting.Renewed != nil {
		l.wanting.Renewed(until)
	}
}

// look reads the lease from the leader of the cluster.
func (l *Lease) look() {
	ctx, cancel := context.WithTimeout(l.cluster.life, Hold)
	defer cancel()
	e, err := l.cluster.bucket.Latest(ctx, l.name)
	if errors.Is(err, store.NotFound) {
		// A revision that nothing has: there is no value.
		e, err = store.Entry{Revision: max(l.last(), 1), Deleted: true}, nil
	}
	if err == nil {
		l.saw(e)
	}
}

func (l *Lease) last() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.revision
}

// saw takes in a value of the lease.
func (l *Lease) saw(e store.Entry) {
	var o Owner
	if !e.Deleted && json.Unmarshal(e.Value, &o) != nil {
		o = Owner{Seat: "unreadable"} // it is taken over like any other
	}
	if !e.Deleted && o.Number == 0 {
		o.Number = e.Revision
	}
	l.mu.Lock()
	if e.Revision < l.revision || e.Revision == l.revision && o == l.owner {
		l.mu.Unlock()
		return
	}
	before := l.owner
	if o.Seat != l.seat {
		l.until = 0 // somebody else has it, or nobody
	}
	l.note(o, e.Revision)
	l.mu.Unlock()
	if !same(before, o) || before.Told != o.Told && o.Seat != l.seat {
		l.tell(o)
	}
}

// note notes a value. mu must be held.
func (l *Lease) note(o Owner, revision uint64) {
	if !same(l.owner, o) {
		close(l.changed)
		l.changed = make(chan struct{})
	}
	l.owner, l.revision, l.seen = o, revision, l.cluster.clock()
}

func same(a, b Owner) bool { return a.Seat == b.Seat && a.Number == b.Number }

func (l *Lease) tell(o Owner) {
	if l.wanting.Changed != nil {
		l.wanting.Changed(o)
	}
}

// giveBack deletes the lease, so that another server takes it at once.
func (l *Lease) giveBack() {
	l.mu.Lock()
	mine, revision := l.owner.Seat == l.seat, l.revision
	l.until = 0
	l.mu.Unlock()
	if !mine {
		return
	}
	// Its time must not depend on that of the cluster, which may have ended.
	ctx, cancel := context.WithTimeout(context.Background(), Renewal)
	defer cancel()
	if err := l.cluster.bucket.Delete(ctx, l.name, revision); err != nil {
		l.cluster.log.Info("lease.not_given_back", "name", l.name, "cause", err)
		return
	}
	l.saw(store.Entry{Revision: revision + 1, Deleted: true})
}
