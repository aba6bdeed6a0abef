package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/internal/osfile"
	"github.com/glovebox-run/glovebox/mcpserver/once"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// takers are clients, one at each server, that call a server which exists once.
type takers struct {
	*fleet
	folder string
	mu     sync.Mutex
	next   int
	taken  map[int]bool
	good   [3]time.Time // when a call began that was answered, the last one of each server
	number [3]int       // of the process that answered it
	said   [3]string    // last
}

func (k *takers) run(ctx context.Context, i int) {
	c := &caller{address: k.all[i].url + "/mcp", legacy: i%2 == 0}
	for ctx.Err() == nil {
		k.mu.Lock()
		k.next++
		id := k.next
		k.mu.Unlock()
		began := time.Now()
		_, answer, err := c.tool(ctx, "take", fmt.Sprintf(`{"id":%d}`, id))
		var number int
		_, wrong := fmt.Sscanf(text(answer), "taken by %d:", &number)
		k.mu.Lock()
		if k.said[i] = fmt.Sprint(answer, err); wrong == nil {
			k.good[i], k.number[i], k.taken[id] = began, number, true
		}
		k.mu.Unlock()
		pause(ctx, 20*time.Millisecond)
	}
}

// answered waits until calls that began after a moment are answered at these servers, by a
// process with at least a number, and returns the largest number.
func (k *takers) answered(what string, since time.Time, least int, at ...int) (number int) {
	k.t.Helper()
	began := time.Now()
	for _, i := range at {
		for {
			k.mu.Lock()
			good := k.good[i].After(since) && k.number[i] >= least
			number = max(number, k.number[i])
			said := k.said[i]
			k.mu.Unlock()
			if good {
				break
			}
			if time.Since(began) > 2*patience {
				k.t.Fatalf("%s: server %d does not answer: %s\n%s", what, i, said, k.all[i].stderr)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	k.t.Logf("%s: answered after %v, by %d", what, time.Since(began).Round(time.Millisecond), number)
	return number
}

// ends says whether nothing holds the lock of the process.
func ends(t *testing.T, folder string) bool {
	t.Helper()
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	return osfile.TryLock(lock) == nil
}

// TestAServerThatExistsOnceBehindCutLinks: a process that may exist once is never there twice,
// and no call is made twice or by one that was succeeded, whichever links and members are cut
// off; where there is no majority there is none, and it is taken over where there is one.
// LINEAR (make linear) goes on for that long with faults that are drawn.
func TestAServerThatExistsOnceBehindCutLinks(t *testing.T) {
	t.Parallel()
	lasts, seed := time.Duration(0), uint64(time.Now().UnixNano())
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
	k := &takers{fleet: newFleet(t, "--ceiling", "L5", "--unasked", "L5"), folder: t.TempDir(), taken: map[int]bool{}}
	a := k.all[0]
	a.does("upstream", "add", "once", "--singleton", "--env", "ONCE="+k.folder, "--", "once-server")
	a.becomes("1 tool", "upstream", "test", "once")
	a.does("pin", "approve", "once", "--yes")
	a.does("expose", "once", "--all")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var work sync.WaitGroup
	for i := range k.all {
		work.Go(func() { k.run(ctx, i) })
	}
	number := k.answered("at first", time.Time{}, 1, 0, 1, 2)

	// The owner alone is cut off, in both ways and in each.
	cut := natstest.Weather{Cut: true}
	for _, row := range []struct {
		what        string
		there, back natstest.Weather
	}{{"cut off", cut, cut}, {"hears nothing", natstest.Weather{}, cut}, {"is not heard", cut, natstest.Weather{}}} {
		owner := runsAt(t, k.all[:])
		for _, l := range k.links[owner] {
			l.Set(row.there, row.back)
		}
		number = k.answered("the owner "+row.what, time.Now(), number+1, (owner+1)%3, (owner+2)%3)
		for _, l := range k.links[owner] {
			l.Set(natstest.Weather{}, natstest.Weather{})
		}
		k.answered("healed", time.Now(), number, 0, 1, 2)
	}
	// A member is cut off from the others, with the servers that it has.
	for gone := range 3 {
		k.members.Between(gone, (gone+1)%3, cut, cut)
		k.members.Between(gone, (gone+2)%3, cut, cut)
		k.answered(fmt.Sprint("member ", gone, " cut off"), time.Now().Add(once.Takeover), number, 0, 1, 2)
		k.members.Between(gone, (gone+1)%3, natstest.Weather{}, natstest.Weather{})
		k.members.Between(gone, (gone+2)%3, natstest.Weather{}, natstest.Weather{})
		number = k.answered("healed", time.Now(), number, 0, 1, 2)
	}
	// Without a majority there is no process.
	starts := len(readOnce(t, k.folder).starts)
	k.members.Kill(1)
	k.members.Kill(2)
	for began := time.Now(); !ends(t, k.folder); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatal("the process is there without a majority")
		}
	}
	if now := len(readOnce(t, k.folder).starts); now != starts {
		t.Errorf("%d processes started without a majority", now-starts)
	}
	k.members.Start(1)
	k.members.Start(2)
	number = k.answered("a majority again", time.Now(), number, 0, 1, 2)
	if now := len(readOnce(t, k.folder).starts); now <= starts {
		t.Error("no process was started when there was a majority again")
	}

	r := rand.New(rand.NewPCG(seed, 1))
	for began := time.Now(); time.Since(began) < lasts; {
		what := k.members.Disturb(r, k.links)
		number = k.answered(what, time.Now(), number, 0, 1, 2)
	}
	stop()
	work.Wait()
	l := readOnce(t, k.folder)
	k.mu.Lock()
	defer k.mu.Unlock()
	t.Logf("%d processes one after the other, %d calls, %d answered", len(l.starts), k.next, len(k.taken))
	for id := range k.taken {
		if l.calls[strconv.Itoa(id)] != 1 {
			t.Errorf("call %d was answered and ran %d times", id, l.calls[strconv.Itoa(id)])
		}
	}
	if text, err := os.ReadFile(filepath.Join(k.folder, "log")); err != nil || strings.Count(string(text), "start ") < 5 {
		t.Errorf("hardly anything was taken over: %v\n%s", err, text)
	}
}
