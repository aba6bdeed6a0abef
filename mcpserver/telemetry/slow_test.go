package telemetry_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// stuck is an exporter that takes spans and never acknowledges them.
type stuck struct{ exports atomic.Int32 }

func (s *stuck) ExportSpans(ctx context.Context, _ []sdktrace.ReadOnlySpan) error {
	s.exports.Add(1)
	<-ctx.Done()
	return ctx.Err()
}

func (s *stuck) Shutdown(context.Context) error { return nil }

// TestAReceiverThatHangsDelaysNothing makes more calls than the queue holds. The
// clock of the bubble advances only when every goroutine waits.
func TestAReceiverThatHangsDelaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &sink{}
		hangs := &stuck{}
		seen, err := telemetry.OpenWith(t.Context(), telemetry.Config{}, "test", log, hangs)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		subject := seen.Upstream(telemetry.Upstream{Alias: "one", Final: mcp.L1})
		for range 10_000 {
			c := subject.Begin("AAAAAAAA", telemetry.Origin{})
			c.Ended(&governed.Result{})
			c.End()
		}
		if waited := time.Since(began); waited != 0 {
			t.Errorf("calls waited for %s", waited)
		}
		synctest.Wait()
		if hangs.exports.Load() == 0 {
			t.Fatal("nothing was exported")
		}
		began = time.Now()
		if err := seen.Close(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("closed with %v", err)
		}
		if waited := time.Since(began); waited != 2*time.Second {
			t.Errorf("closing took %s", waited)
		}
		// The bubble fails if a goroutine remains.
	})
}

// TestAReceiverThatIsDownIsSaidOnce: one line, not one for every batch.
func TestAReceiverThatIsDownIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &sink{}
		seen, err := telemetry.OpenWith(t.Context(), telemetry.Config{LogFormat: "json"}, "test", log, refusing{})
		if err != nil {
			t.Fatal(err)
		}
		subject := seen.Upstream(telemetry.Upstream{Alias: "one", Final: mcp.L1})
		began := time.Now()
		for time.Since(began) < 150*time.Second {
			c := subject.Begin("AAAAAAAA", telemetry.Origin{})
			c.Ended(&governed.Result{})
			c.End()
			time.Sleep(time.Second)
		}
		if n := strings.Count(log.String(), "spans.not_received"); n != 3 {
			t.Errorf("said %d times in two and a half minutes", n)
		}
		f := fixture{seen: seen}
		if text := f.metrics(t); !strings.Contains(text, `glovebox_spans_total{result="failed"}`) {
			t.Error("the failures are not counted")
		}
		if err := seen.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

type refusing struct{}

func (refusing) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error {
	return errors.New("connection refused")
}
func (refusing) Shutdown(context.Context) error { return nil }

// TestNothingIsLeft closes telemetry whose receiver works, hangs or is absent, over
// real connections, and counts goroutines.
func TestNothingIsLeft(t *testing.T) {
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer hanging.Close()
	defer close(release)
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	before := runtime.NumGoroutine()
	for name, url := range map[string]string{"works": newReceiver(t).URL, "hangs": hanging.URL, "is gone": "http://" + gone.Addr().String()} {
		seen, err := telemetry.Open(context.Background(), telemetry.Config{Endpoint: url}, "test", io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		c := seen.Upstream(telemetry.Upstream{Alias: "one", Final: mcp.L1}).Begin("AAAAAAAA", telemetry.Origin{})
		c.Ended(&governed.Result{})
		c.End()
		ctx, cancel := context.WithCancel(t.Context())
		if name != "works" {
			cancel() // the operator does not wait; the two seconds are tested above
		}
		if err := seen.Close(ctx); (err == nil) != (name == "works") {
			t.Errorf("the receiver %s: closed with %v", name, err)
		}
		cancel()
	}
	http.DefaultClient.CloseIdleConnections()
	after := 0
	for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(5 * time.Millisecond) {
		// Each of the three exporters keeps one connection to a working receiver: two
		// goroutines on each side.
		if after = runtime.NumGoroutine(); after <= before+2+3*4 {
			return
		}
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines before, %d after\n%s", before, after, stacks[:runtime.Stack(stacks, true)])
}

// TestNilObservesNothing: a server without telemetry makes the same calls on nil.
func TestNilObservesNothing(t *testing.T) {
	var none *telemetry.Telemetry
	none.Logger().Error("nobody reads this")
	none.Learn(nil, []string{"secret"})
	none.TurnedAway("rate")
	none.Unpublished(1)
	if none.Metrics() != nil || none.Watch(telemetry.Gauges{}) != nil || none.Close(t.Context()) != nil {
		t.Error("nothing does something")
	}
	c := none.Upstream(telemetry.Upstream{}).Begin("", telemetry.Origin{})
	c.Asked()
	c.Answered("approved", 0)
	c.Ended(&governed.Result{})
	c.End()
}
