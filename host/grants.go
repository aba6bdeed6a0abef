package host

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/host/internal/intl"
	"github.com/glovebox-run/glovebox/host/internal/parse"
	"github.com/glovebox-run/glovebox/host/internal/subtle"
	"github.com/glovebox-run/glovebox/host/internal/text"
	"github.com/glovebox-run/glovebox/host/internal/web"
	"github.com/glovebox-run/glovebox/host/netguard"
)

// capabilities are what the handlers of one call hold. A field is nil when its
// plan does not grant it.
type capabilities struct {
	files *files.Access
	web   *web.Client

	// What every call has: state that ends with it, and randomness.
	random   io.Reader
	keys     *subtle.Store
	html     *parse.HTML
	decoders *text.Decoders
	intl     *intl.Session
}

// Grants are the capabilities of one call of one tool. They are valid until Close.
type Grants struct {
	table   *Table
	journal *journal
	closers []func()
	minted  time.Time

	// ended is done when the grants were revoked.
	ended  context.Context
	revoke context.CancelFunc

	mu       sync.Mutex
	closed   bool
	inFlight int
	idle     sync.Cond // inFlight fell to zero
	left     Budget
}

var (
	errRevoked     = errors.New("host: the grants of this call were revoked")
	errNoOperation = errors.New("host: no such operation was granted")
)

// Mint creates the grants for one call: exactly what the posture asks for, from what
// the world holds. A posture that asks for more is an error, because a tool must not
// run with less than it was scored for.
func Mint(p catalog.Posture, w World) (*Grants, error) {
	pl, err := planOf(p)
	if err != nil {
		return nil, err
	}
	g := &Grants{journal: newJournal(), minted: time.Now(), left: w.Budget.withDefaults()}
	g.idle.L = &g.mu
	g.ended, g.revoke = context.WithCancel(context.Background())
	random := w.Random
	if random == nil {
		random = rand.Reader
	}
	caps := capabilities{random: random, keys: subtle.New(random), html: parse.NewHTML(), decoders: text.NewDecoders(), intl: new(intl.Session)}
	if pl.anyFiles() {
		if caps.files, err = files.Open(pl.files, w.Workspace, w.ReadRoots); err == nil {
			g.closers = append(g.closers, caps.files.Close)
		}
	}
	if err == nil && pl.fetch {
		err = caps.grantFetch(g, pl, w)
	}
	if err != nil {
		g.Close()
		return nil, fmt.Errorf("mint: %w", err)
	}
	g.table = &Table{grants: g, rows: make(map[string]row, len(operations))}
	for _, op := range operations {
		if op.needs(pl) {
			g.table.rows[op.name] = row{op.bind(&caps), op.waits, op.cost.rate}
		}
	}
	for _, f := range w.Functions.granted(pl) {
		g.table.rows[f.Name] = row{f.handle, f.Waits, f.Rate}
	}
	return g, nil
}

func (c *capabilities) grantFetch(g *Grants, pl plan, w World) error {
	if w.Resolve == nil || w.Dial == nil {
		return errors.New("the posture asks for the network, which this host does not lend")
	}
	if pl.open && !w.AllowOpen {
		return errors.New("the posture asks for network mode open, which this host's ceiling forbids")
	}
	denied, err := netguard.ParseHostSet(w.DeniedHosts)
	if err != nil {
		return err
	}
	guard := &netguard.Guard{Resolve: w.Resolve, Dial: w.Dial, Hosts: pl.hosts, Denied: denied, Private: pl.open}
	c.web = web.New(guard, w.RootCAs, g.journal.reached)
	g.closers = append(g.closers, c.web.Close)
	return nil
}

// Table returns the calls that these grants allow.
func (g *Grants) Table() *Table { return g.table }

// Transcript returns what was asked so far.
func (g *Grants) Transcript() Transcript { return g.journal.transcript() }

// Close revokes the grants: calls in progress are cancelled and waited for, later ones
// fail. It may be called more than once.
func (g *Grants) Close() error {
	g.mu.Lock()
	first := !g.closed
	g.closed = true
	g.revoke()
	for g.inFlight > 0 {
		g.idle.Wait()
	}
	g.mu.Unlock()
	if first {
		for _, c := range g.closers {
			c()
		}
	}
	return nil
}

// enter admits one call, charges it to the budget and returns the remaining time.
func (g *Grants) enter(bytes int) (time.Duration, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return 0, errRevoked
	}
	g.left.Calls--
	g.left.Bytes -= int64(bytes)
	if err := g.overspent(); err != nil {
		return 0, err
	}
	g.inFlight++
	return g.left.Time, nil
}

// leave ends a call that was admitted. It reports a reply that overspends.
func (g *Grants) leave(bytes int, took time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inFlight--; g.inFlight == 0 {
		g.idle.Broadcast()
	}
	g.left.Bytes -= int64(bytes)
	g.left.Time -= took
	if g.left.Bytes < 0 {
		return g.overspent()
	}
	return nil
}

func (g *Grants) overspent() error {
	var reason string
	switch {
	case g.left.Calls < 0:
		reason = "call-budget-spent"
	case g.left.Bytes < 0:
		reason = "byte-budget-spent"
	case g.left.Time <= 0:
		reason = "time-budget-spent"
	default:
		return nil
	}
	return hostcall.Errorf(hostcall.Runtime, "host", reason, "this call has used up what it may ask of the host")
}

// Table is the complete list of calls that one guest may make.
type Table struct {
	grants *Grants
	rows   map[string]row
}

type row struct {
	handle hostcall.Handler
	waits  bool
	rate   budget.Rate
}

// Operations returns the sorted names of the rows.
func (t *Table) Operations() []string { return slices.Sorted(maps.Keys(t.rows)) }

// Call serves one operation. It may be called from several goroutines. An *Error
// is for the guest; any other error is for the host alone and ends the call. When
// the account is exhausted, that is the error, whatever the handler made of it.
func (t *Table) Call(ctx context.Context, account *budget.Account, op string, text, blob []byte) (rtext, rblob []byte, err error) {
	row, ok := t.rows[op]
	if !ok {
		return nil, nil, fmt.Errorf("%w: %q", errNoOperation, op)
	}
	// Since reads one clock where Now reads two, and that is a sixth of an empty
	// call.
	start := time.Since(t.grants.minted)
	left, err := t.grants.enter(len(text) + len(blob))
	if err != nil {
		t.grants.journal.ended(op, err, 0, 0, 0)
		return nil, nil, err
	}
	defer func() { // also when the handler panics, or Close would wait forever
		if err == nil {
			err = row.rate.End(account, len(rtext)+len(rblob))
		}
		if exhausted := account.Err(); exhausted != nil {
			err = exhausted
		}
		took := time.Since(t.grants.minted) - start
		if over := t.grants.leave(len(rtext)+len(rblob), took); err == nil {
			err = over
		}
		if err != nil {
			rtext, rblob = nil, nil
		}
		t.grants.journal.ended(op, err, len(text)+len(blob), len(rtext)+len(rblob), took)
	}()
	if err := row.rate.Begin(account, len(text)+len(blob)); err != nil {
		return nil, nil, err
	}
	return t.serve(ctx, account, row, text, blob, left)
}

func (t *Table) serve(ctx context.Context, account *budget.Account, r row, text, blob []byte, left time.Duration) ([]byte, []byte, error) {
	if !r.waits {
		return r.handle(ctx, account, text, blob)
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	defer context.AfterFunc(t.grants.ended, cancel)()
	return r.handle(ctx, account, text, blob)
}
