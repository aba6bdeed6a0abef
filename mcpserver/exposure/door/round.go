package door

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/relay"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/event"
)

// roundFrom makes a round unless one that began after the number was drawn is done
// already: many servers that are listed at once need few rounds.
func (d *Door) roundFrom(number int64) {
	d.rounds.Lock()
	done := d.began >= number
	d.rounds.Unlock()
	if !done {
		d.round()
	}
}

// round brings connections in line with the registry, admits, and publishes.
func (d *Door) round() {
	d.rounds.Lock()
	defer d.rounds.Unlock()
	if d.life.Err() != nil {
		return
	}
	d.began = d.asked.Load()
	d.connect(d.Registry.Now())
	next := exposure.Admit(d.admission())
	d.mu.Lock()
	before := d.offer
	d.offer = next
	d.mu.Unlock()
	d.Publish(next)
	next.Retire(before)
	d.memo.Sweep()
	for _, e := range next.Events {
		d.tell(e)
	}
	d.tellSets(before, next)
	d.tellChanges(d.Registry.Now())
}

func (d *Door) tell(e event.Event) {
	if d.Tell != nil {
		d.Tell(e)
	}
}

// tellSets tells which compositions came and went.
func (d *Door) tellSets(before, next *exposure.Offer) {
	if before == nil {
		return
	}
	for _, s := range next.Sets {
		if s.ID != exposure.Exposed && before.Set(s.ID) == nil {
			d.tell(event.CompositionLifecycle{Composition: s.ID, Phase: event.Enabled})
		}
	}
	for _, s := range before.Sets {
		if s.ID != exposure.Exposed && next.Set(s.ID) == nil {
			d.tell(event.CompositionLifecycle{Composition: s.ID, Phase: event.Disabled})
		}
	}
}

// connect makes an upstream of every enabled registration, and closes those of others.
// Nothing is reached yet, except that a server which is new here is listed.
func (d *Door) connect(view *exposure.View) {
	wanted := map[string]bool{}
	for i := range view.Upstreams {
		r := &view.Upstreams[i]
		if r.State != exposure.Enabled {
			continue
		}
		wanted[r.Name()] = true
		config := r.Reach()
		if u := d.servers.Get(r.Name()); u != nil && configOf(*u.Config()) == configOf(config) {
			continue
		}
		u, err := upstream.New(config, d.Upstreams)
		if err == nil {
			err = d.servers.Put(u)
		}
		d.mu.Lock()
		k := d.known[r.Name()]
		if k == nil || k.config != "" && k.config != configOf(config) {
			k = &known{} // another server: what the old one listed does not count
			d.known[r.Name()] = k
		}
		k.config = configOf(config)
		if err != nil {
			k.why = err.Error()
		}
		d.mu.Unlock()
		if err != nil {
			d.logger().Warn("upstream.not_set_up", "server", r.Name(), "cause", err)
			continue
		}
		if !d.Asleep {
			d.check(u, true)
		}
	}
	for _, u := range d.servers.All() {
		if !wanted[u.Name()] {
			if gone := d.servers.Take(u.Name()); gone != nil {
				d.work.Go(gone.Close) // waits for the server
			}
			d.mu.Lock()
			delete(d.known, u.Name())
			d.mu.Unlock()
		}
	}
}

