package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/files"
)

// stage is a world in which every operation is granted.
type stage struct {
	world World
	dir   string
	body  atomic.Pointer[string] // what http.fetch is answered with
}

func newStage(t testing.TB) *stage {
	t.Helper()
	s := &stage{dir: t.TempDir()}
	s.body.Store(new(string))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, *s.body.Load()) }))
	t.Cleanup(server.Close)
	space, err := files.OpenWorkspace(s.dir, files.Quota{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { space.Close() })
	s.world = World{
		Workspace: space, AllowOpen: true,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network string, _ netip.AddrPort) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		},
	}
	return s
}

func (s *stage) reset(t testing.TB, op, content string) {
	t.Helper()
	s.body.Store(&content)
	if !strings.HasPrefix(op, "fs.") {
		return
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(s.dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(s.dir, "f"), []byte(content), 0o600), os.Mkdir(filepath.Join(s.dir, "d"), 0o700)); err != nil {
		t.Fatal(err)
	}
}

// outcome is what a call came to.
type outcome struct {
	in, out int
	fuel    uint64
	err     error
	took    time.Duration // of the processor
	gap     time.Duration // the longest without a look at the context
}

const (
	hostileFuel   = 20_000_000_000
	hostileMemory = 24 << 20
)

var everyPosture = catalog.Posture{FileRead: true, FileWrite: true, Destructive: true, Network: catalog.NetworkOpen}

// try makes the calls of a probe with an account for all of them.
func (s *stage) try(t testing.TB, op string, p probe, content string) outcome {
	t.Helper()
	s.reset(t, op, content)
	g, err := Mint(everyPosture, s.world)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx := &watched{Context: context.Background(), last: threadTime()}
	ledger := budget.NewLedger(hostileMemory, 0)
	o := outcome{}
	calls := p.calls(op, content)
	for i, c := range calls {
		a := ledger.Open(ctx, hostileFuel-o.fuel)
		start := threadTime()
		ctx.last = start
		text, blob, err := g.Table().Call(ctx, a, c.op, []byte(c.text), []byte(c.blob))
		ctx.look()
		o.took += threadTime() - start
		o.fuel += a.Settle()
		a.Close()
		o.in += len(c.text) + len(c.blob)
		if i == len(calls)-1 || err != nil {
			o.out, o.err = len(text)+len(blob), err
		}
		if a.Err() != nil {
			break
		}
	}
	o.in += len(content)
	o.gap = ctx.gap
	return o
}

// watched is a context that notes the processor time between looks at it.
type watched struct {
	context.Context
	last, gap time.Duration
}

func (w *watched) Err() error { w.look(); return nil }

func (w *watched) look() {
	now := threadTime()
	w.gap = max(w.gap, now-w.last)
	w.last = now
}

func TestEveryOperationHasAProbe(t *testing.T) {
	known := map[string]bool{}
	for _, op := range operations {
		known[op.name] = true
		if len(probes[op.name]) == 0 {
			t.Errorf("%s is not tried with hostile arguments", op.name)
		}
	}
	for name := range probes {
		if !known[name] {
			t.Errorf("there is no operation %s", name)
		}
	}
}

// Bars of a call. The processor's time is that of one thread, so a busy machine
// does not count; the bars leave room for slower ones.
const (
	// A unit of fuel stands for an eighth of a nanosecond. A call whose units take
	// ten times as long escapes its budget.
	slowestUnit = 1.25 // ns
	// What the meter does not see: opening files and connections, the first use of
	// tables.
	unmetered = 60 * time.Millisecond
	// A limit of one second is kept within 1.2 times.
	longestGap = 200 * time.Millisecond
	// Replies grow with what is sent, by at most so much a byte: an empty element of
	// XML, <b/>, is 45 bytes of JSON.
	mostGrowth, freeBytes = 48, 192 << 10
	// Beyond the limit, in bytes.
	memoryRoom = 32 << 20
)

