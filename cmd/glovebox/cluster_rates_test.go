package main

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// TestThreeServersHaveOneRate: a client that sends to all servers of a cluster as fast as it
// can gets what the rate and the stated bound give, and not three times as much: while they
// hear one another, while one is cut off, and after one was killed.
func TestThreeServersHaveOneRate(t *testing.T) {
	t.Parallel()
	const rate, burst, n = 20, 30, 3
	// A client that is told of the other members would go round the link that is cut.
	cluster := natstest.Three(t, func(o *server.Options) { o.Cluster.NoAdvertise = true })
	link := natstest.NewLink(t, cluster[2].Addr().String())
	var all []replica
	for i := range n {
		m := newMachine(t)
		url := natstest.URL(cluster...)
		if i == n-1 {
			url = "nats://" + link.Address()
		}
		all = append(all, replica{m, m.serveIn(t, func(c *exec.Cmd) {
			c.Env = append(c.Env, fmt.Sprint("GLOVEBOX_LIMITS_RATE=", rate), fmt.Sprint("GLOVEBOX_LIMITS_BURST=", burst))
		}, "--nats", url, "--nats-replicas", "3", "--ceiling", "L5", "--unasked", "L5", "--session", "off", "--log-level", "info")})
	}
	shared := regexp.MustCompile(`rate\.shared servers=(\d) heard=(\d)`)
	shares := func(servers, heard string, whose ...replica) {
		t.Helper()
		for _, r := range whose {
			for started := time.Now(); ; time.Sleep(5 * time.Millisecond) {
				all := shared.FindAllStringSubmatch(r.stderr.String(), -1)
				if len(all) > 0 && slices.Equal(all[len(all)-1][1:], []string{servers, heard}) {
					break
				}
				if time.Since(started) > patience {
					t.Fatalf("it shares with %q, want %s and %s of them heard", all, servers, heard)
				}
			}
		}
	}
	shares("3", "3", all...)

	// flood sends for a time and returns how much was admitted and how long it took.
	flood := func(to []replica, most time.Duration) (admitted int, took float64) {
		var sending sync.WaitGroup
		var mu sync.Mutex
		began := time.Now()
		for _, r := range to {
			sending.Go(func() {
				for time.Since(began) < most {
					time.Sleep(5 * time.Millisecond) // ten times the rate
					answer := r.post("t", "add", `{"a":1}`)
					text, err := io.ReadAll(answer.Body)
					if err != nil || answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusTooManyRequests {
						t.Errorf("%s %s, %v", answer.Status, text, err)
						return
					}
					if answer.StatusCode == http.StatusOK {
						mu.Lock()
						admitted++
						mu.Unlock()
					}
				}
			})
		}
		sending.Wait()
		return admitted, time.Since(began).Seconds()
	}
	// Servers are heard of within 1.5 s.
	bound := func(took, n float64) float64 { return burst + rate*took + (n-1)*(burst/n+rate*1.5) }
	const most = 2 * time.Second
	admitted, took := flood(all, most)
	t.Logf("%d in %.1f s; the bound is %.0f, and %.0f would be no sharing", admitted, took, bound(took, n), n*(burst+rate*took))
	if float64(admitted) > bound(took, n) {
		t.Errorf("%d were admitted in %.1f s, want at most %.0f", admitted, took, bound(took, n))
	}
	if admitted < burst/n {
		t.Errorf("only %d were admitted in %.1f s", admitted, took)
	}

	// One that is cut off has a third, and the others have all of it once they know.
	cut := natstest.Weather{Cut: true}
	link.Set(cut, cut)
	shares("3", "1", all[2])
	shares("2", "2", all[:2]...)
	admitted, took = flood(all, most)
	both := bound(took, n-1) + (burst+rate*took)/n
	t.Logf("cut off: %d in %.1f s; the bound is %.0f, and %.0f would be no sharing", admitted, took, both, n*(burst+rate*took))
	if float64(admitted) > both {
		t.Errorf("one is cut off, and %d were admitted in %.1f s, want at most %.0f", admitted, took, both)
	}
	link.Set(natstest.Weather{}, natstest.Weather{})
	shares("3", "3", all...)

	// One that is killed leaves its part to the others.
	all[1].cmd.Process.Kill()
	<-all[1].ended
	rest := []replica{all[0], all[2]}
	shares("2", "2", rest...)
	admitted, took = flood(rest, most)
	t.Logf("killed: %d in %.1f s; the bound is %.0f, and %.0f would be no sharing", admitted, took, bound(took, n-1), (n-1)*(burst+rate*took))
	if float64(admitted) > bound(took, n-1) || admitted == 0 {
		t.Errorf("after one was killed %d were admitted in %.1f s, want at most %.0f", admitted, took, bound(took, n-1))
	}
}