// admission is everything that decides now.
func (d *Door) admission() exposure.Admission {
	view := d.Registry.Now()
	in := exposure.Admission{
		Exposures: view.Exposures, Compositions: view.Compositions, Damaged: view.Damaged, Pins: d.Ledger.Pins(),
		Taken: d.Taken(), Catalog: d.Catalog, Now: d.Now(), Memo: &d.memo, Before: d.Offer(),
	}
	for _, r := range view.Upstreams {
		s := exposure.Source{Registration: r, LastUsed: d.Registry.LastUsed(r.Name()), Ran: d.ran}
		if u := d.servers.Get(r.Name()); u != nil {
			s.Caller, s.Fresh, s.Accepted, s.Current = u, d.fresh(u), d.accepted, u.Secrets
			s.Relay = relay.Source{Subscribe: u.Subscribe, Unsubscribe: u.Unsubscribe, LogLevel: u.LogLevel}
		}
		d.mu.Lock()
		if k := d.known[r.Name()]; k != nil {
			s.Surface, s.Absent = k.surface, k.why
			s.Secrets = k.secrets.masker(&r.Config, d.Upstreams.Lookup)
		}
		d.mu.Unlock()
		var err error
		s.Scan, err = d.Scores.Of(scans.TargetOf(&r.Config))
		d.unread(r.Name(), err)
		in.Sources = append(in.Sources, s)
	}
	return in
}

// unread tells once for each cause that a server's last scan cannot be read.
func (d *Door) unread(server string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		delete(d.unreadable, server)
		return
	}
	if d.unreadable[server] != err.Error() {
		d.unreadable[server] = err.Error()
		d.logger().Warn("upstream.scan_not_read", "server", server, "cause", err)
	}
}

// ran notes a call that reached a server.
func (d *Door) ran(r exposure.Ran) {
	for _, f := range r.Orders {
		d.tell(event.PoisoningHit{Server: r.Upstream, Tool: r.Tool, Pattern: f.Rule, Text: f.Text})
	}
	if err := d.Registry.Used(d.life, r.Upstream); err != nil && d.life.Err() == nil {
		d.logger().Warn("upstream.use_not_noted", "server", r.Upstream, "cause", err)
	}
}

// changed hears from servers. It must not wait.
func (d *Door) changed(c upstream.Change) {
	if c.Updated != "" && d.Updated != nil {
		d.Updated(c.Upstream, c.Updated)
	}
	if u := d.servers.Get(c.Upstream); u != nil && (c.Tools || c.Resources || c.Prompts || c.Reconnected) {
		d.check(u, true)
	}
}

// relist checks the servers whose lists are over time, by their own word or by ours.
func (d *Door) relist() {
	now := d.Now()
	for _, u := range d.servers.All() {
		d.mu.Lock()
		k := d.known[u.Name()]
		due := k != nil && k.checking == nil && (now.Sub(k.listed) >= d.Every || k.surface != nil && k.surface.Stale(now) && now.Sub(k.listed) >= tick)
		d.mu.Unlock()
		if due {
			d.check(u, false)
		}
	}
}

// check lists a server in the background. changed says that calls must wait for it. A
// change during a listing has it done once more.
func (d *Door) check(u *upstream.Upstream, changed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k := d.known[u.Name()]
	if k == nil || d.life.Err() != nil {
		return
	}
	k.sure = k.sure && !changed
	if k.checking != nil {
		k.again = k.again || changed
		return
	}
	d.start(u, k)
}

// start begins a listing. The caller holds d.mu.
func (d *Door) start(u *upstream.Upstream, k *known) {
	k.checking = make(chan struct{})
	d.work.Add(1)
	go d.checkUntilCalm(u, k)
}

// maxAgain bounds how often a server that changes all the time is listed in a row; the
// next tick goes on.
const maxAgain = 3

func (d *Door) checkUntilCalm(u *upstream.Upstream, k *known) {
	defer d.work.Done()
	for n := 0; ; n++ {
		select {
		case d.slots <- struct{}{}:
			if _, err := d.list(d.life, u); err != nil && d.life.Err() == nil {
				d.logger().Warn("upstream.not_listed", "server", u.Name(), "cause", err)
			}
			<-d.slots
		case <-d.life.Done():
		}
		d.roundFrom(d.asked.Add(1))
		d.mu.Lock()
		calm := !k.again || n == maxAgain || d.life.Err() != nil
		k.again, k.tried = false, true
		if calm {
			close(k.checking)
			k.checking = nil
		}
		d.mu.Unlock()
		if calm {
			return
		}
	}
}

