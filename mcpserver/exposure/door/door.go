// Package door keeps what is offered of other servers up to date: it connects the
// servers that are enabled, lists what they have, has it pinned and admitted, and
// publishes the outcome.
//
//	Door     one for a gateway; it admits again after every change, whatever changed
//	Options  what it works with
//
// A change of the registry, of the ledger, of the configuration, of the tools of other
// sources, a server that says its lists changed, came back, or was listed again because
// it was time: all end in one function, round, and round ends in exposure.Admit.
package door

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/definition"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/event"
)

// Options are what a door works with. Registry, Ledger and Publish are required.
type Options struct {
	Registry *exposure.Registry
	Ledger   *ledger.Ledger
	// Upstreams are shared by all servers; Changed is the door's.
	Upstreams upstream.Options
	// Publish receives every new offer, one at a time.
	Publish func(*exposure.Offer)
	// Taken returns the names of tools that other sources publish, with their sources.
	Taken func() map[string]string
	// Updated is told of resources that changed; nil for nobody.
	Updated func(server, uri string)
	// Catalog are the known servers.
	Catalog []servers.Entry
	// Scores has the last scans of servers; nil for none.
	Scores scans.Board
	// Every is how often servers are asked again for what they list; 0 means
	// [DefaultEvery].
	Every time.Duration
	// Asleep has servers asked only by [Door.List]: nothing is reached for having been
	// opened.
	Asleep bool
	// Tell receives events, one at a time; nil for nobody.
	Tell func(event.Event)
	Log  *slog.Logger // nil for none
	Now  func() time.Time
}

const (
	// DefaultEvery is often enough that a server which changes its tools without saying
	// so is noticed on the same day, and seldom enough that nobody pays for it.
	DefaultEvery = 15 * time.Minute
	// atOnce is how many servers are listed at the same time: most start a process.
	atOnce = 8
	// patience bounds how long a call waits for the server to be listed again after it
	// said that its tools changed.
	patience = 10 * time.Second
	// tick is how often it is looked whether a server's lists are over time.
	tick = 5 * time.Second
)

// Door is safe for concurrent use.
type Door struct {
	Options
	servers upstream.Set
	memo    definition.Memo
	wake    chan struct{}
	slots   chan struct{} // one for each listing

	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	rounds sync.Mutex // held during a round
	began  int64      // under rounds: the number that was drawn last when the last round began
	asked  atomic.Int64
	// revisions are those of the compositions in the round before, under rounds.
	revisions map[string]int
	// unreadable is why the last scan of a server could not be read, as it was told, under
	// mu.
	unreadable map[string]string
	mu         sync.Mutex
	offer      *exposure.Offer
	known      map[string]*known
}

// known is what the door knows of one server.
type known struct {
	surface *upstream.Surface
	why     string    // there is none
	config  string    // of the server that it came from, as JSON
	listed  time.Time // when it was asked last, with or without an answer
	// sure is set while nothing says that the surface may be out of date: the server was
	// listed by this process and has not said since that it changed. Calls wait for it.
	sure     bool
	checking chan struct{} // closed when the listing that is under way has been admitted; nil if none is
	again    bool          // it changed once more during that listing
	tried    bool          // a listing has ended and its outcome was published
	secrets  secrets
}

