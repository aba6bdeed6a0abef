//go:build unix

package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// TestNobodyReadsOnTheWrongSide: a member that is cut off from the others takes itself for
// the leader for ten seconds and more, and answers. A client that it keeps is not told what
// was before, finds the other side by itself, and its view passes nothing older than it
// promises.
func TestNobodyReadsOnTheWrongSide(t *testing.T) {
	members := natstest.NewApart(t, member)
	cut := natstest.Weather{Cut: true}
	var mu sync.Mutex
	now := map[int]string{} // what the view of each client has seen
	var buckets [3]*store.Bucket
	var views [3]*store.View
	for i := range buckets {
		links, url := members.Links()
		for other := range links {
			if other != i { // each client begins at a member of its own
				links[other].Set(natstest.Weather{Refused: true}, natstest.Weather{})
			}
		}
		buckets[i] = agreed(t, url)
		for _, l := range links {
			l.Set(natstest.Weather{}, natstest.Weather{})
		}
		var err error
		views[i], err = buckets[i].Follow(t.Context(), func(e store.Entry) {
			mu.Lock()
			defer mu.Unlock()
			now[i] = string(e.Value)
		})
		ok(t, err)
	}
	var revision uint64
	for started := time.Now(); ; {
		var err error
		if revision, err = buckets[0].Create(t.Context(), "k", []byte("yes")); err == nil {
			break
		}
		if time.Since(started) > healing {
			t.Fatal(err)
		}
	}
	for i, b := range buckets {
		e, err := b.Latest(t.Context(), "k")
		ok(t, err)
		ok(t, views[i].Fresh(t.Context()))
		if mu.Lock(); string(e.Value) != "yes" || now[i] != "yes" {
			t.Fatalf("before: %q, %q", e.Value, now[i])
		}
		mu.Unlock()
	}
	for gone := range 3 { // one of them is the leader
		members.Between(gone, (gone+1)%3, cut, cut)
		members.Between(gone, (gone+2)%3, cut, cut)
		value := fmt.Sprint("no ", gone)
		for started := time.Now(); ; {
			next, err := buckets[(gone+1)%3].Update(t.Context(), "k", []byte(value), revision)
			if err == nil {
				revision = next
				break
			}
			if time.Since(started) > healing {
				t.Fatal(err)
			}
			e, err := buckets[(gone+1)%3].Latest(t.Context(), "k")
			if err == nil {
				if revision = e.Revision; string(e.Value) == value {
					break
				}
			}
		}
		written := time.Now()
		for healed := false; !healed; {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			e, err := buckets[gone].Latest(ctx, "k")
			if healed = err == nil; healed && string(e.Value) != value {
				t.Fatalf("%v after %q was written the other side reads %q", time.Since(written), value, e.Value)
			}
			began := time.Now()
			if err = views[gone].Fresh(ctx); err == nil {
				mu.Lock()
				seen := now[gone]
				mu.Unlock()
				if began.Sub(written) > store.Staleness && seen != value {
					t.Fatalf("%v after %q was written the view has %q", time.Since(written), value, seen)
				}
				healed = healed && seen == value
			} else {
				healed = false
			}
			cancel()
			if time.Since(written) > healing {
				t.Fatal("the client does not find the other side")
			}
		}
		t.Logf("the client of member %d found the other side after %v", gone, time.Since(written).Round(time.Millisecond))
		members.Between(gone, (gone+1)%3, natstest.Weather{}, natstest.Weather{})
		members.Between(gone, (gone+2)%3, natstest.Weather{}, natstest.Weather{})
	}
}
