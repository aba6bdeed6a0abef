package upstream_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// A watched set connects a server again after it died, so that its changes are heard, and
// never reaches one that was not needed.
func TestWatch(t *testing.T) {
	var reached atomic.Int64
	idle := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer idle.Close()
	reconnected := make(chan upstream.Change, 10)
	o := options()
	o.Changed = func(c upstream.Change) { reconnected <- c }
	set := &upstream.Set{}
	dying := hostile(t, "dies", "stdio legacy")
	silent := hostile(t, "silence", "json legacy")
	silent.Name = "silent"
	for _, c := range []upstream.Config{dying, silent, {Name: "idle", Kind: upstream.HTTP, URL: idle.URL, AllowPrivate: true}} {
		u, err := upstream.New(c, o)
		if err == nil {
			err = set.Put(u)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	defer set.Close()
	ctx := t.Context()
	go set.Watch(ctx, 10*time.Millisecond)
	u := set.Get("hostile")
	if got := outcome(u.Call(ctx, toolCall("bad", nil))); got != "broken" {
		t.Error(got)
	}
	if c := <-reconnected; !c.Reconnected || c.Upstream != "hostile" {
		t.Errorf("%+v", c)
	}
	until(t, "connected", func() bool { return u.Status().Connected })
	if reached.Load() > 0 {
		t.Error("a server that nobody needed was reached")
	}
	set.Remove("hostile")
	if got := outcome(u.Call(ctx, toolCall("fine", nil))); got != "gone" || set.Get("hostile") != nil || len(set.All()) != 2 {
		t.Errorf("%s", got)
	}
}

// Calls one after the other use the same connections.
func TestConnectionsAreUsedAgain(t *testing.T) {
	for _, stream := range []bool{false, true} {
		var opened atomic.Int64
		served := httptest.NewUnstartedServer(misbehaveOnHTTP("", stream))
		served.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				opened.Add(1)
			}
		}
		served.Start()
		u := open(t, upstream.Config{Name: "h", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true}, options())
		for range 100 {
			if got := outcome(u.Call(t.Context(), toolCall("fine", nil))); got != "ok" {
				t.Fatal(got)
			}
		}
		// A call may begin before the body of the one before has ended.
		if n := opened.Load(); n > 10 {
			t.Errorf("%d connections for 100 calls", n)
		}
		u.Close()
		served.Close()
	}
}
