// Package gateway is what an operator does with other people's servers: it puts the
// registry, the ledger of pins and the door together, and has the verbs that the command
// line and other surfaces of the same user share.
//
//	Open    the registry and the ledger of a store; nothing is reached
//	Start   the door, which keeps what is offered up to date, or stays asleep
//	Login   a person signs in to a server, in a browser
//	Add, Test, Expose, Approve and the rest are what an operator does
//	Do      the same for other processes, by name and in JSON
package gateway

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/door"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/event"
)

// Options configure a gateway. Store is required.
type Options struct {
	Store *store.Store
	// Reach says how servers are reached. Changed and Vault are filled in.
	Reach upstream.Options
	// Catalog are the known servers.
	Catalog []servers.Entry
	// Taken returns the names of tools that run here, and whose they are; nil for none.
	Taken func() map[string]string
	// Offered gets every new offer, one at a time; nil discards them.
	Offered func(*exposure.Offer)
	// Updated is told of resources that changed; nil for nobody.
	Updated func(server, uri string)
	// Tell receives the events of the risk engine; nil discards them.
	Tell func(event.Event)
	// Keys is the file of the keys that seal the sign-ins of people; it is made when
	// it is first needed.
	Keys string
	// Every is how often servers are asked again for what they list.
	Every time.Duration
	// Scores has the last scans of servers, nil for none; Scans opens the history of all.
	Scores scans.Board
	Scans  scans.Opener
	// Scanned takes in what other programs of this machine have scanned; nil if there is
	// nothing to do.
	Scanned func(context.Context) error
	// Rescan is how old a server's last scan may be before it is scanned again; 0 for
	// any age.
	Rescan time.Duration
	// Asleep reaches servers only for verbs that say so.
	Asleep bool
	Log    *slog.Logger // nil for none
}

// Gateway is safe for concurrent use. Its verbs are for after Start.
type Gateway struct {
	options  Options
	registry *exposure.Registry
	ledger   *ledger.Ledger
	signins  *signins
	stop     context.CancelFunc

	stopRescan context.CancelFunc // nil if nothing is scanned again
	work       sync.WaitGroup

	door  *door.Door
	awake atomic.Pointer[door.Door] // the same, for whoever may come before Start
}

// Open opens the gateway's part of a store.
func Open(ctx context.Context, o Options) (*Gateway, error) {
	if o.Offered == nil {
		o.Offered = func(*exposure.Offer) {}
	}
	if o.Scores == nil {
		o.Scores = scans.Folder("")
	}
	g := &Gateway{options: o}
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	g.stop = stop
	var err error
	if g.registry, err = exposure.Open(following, o.Store, time.Now); err == nil {
		g.ledger, err = ledger.Open(following, o.Store, time.Now)
	}
	if err == nil {
		g.signins, err = openSignins(ctx, o.Store, o.Keys)
	}
	if err != nil {
		stop()
		return nil, err
	}
	g.options.Reach.Vault = g.signins.vault
	return g, nil
}

// Start offers what was kept of servers that were seen before, and from then on what
// they list. It waits for no server.
func (g *Gateway) Start(ctx context.Context) (err error) {
	o := g.options
	g.door, err = door.Open(ctx, door.Options{
		Registry: g.registry, Ledger: g.ledger, Upstreams: o.Reach, Publish: o.Offered, Taken: o.Taken, Updated: o.Updated,
		Catalog: o.Catalog, Scores: o.Scores, Every: o.Every, Asleep: o.Asleep, Tell: o.Tell, Log: o.Log,
	})
	if err != nil {
		return err
	}
	g.awake.Store(g.door)
	if o.Rescan > 0 && !o.Asleep {
		rescanning, stop := context.WithCancel(context.WithoutCancel(ctx))
		g.stopRescan = stop
		g.work.Go(func() { g.rescan(rescanning, o.Rescan) })
	}
	return nil
}

// Configure replaces what the configuration says about servers, as a whole or not at
// all. It may be called before Start.
func (g *Gateway) Configure(c exposure.Configured) error { return g.registry.Configure(c) }

// Wake has everything admitted again soon, because what Taken returns has changed. It
// may be called before Start.
func (g *Gateway) Wake() {
	if d := g.awake.Load(); d != nil {
		d.Wake()
	}
}

// Pending returns the servers whose first listing since Start is not over, by name.
func (g *Gateway) Pending() []string {
	if d := g.awake.Load(); d != nil {
		return d.Pending()
	}
	return nil
}

// Retire gives servers that exist once in a cluster to other gateways, and returns when
// they are given, or soon after ctx ends. The gateway goes on working. It may be called
// several times.
func (g *Gateway) Retire(ctx context.Context) {
	if d := g.awake.Load(); d != nil {
		d.Retire(ctx)
	}
}

// Close ends all connections.
func (g *Gateway) Close() {
	g.signins.close()
	if g.stopRescan != nil {
		g.stopRescan()
		g.work.Wait()
	}
	if g.door != nil {
		g.door.Close()
	}
	g.stop()
}