// Open makes a door and offers what was kept of servers that were seen before; no server
// is waited for. It works until Close.
func Open(ctx context.Context, o Options) (*Door, error) {
	if o.Every == 0 {
		o.Every = DefaultEvery
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Scores == nil {
		o.Scores = scans.Folder("")
	}
	if o.Taken == nil {
		o.Taken = func() map[string]string { return nil }
	}
	d := &Door{Options: o, wake: make(chan struct{}, 1), slots: make(chan struct{}, atOnce), known: map[string]*known{}, unreadable: map[string]string{}}
	d.Upstreams.Changed, d.Upstreams.Era = d.changed, d.era
	d.life, d.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := d.remember(ctx); err != nil {
		return nil, err
	}
	d.Registry.Watch(d.Wake)
	d.Ledger.Watch(d.Wake)
	d.Scores.Watch(d.Wake)
	d.round()
	d.work.Add(1)
	go d.run()
	return d, nil
}

// remember takes in what was listed before the last stop.
func (d *Door) remember(ctx context.Context) error {
	surfaces, err := d.Registry.Kept(ctx)
	if err != nil {
		return err
	}
	tools, err := d.Ledger.Kept(ctx)
	if err != nil {
		return err
	}
	for name, s := range surfaces {
		s.Tools = tools[name]
		d.known[name] = &known{surface: &s}
		delete(tools, name)
	}
	for name, raws := range tools {
		d.known[name] = &known{surface: &upstream.Surface{Tools: raws}}
	}
	return nil
}

// era is what a server spoke when it was listed last, also before the last stop.
func (d *Door) era(server string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.known[server]; k != nil && k.surface != nil {
		return k.surface.Era
	}
	return ""
}

// Wake has everything admitted again soon. Call it when the tools of other sources
// changed. It does not wait.
func (d *Door) Wake() {
	select {
	case d.wake <- struct{}{}:
	default: // a round is due already
	}
}

func (d *Door) run() {
	defer d.work.Done()
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for {
		select {
		case <-d.life.Done():
			return
		case <-d.wake:
			d.round()
		case <-clock.C:
			if !d.Asleep {
				d.relist()
			}
		}
	}
}

// Offer returns what is offered now.
func (d *Door) Offer() *exposure.Offer {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.offer
}

// Server returns a connected server, or nil.
func (d *Door) Server(name string) *upstream.Upstream { return d.servers.Get(name) }

// Pending returns the enabled servers that were not listed yet since the door was opened,
// with or without success, by name. What was listed is published by then.
func (d *Door) Pending() (names []string) {
	for _, u := range d.servers.All() {
		d.mu.Lock()
		if k := d.known[u.Name()]; k != nil && !k.tried {
			names = append(names, u.Name())
		}
		d.mu.Unlock()
	}
	return names
}

// Retire gives servers that exist once in a cluster to other gateways.
func (d *Door) Retire(ctx context.Context) { d.servers.Retire(ctx) }

// Close ends all connections and waits for them.
func (d *Door) Close() {
	d.Registry.Watch(nil)
	d.Ledger.Watch(nil)
	d.Scores.Watch(nil)
	d.mu.Lock()
	d.end()
	d.mu.Unlock()
	d.servers.Close()
	d.work.Wait()
}

// Enable enables a composition if everything in it would be offered, and returns why
// not otherwise.
func (d *Door) Enable(ctx context.Context, name, by string) ([]exposure.Withheld, error) {
	if withheld := exposure.Enabling(d.admission(), name); len(withheld) > 0 {
		return withheld, nil
	}
	err := d.Registry.UpdateComposition(ctx, name, by, func(c *exposure.Composition) error {
		c.Enabled = true
		return nil
	})
	d.round()
	return nil, err
}

// Try returns what would be offered if an exposure were as it is given. Nothing changes.
func (d *Door) Try(e exposure.Exposure) *exposure.Offer { return exposure.Trying(d.admission(), e) }

// ErrNoServer means that there is no enabled server of a name.
var ErrNoServer = errors.New("there is no enabled server of that name; glovebox upstream list shows which there are")

// List asks a server for what it has, now, and has it pinned and admitted.
func (d *Door) List(ctx context.Context, name string) (*upstream.Surface, error) {
	u := d.servers.Get(name)
	if u == nil {
		return nil, ErrNoServer
	}
	s, err := d.list(ctx, u)
	d.round()
	return s, err
}

// configOf is the identity of a connection.
func configOf(c upstream.Config) string {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // cannot fail: plain values
	}
	return string(text)
}