// Every operation gets every shape, growing. Whatever it makes of it, it ends
// within its budget, charges for what it does, and neither its reply nor its
// charge grows faster than what it was given.
func TestNoOperationEscapesItsBudget(t *testing.T) {
	size, tried := 32<<10, shapes
	if slowdown > 1 { // the race detector looks for something else, and takes its time
		size, tried = 2<<10, shapes[:12]
	}
	s := newStage(t)
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	heap := watchHeap(t)
	for _, op := range operations {
		for n, p := range probes[op.name] {
			for _, sh := range tried {
				if !p.depends(op.name) && sh.name != shapes[0].name {
					break
				}
				name := fmt.Sprintf("%s, probe %d, %s", op.name, n, sh.name)
				o := s.try(t, op.name, p, sh.of(size))
				checkOutcome(t, name, p, o)
				if o.fuel < cheap || !guestSees(o.err) {
					continue
				}
				quarter := s.try(t, op.name, p, sh.of(size/4))
				checkOutcome(t, name+", a quarter", p, quarter)
				if tooSteep(quarter, o) {
					t.Errorf("%s: %d units after %d for a quarter of the bytes", name, o.fuel, quarter.fuel)
				}
			}
		}
		if peak := heap.take(); peak > hostileMemory+memoryRoom {
			t.Errorf("%s: the process has grown by %d MiB", op.name, peak>>20)
		}
	}
}

// tooSteep reports whether work grew faster than what it was done for, by more
// than half: what is done at a small size includes what any size needs. Work that
// was stopped at its limit may be as dear as it likes. Small sizes are not
// compared: pages are quadratic up to the 512 elements that may be open.
func tooSteep(before, after outcome) bool {
	grown := float64(after.in) / float64(max(1, before.in)) * 1.5
	return float64(after.fuel) > float64(before.fuel)*grown
}

// cheap is the fuel, 6 ms, below which nobody asks how it grew.
const cheap = 50_000_000

// guestSees reports whether a call ends in a way that the guest can go on after.
func guestSees(err error) bool { return err == nil || guestCatches(err) }

func guestCatches(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

func checkOutcome(t testing.TB, name string, p probe, o outcome) {
	t.Helper()
	if o.err != nil && !guestCatches(o.err) && !errors.Is(o.err, budget.ErrFuel) && !errors.Is(o.err, budget.ErrMemory) {
		t.Errorf("%s: %v", name, o.err)
	}
	if allowed := slowdown * (time.Duration(float64(o.fuel)*slowestUnit) + unmetered); o.took > allowed {
		t.Errorf("%s: %v of work for %d units", name, o.took, o.fuel)
	}
	if o.gap > slowdown*longestGap {
		t.Errorf("%s: %v without a look at the deadline", name, o.gap)
	}
	if o.out > mostGrowth*o.in+p.declared+freeBytes {
		t.Errorf("%s: %d bytes in, %d out", name, o.in, o.out)
	}
}

// heapWatch samples how much memory is in use.
type heapWatch struct {
	base uint64
	peak atomic.Uint64
}

func watchHeap(t testing.TB) *heapWatch {
	runtime.GC()
	w := &heapWatch{base: heapInUse()}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				if now := heapInUse(); now > w.peak.Load() {
					w.peak.Store(now)
				}
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
	return w
}

// take returns the most that was in use beyond the beginning, and begins anew.
func (w *heapWatch) take() uint64 {
	peak := w.peak.Swap(0)
	return peak - min(peak, w.base)
}

func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// A call that runs out of fuel does so at the same point every time.
func TestChargesAreRepeatable(t *testing.T) {
	s := newStage(t)
	for _, op := range operations {
		switch op.name {
		case "http.fetch", "crypto.generateKey", "crypto.importKey": // chance is part of them: chunks of the network, primes
			continue
		}
		for n, p := range probes[op.name] {
			for _, sh := range shapes[:8] {
				content := sh.of(3000)
				a, b := s.try(t, op.name, p, content), s.try(t, op.name, p, content)
				if a.fuel != b.fuel {
					t.Errorf("%s, probe %d, %s: %d units, then %d", op.name, n, sh.name, a.fuel, b.fuel)
				}
			}
		}
	}
}
