//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// What several servers must agree on (a yes, a pin, a token, a stopped session) is a value
// of a bucket, changed by compare-and-set and read with Latest. So this is what has to be
// linearizable, whatever happens to the members of the cluster: they are processes of
// their own here, which are killed with -9, started again, frozen, cut off and slowed at
// random, and so are the links of their clients.
// Porcupine decides whether the recorded history can be explained by one value.

// The model: a value and its revision. Writes have values of their own.
type (
	registerIn struct {
		write    bool
		value    string
		revision uint64 // that the value must have, 0 for none
	}
	registerOut struct {
		outcome  outcome
		value    string // read
		revision uint64
	}
	register struct {
		value    string
		revision uint64 // 0 while nobody has seen it
	}
	outcome int
)

const (
	done     outcome = iota
	conflict         // of a write
	unknown          // of a write that failed otherwise: it may have happened, now or later
)

var registerModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{register{}} },
	Step: func(state, input, output any) []any {
		s, in, out := state.(register), input.(registerIn), output.(registerOut)
		switch {
		case !in.write && (s.value != out.value || s.revision != 0 && s.revision != out.revision):
			return nil
		case !in.write:
			return []any{register{out.value, out.revision}}
		case out.outcome == unknown && s.revision == in.revision:
			return []any{s, register{in.value, 0}}
		case out.outcome == unknown:
			return []any{s}
		case out.outcome == conflict:
			// A cluster refuses a write also while another one of the key is under way,
			// which nobody can read yet. So this says nothing about the value.
			return []any{s}
		case s.revision != in.revision || s.value == "" != (in.revision == 0):
			return nil
		}
		return []any{register{in.value, out.revision}}
	},
	Equal:             func(a, b any) bool { return a == b },
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

// healing is how long the members may take until everything works, on a busy machine.
const healing = 2 * time.Minute

// TestMembersNeverDisagree records what six clients do to four keys while members die and
// freeze, for 8 s, or for LINEAR (make linear LINEAR=30m).
func TestMembersNeverDisagree(t *testing.T) {
	lasts, seed := schedule(t)
	members := natstest.NewApart(t, member)
	var buckets []*store.Bucket
	var clients [][3]*natstest.Link
	for range 3 {
		links, url := members.Links()
		clients = append(clients, links)
		buckets = append(buckets, agreed(t, url))
	}
	// Short histories of many keys: deciding takes exponential time in the worst case.
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	histories := map[string][]porcupine.Operation{}
	var counts [3]int
	began := time.Now()
	var work sync.WaitGroup
	for client := range 6 {
		b, r := buckets[client%3], rand.New(rand.NewPCG(seed, uint64(client)))
		work.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				key := fmt.Sprintf("k%d.%d", int(time.Since(began)/(2*time.Second)), r.IntN(4))
				for _, op := range act(b, key, fmt.Sprintf("%d.%d", client, n), began) {
					op.ClientId = client
					mu.Lock()
					histories[key] = append(histories[key], op)
					counts[op.Output.(registerOut).outcome]++
					mu.Unlock()
				}
			}
		})
	}
	r := rand.New(rand.NewPCG(seed, 99))
	kinds := map[string]int{}
	for time.Since(began) < lasts {
		time.Sleep(time.Duration(500+r.IntN(3000)) * time.Millisecond)
		kinds[members.Disturb(r, clients)]++
	}
	healed := time.Now()
	for i, b := range buckets {
		for {
			_, err := b.Create(t.Context(), fmt.Sprint("after.", i), []byte("all members are back"))
			if err == nil {
				break
			}
			if time.Since(healed) > healing {
				t.Fatal(err)
			}
		}
	}
	t.Logf("everybody could write %v after the last member was back", time.Since(healed).Round(time.Millisecond))
	for enough := false; !enough && time.Since(healed) < healing; time.Sleep(10 * time.Millisecond) {
		mu.Lock()
		enough = counts[done] >= 100
		mu.Unlock()
	}
	stop()
	work.Wait()
	t.Logf("faults: %v", kinds)
	t.Logf("%d keys; %d operations were done, %d refused, %d of unknown outcome", len(histories), counts[done], counts[conflict], counts[unknown])
	if counts[done] < 100 {
		t.Error("hardly anything was done")
	}
	end := time.Since(began).Nanoseconds()
	for key, history := range histories {
		for i := range history {
			if history[i].Output.(registerOut).outcome == unknown {
				history[i].Return = end // it may take effect at any time
			}
		}
		result, info := porcupine.CheckOperationsVerbose(registerModel.ToModel(), history, 3*time.Minute)
		if result == porcupine.Ok {
			continue
		}
		file := fmt.Sprintf("%s/%s.html", os.TempDir(), key)
		if err := porcupine.VisualizePath(registerModel.ToModel(), info, file); err != nil {
			t.Error(err)
		}
		t.Errorf("%s: the history of %d operations is %v: %s", key, len(history), result, file)
	}
}

// schedule says how long there are faults, and what they are drawn from: for 8 s, or
// LINEAR; LINEAR_SEED repeats those of another run.
func schedule(t *testing.T) (lasts time.Duration, seed uint64) {
	t.Helper()
	lasts, seed = 8*time.Second, uint64(time.Now().UnixNano())
	var err, wrong error
	if text := os.Getenv("LINEAR"); text != "" {
		lasts, err = time.ParseDuration(text)
	}
	if text := os.Getenv("LINEAR_SEED"); text != "" {
		seed, wrong = strconv.ParseUint(text, 10, 64)
	}
	if err := errors.Join(err, wrong); err != nil {
		t.Fatal(err)
	}
	t.Logf("LINEAR_SEED=%d", seed)
	return lasts, seed
}

// agreed is the bucket of a client, as soon as the members can make it.
func agreed(t *testing.T, url string) *store.Bucket {
	t.Helper()
	for started := time.Now(); ; {
		s, err := store.Connect(t.Context(), store.Cluster{URL: url, Replicas: 3})
		if err == nil {
			var b *store.Bucket
			if b, err = s.Bucket(t.Context(), store.BucketConfig{Name: "agreed", MaxBytes: 64 << 20}); err == nil {
				t.Cleanup(s.Close)
				return b
			}
			s.Close()
		}
		if time.Since(started) > healing {
			t.Fatal(err)
		}
	}
}

// act reads a key and then writes it, and returns both operations. A read that failed is
// none.
func act(b *store.Bucket, key, value string, began time.Time) (did []porcupine.Operation) {
	op := func(call time.Time, in registerIn, out registerOut) {
		did = append(did, porcupine.Operation{Input: in, Call: call.Sub(began).Nanoseconds(), Output: out, Return: time.Since(began).Nanoseconds()})
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	call := time.Now()
	e, err := b.Latest(ctx, key)
	if err != nil && !errors.Is(err, store.NotFound) {
		return nil
	}
	op(call, registerIn{}, registerOut{value: string(e.Value), revision: e.Revision})
	call = time.Now()
	var revision uint64
	if e.Revision == 0 {
		revision, err = b.Create(ctx, key, []byte(value))
	} else {
		revision, err = b.Update(ctx, key, []byte(value), e.Revision)
	}
	in := registerIn{write: true, value: value, revision: e.Revision}
	switch {
	case err == nil:
		op(call, in, registerOut{revision: revision})
		call = time.Now()
		if b.Unchanged(ctx, key, revision) {
			op(call, registerIn{}, registerOut{value: value, revision: revision})
		}
	case errors.Is(err, store.Conflict):
		op(call, in, registerOut{outcome: conflict})
	default:
		op(call, in, registerOut{outcome: unknown})
	}
	return did
}