// list asks a server for what it has, and has its tools pinned. The round that follows
// admits them.
func (d *Door) list(ctx context.Context, u *upstream.Upstream) (*upstream.Surface, error) {
	s, err := u.Refresh(ctx)
	config := configOf(*u.Config())
	d.mu.Lock()
	k := d.known[u.Name()]
	if k == nil || k.config != config {
		d.mu.Unlock()
		return s, err // it was removed meanwhile, or is another one now
	}
	k.listed = d.Now()
	if err != nil {
		// What was listed before still counts: its tools are pinned as they were, and a
		// call says by itself that the server is away.
		k.why, k.sure = err.Error(), false
		d.mu.Unlock()
		return nil, err
	}
	k.surface, k.why = s, ""
	again := k.again
	d.mu.Unlock()
	// Kept first: what is offered once is offered after the next start.
	if err := d.Registry.Keep(ctx, u.Name(), s); err != nil {
		d.logger().Warn("upstream.not_kept", "server", u.Name(), "cause", err)
	}
	if err := d.pin(ctx, u.Name()); err != nil {
		return s, err
	}
	d.mu.Lock()
	k.sure = !again && !k.again
	d.mu.Unlock()
	return s, nil
}

// pin has the ledger take in what a server lists now.
func (d *Door) pin(ctx context.Context, name string) error {
	r := d.Registry.Now().Upstream(name)
	if r == nil {
		return nil
	}
	policy := ledger.Policy{TrustFirst: r.Policy.FirstSight == exposure.Trust, PassCosmetic: r.Policy.Cosmetic == exposure.PassCosmetic}
	before := d.Registry.WasSighted(name)
	events, err := d.Ledger.Observe(ctx, name, exposure.Sightings(d.admission(), name), policy, before)
	for _, e := range events {
		d.tell(e)
	}
	if err != nil || before {
		return err
	}
	return d.Registry.Sighted(ctx, name)
}

// fresh returns what calls ask first: whether what was listed still holds. As long as
// nothing speaks against it that costs one lock. Otherwise it waits for the server to be
// listed again, and admitted.
func (d *Door) fresh(u *upstream.Upstream) func(context.Context) error {
	return func(ctx context.Context) error {
		d.mu.Lock()
		k := d.known[u.Name()]
		if k == nil || k.sure {
			d.mu.Unlock()
			return nil // a server that is gone has no tools; the call finds out
		}
		if k.checking == nil && d.life.Err() == nil {
			d.start(u, k)
		}
		checking := k.checking
		d.mu.Unlock()
		if checking == nil {
			return context.Cause(d.life)
		}
		late := time.NewTimer(patience)
		defer late.Stop()
		select {
		case <-checking:
		case <-ctx.Done():
			return ctx.Err()
		case <-late.C:
			return errors.New("it takes too long to list its tools")
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if !k.sure {
			return fmt.Errorf("its tools cannot be listed: %s", cmp.Or(k.why, "they change all the time"))
		}
		return nil
	}
}

// logger returns where the door writes; docs/telemetry.md lists what.
func (d *Door) logger() *slog.Logger { return d.Log }

// accepted asks the registry about the server and the set of what is called, and the ledger
// about the definition that a tool was offered with. The offer follows them a moment later; a
// call that comes first is stopped here. What is no tool has no pin.
func (d *Door) accepted(ctx context.Context, o exposure.Origins) error {
	stands, err := d.Registry.Stands(ctx, o.Upstream, o.Set)
	if err == nil {
		err = d.Scores.Fresh(ctx) // a scan elsewhere may have withheld the server
	}
	switch {
	case err != nil:
		return err
	case !stands:
		return ledger.ErrNotAccepted
	case o.Pin == "":
		return nil
	}
	return d.Ledger.Accepted(ctx, o.Upstream, o.Tool, o.Pin)
}
