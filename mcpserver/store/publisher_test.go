package store_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

var records = store.StreamConfig{Name: "records", Subject: "records.all"}

func stream(t *testing.T, s *store.Store) *store.Stream {
	t.Helper()
	to, err := s.Stream(t.Context(), records)
	ok(t, err)
	return to
}

// published returns what reached a server, in order.
func published(t *testing.T, url string, n int) (all []string) {
	t.Helper()
	conn, err := nats.Connect(url)
	ok(t, err)
	defer conn.Close()
	js, err := conn.JetStream()
	ok(t, err)
	from, err := js.SubscribeSync(records.Subject, nats.OrderedConsumer())
	ok(t, err)
	for range n {
		m, err := from.NextMsg(10 * time.Second)
		ok(t, err)
		all = append(all, string(m.Data))
	}
	return all
}

// TestRecordsArriveInOrder: also those offered before the cluster was connected.
func TestRecordsArriveInOrder(t *testing.T) {
	everywhere(t, func(t *testing.T, s *store.Store) {
		p := store.NewPublisher(nil, func(n int) { t.Errorf("%d records are lost", n) })
		p.Offer([]byte("early"))
		p.Start(stream(t, s))
		reused := make([]byte, 4)
		for i := range 1000 {
			copy(reused, fmt.Sprintf("%04d", i))
			p.Offer(reused)
		}
		for n := uint64(0); n < 1001; {
			var err error
			n, err = stream(t, s).Len(t.Context())
			ok(t, err)
		}
		p.Close()
	})
}

// TestAClusterThatComesBack: after an outage the cluster has every record once, in
// order.
func TestAClusterThatComesBack(t *testing.T) {
	dir := t.TempDir()
	first := cluster(t, func(o *server.Options) { o.StoreDir = dir })
	url, port := first.ClientURL(), first.Addr().(*net.TCPAddr).Port
	p := store.NewPublisher(nil, func(n int) { t.Errorf("%d records are lost", n) })
	p.Start(stream(t, connect(t, url)))
	var want []string
	offer := func(from int) {
		for i := range 50 {
			want = append(want, fmt.Sprint(from+i))
			p.Offer([]byte(want[len(want)-1]))
		}
	}
	offer(0)
	first.Shutdown()
	first.WaitForShutdown()
	offer(50)
	cluster(t, func(o *server.Options) { o.StoreDir, o.Port = dir, port })
	offer(100)
	got := published(t, url, len(want))
	p.Close()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestNobodyWaitsForTheCluster: records that do not fit are lost, and counted.
func TestNobodyWaitsForTheCluster(t *testing.T) {
	var lost atomic.Int64
	p := store.NewPublisher(nil, func(n int) { lost.Add(int64(n)) })
	for i := range 5000 {
		p.Offer(fmt.Append(nil, i))
	}
	if n := lost.Load(); n != 5000-4096 {
		t.Errorf("%d are lost", n)
	}
	gone := cluster(t, nil)
	to := stream(t, connect(t, gone.ClientURL()))
	gone.Shutdown()
	gone.WaitForShutdown()
	p.Start(to)
	p.Close()
	if n := lost.Load(); n != 5000 {
		t.Errorf("in the end %d are lost", n)
	}
}

// TestAFullStreamIsSaid: it pushes no record out, and what it does not take is logged
// and counted. When its operators make it larger, the records that waited come.
func TestAFullStreamIsSaid(t *testing.T) {
	everywhere(t, func(t *testing.T, s *store.Store) {
		to, err := s.Stream(t.Context(), store.StreamConfig{Name: "small", Subject: "small", MaxBytes: 10_000, MaxAge: time.Hour})
		ok(t, err)
		var lost atomic.Int64
		var said bytes.Buffer
		p := store.NewPublisher(slog.New(slog.NewTextHandler(&said, nil)), func(n int) { lost.Add(int64(n)) })
		for i := range 20 {
			p.Offer(fmt.Appendf(nil, "%01000d", i))
		}
		p.Start(to)
		p.Close()
		kept, err := to.Len(t.Context())
		ok(t, err)
		if kept == 0 || kept > 10 || int64(kept)+lost.Load() != 20 {
			t.Errorf("%d are kept, %d are lost", kept, lost.Load())
		}
		if !strings.Contains(said.String(), "store-full") || !strings.Contains(said.String(), "bounds") {
			t.Errorf("said: %s", said.String())
		}
	})
}
