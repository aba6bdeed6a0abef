package approve_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
	"github.com/glovebox-run/glovebox/risk"
)

// BenchmarkAsking is a question that is asked, answered and used, at one of two servers that
// share three members of the store, while other questions are open: bytes and messages over
// the connections of both for each. Somebody follows the questions at the other server, as
// the console and whoever sends notices do.
func BenchmarkAsking(b *testing.B) {
	for _, open := range []struct{ own, others int }{{0, 0}, {7, 0}, {0, 40}, {0, 400}, {7, 400}} {
		b.Run(fmt.Sprintf("open=%d/others=%d", open.own, open.others), func(b *testing.B) {
			members := natstest.Three(b)
			var stores [2]*store.Store
			var desks [2]*approve.Desk
			for i := range stores {
				s, err := store.Connect(b.Context(), store.Cluster{URL: natstest.URL(members...), Replicas: 3})
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(s.Close)
				stores[i], desks[i] = s, deskIn(b, s, &clock{})
			}
			call := func(principal string, n int) approve.Question {
				q := question(theCall())
				q.Principal, q.Call.Arguments = principal, risk.HashArguments(fmt.Append(nil, n))
				q.Arguments, q.Text = fmt.Appendf(nil, `{"n":%d}`, n), strings.Repeat("What the call does. ", 30)
				return q
			}
			for n := range open.own + open.others {
				principal := "one"
				if n >= open.own {
					principal = fmt.Sprint("other", n/8)
				}
				if _, _, err := desks[0].Ask(b.Context(), call(principal, n)); err != nil {
					b.Fatal(err)
				}
			}
			follow(b, desks[1])
			traffic := func() (bytes, messages uint64) {
				for _, s := range stores {
					t := s.Traffic()
					bytes, messages = bytes+t.BytesIn+t.BytesOut, messages+t.MessagesIn+t.MessagesOut
				}
				return bytes, messages
			}
			round := func(n int) {
				q := call("one", 1000+n)
				if _, granted, err := desks[0].Granted(b.Context(), q.Call); err != nil || granted {
					b.Fatal(granted, err)
				}
				_, state, err := desks[0].Ask(b.Context(), q)
				if err == nil {
					_, err = desks[0].Answer(b.Context(), state, q.Call, approve.Approved, false)
				}
				if err != nil {
					b.Fatal(err)
				}
				if _, granted, err := desks[0].Use(b.Context(), q.Call); err != nil || !granted {
					b.Fatal(granted, err)
				}
			}
			for n := range 20 { // as many closed ones as are kept
				round(n)
			}
			bytes, messages := traffic()
			n := 20
			for b.Loop() {
				round(n)
				n++
			}
			time.Sleep(50 * time.Millisecond)
			bytesAfter, messagesAfter := traffic()
			b.ReportMetric(float64(bytesAfter-bytes)/float64(b.N)/1000, "KB")
			b.ReportMetric(float64(messagesAfter-messages)/float64(b.N), "messages")
		})
	}
}

// follow lists the questions after each change until the benchmark ends.
func follow(tb testing.TB, d *approve.Desk) {
	tb.Helper()
	ctx, stop := context.WithCancel(context.Background())
	changes, err := d.Changes(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range changes {
			if _, err := d.List(ctx); err != nil && ctx.Err() == nil {
				tb.Error(err)
			}
		}
	}()
	tb.Cleanup(func() { stop(); <-done })
}

// BenchmarkManyPrincipals is questions of 24 principals at once at one server, each asked,
// answered and used, against those of one principal, by turns: how many times as many in the
// same time.
func BenchmarkManyPrincipals(b *testing.B) {
	s, err := store.Connect(b.Context(), store.Cluster{URL: natstest.URL(natstest.Three(b, func(o *server.Options) { o.SyncAlways = true })...), Replicas: 3})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	desk, n := deskIn(b, s, &clock{}), 0
	rounds := func(principals int) time.Duration {
		const questions = 48
		began := time.Now()
		var work sync.WaitGroup
		for p := range principals {
			from := n
			n += questions / principals
			work.Go(func() {
				for i := range questions / principals {
					q := question(theCall())
					q.Principal, q.Call.Arguments = fmt.Sprint("principal ", p), risk.HashArguments(fmt.Append(nil, from+i))
					_, state, err := desk.Ask(b.Context(), q)
					if err == nil {
						_, err = desk.Answer(b.Context(), state, q.Call, approve.Approved, false)
					}
					if _, granted, used := desk.Use(b.Context(), q.Call); err != nil || used != nil || !granted {
						b.Error(err, used, granted)
						return
					}
				}
			})
		}
		work.Wait()
		return time.Since(began)
	}
	rounds(24)
	var one, many time.Duration
	for b.Loop() {
		one += rounds(1)
		many += rounds(24)
	}
	b.ReportMetric(float64(one)/float64(many), "times-one")
	b.ReportMetric(0, "ns/op")
}
