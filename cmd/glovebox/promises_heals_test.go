//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// mostOurs is how long after its quorum is back everything should work again.
const mostOurs = 5 * time.Second

// healed is how long after a fault was put right a leader of each bucket had a write
// acknowledged by a majority, and every server did everything again.
type healed struct {
	quorum, all time.Duration
	said        string // what the servers said meanwhile, a line for each other answer
}

// ours is what the servers took beyond what the cluster took.
func (h healed) ours() time.Duration { return max(h.all-h.quorum, 0) }

// quorum asks the members themselves, past the links and the servers.
type quorum struct {
	t       testing.TB
	members []*nats.Conn
	buckets []string
}

func newQuorum(t testing.TB, members *natstest.Apart) *quorum {
	t.Helper()
	q := &quorum{t: t}
	for _, url := range members.Direct() {
		// One connection to each: whoever knows only one address waits for that one.
		conn, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.ReconnectJitter(0, 0),
			nats.ReconnectBufSize(-1), nats.PingInterval(time.Second), nats.MaxPingsOutstanding(1), nats.Timeout(time.Second), nats.IgnoreDiscoveredServers())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		q.members = append(q.members, conn)
	}
	js, err := jetstream.New(q.members[0])
	if err != nil {
		t.Fatal(err)
	}
	names := js.KeyValueStoreNames(t.Context())
	for name := range names.Name() {
		q.buckets = append(q.buckets, name)
	}
	if err := names.Error(); err != nil || len(q.buckets) == 0 {
		t.Fatalf("buckets: %v, %v", q.buckets, err)
	}
	return q
}

// back returns when every bucket was written to since the call.
func (q *quorum) back() {
	var all sync.WaitGroup
	for _, bucket := range q.buckets {
		all.Go(func() {
			// As an empty write of a server, which nobody reads.
			for started := time.Now(); !q.writes(bucket); {
				if time.Since(started) > patience || q.t.Context().Err() != nil {
					q.t.Errorf("nobody leads %s", bucket)
					return
				}
			}
		})
	}
	all.Wait()
}

// writes says whether a write was acknowledged, by whichever member leads.
func (q *quorum) writes(bucket string) bool {
	ctx, cancel := context.WithTimeout(q.t.Context(), time.Second)
	defer cancel()
	results := make(chan bool, len(q.members))
	for _, conn := range q.members {
		go func() {
			answer, err := conn.RequestMsgWithContext(ctx, &nats.Msg{Subject: "$KV." + bucket + ".=fence", Header: nats.Header{"KV-Operation": {"DEL"}}})
			var ack struct {
				Sequence uint64 `json:"seq"`
			}
			written := err == nil && json.Unmarshal(answer.Data, &ack) == nil && ack.Sequence > 0
			if !written { // not at once again
				pause(ctx, 50*time.Millisecond)
			}
			results <- written
		}()
	}
	for range q.members {
		if <-results {
			return true
		}
	}
	return false
}

// heals waits until every server does everything again: judges a session, admits a named
// token, makes a call that needs a pin, and asks a person. A call that hangs is made again
// beside it each second, as other clients would.
func (f *fleet) heals(q *quorum, named string) (h healed) {
	f.t.Helper()
	began := time.Now()
	var mu sync.Mutex
	var said strings.Builder
	note := func(i int, tool string, what any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&said, "%v server %d, %s: %v\n", time.Since(began).Round(time.Millisecond), i, tool, what)
	}
	var all sync.WaitGroup
	all.Go(func() {
		q.back()
		h.quorum = time.Since(began).Round(time.Millisecond)
	})
	var servers sync.WaitGroup
	for i := range f.all {
		for _, row := range []struct{ token, tool, arguments, want string }{
			{"t", "add", `{"a":1}`, `{"sum":2}`}, {named, "letter", `{}`, "this is letter"}, {"t", "burn", `{"n":"first"}`, "needs a person's approval"},
		} {
			servers.Go(func() {
				ctx, cancel := context.WithTimeout(f.t.Context(), patience)
				defer cancel()
				does := make(chan struct{}, 1)
				attempt := func() {
					c := &caller{address: f.all[i].url + "/mcp", token: row.token}
					for last := ""; ctx.Err() == nil; pause(ctx, 20*time.Millisecond) {
						_, answer, err := c.tool(ctx, row.tool, row.arguments)
						if strings.Contains(text(answer), row.want) {
							select {
							case does <- struct{}{}:
							default:
							}
							return
						}
						if now := fmt.Sprint(answer, err); now != last && ctx.Err() == nil {
							note(i, row.tool, now)
							last = now
						}
					}
				}
				// What waits for something that is gone does not hide that it is back.
				for {
					servers.Go(attempt)
					select {
					case <-does:
						note(i, row.tool, "does")
						return
					case <-time.After(time.Second):
					case <-ctx.Done():
						return
					}
				}
			})
		}
	}
	servers.Wait()
	h.all = time.Since(began).Round(time.Millisecond)
	all.Wait()
	if h.said = said.String(); strings.Count(h.said, ": does\n") < 9 {
		f.t.Fatalf("after everything was put right:\n%s", h.said)
	}
	return h
}
