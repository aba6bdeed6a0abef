//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/internal/promise"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// fleet is three servers, each a process with a machine and links to the store of its own,
// behind a balancer that gives every request to the next one.
type fleet struct {
	t       *testing.T
	members *natstest.Apart
	links   [][3]*natstest.Link
	urls    [3]string
	args    []string
	all     [3]replica
	front   string // address of the balancer

	mu    sync.Mutex
	hosts [3]string
	turn  atomic.Uint32
}

// servedBy is the header in which the balancer says where a request went.
const servedBy = "Served-By"

func newFleet(t *testing.T, args ...string) *fleet {
	t.Helper()
	f := &fleet{t: t, args: args}
	f.members = natstest.NewApart(t, func(args ...string) *exec.Cmd {
		cmd := exec.Command("nats-member", args...)
		cmd.Stderr = os.Stderr
		return cmd
	})
	for i := range f.all {
		links, url := f.members.Links()
		f.links, f.urls[i] = append(f.links, links), url
		f.all[i].machine = newMachine(t)
	}
	for i := range f.all {
		f.start(i)
	}
	front := httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1, Transport: f, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.Host = "http", r.In.Host },
	})
	t.Cleanup(front.Close)
	f.front = front.URL + "/mcp"
	return f
}

// start starts a server, again until the cluster takes it, as a manager of services does.
func (f *fleet) start(i int) {
	f.t.Helper()
	for started := time.Now(); ; {
		s := f.all[i].tryServe(f.t, func(*exec.Cmd) {}, append([]string{"--nats", f.urls[i], "--nats-replicas", "3"}, f.args...)...)
		if s.url != "" {
			f.all[i].served = s
			f.mu.Lock()
			f.hosts[i] = strings.TrimPrefix(s.url, "http://")
			f.mu.Unlock()
			return
		}
		if time.Since(started) > patience {
			f.t.Fatalf("server %d does not start: %s", i, s.stderr)
		}
	}
}

func (f *fleet) kill(i int) {
	f.all[i].cmd.Process.Kill()
	<-f.all[i].ended
}

// RoundTrip sends a request to the next server, or to the one after it where nobody listens.
func (f *fleet) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	for tries := 1; ; tries++ {
		n := int(f.turn.Add(1)) % len(f.hosts)
		f.mu.Lock()
		r.URL.Host = f.hosts[n]
		f.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		answer, err := http.DefaultTransport.RoundTrip(r)
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" && tries < len(f.hosts) {
			continue
		}
		if err == nil {
			answer.Header.Set(servedBy, strconv.Itoa(n))
		}
		return answer, err
	}
}

// operator is the person at a server.
func (f *fleet) operator(i int) (*local.Peer, error) {
	return local.Find(filepath.Join(f.all[i].state, "glovebox"))
}

// disturb does something to a server, to what it stands on, or to both, and puts it right.
func (f *fleet) disturb(r *rand.Rand) string {
	i, rest := r.IntN(3), time.Duration(200+r.IntN(8000))*time.Millisecond
	what := r.IntN(6)
	name := [6]string{"a server killed", "a server frozen", "a server killed while ", "a server frozen while ", "", ""}[what]
	switch what {
	case 0, 2:
		f.kill(i)
		defer f.start(i)
	case 1, 3:
		f.all[i].cmd.Process.Signal(syscall.SIGSTOP)
		defer f.all[i].cmd.Process.Signal(syscall.SIGCONT)
	}
	if what >= 2 {
		return name + f.members.Disturb(r, f.links)
	}
	time.Sleep(rest)
	return name
}

// TestGatewaysKeepTheirPromises: three servers behind a balancer never disagree about a yes, a
// pin, a stopped session or a revoked token, while they and the members of their store are
// killed, frozen and cut off: for 15 s, or LINEAR (make linear). LINEAR_SEED repeats the
// faults of another run.
func TestGatewaysKeepTheirPromises(t *testing.T) {
	t.Parallel()
	lasts, seed := 15*time.Second, uint64(time.Now().UnixNano())
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
	effects := filepath.Join(t.TempDir(), "effects")
	f := newFleet(t, "--ceiling", "L5", "--unasked", "L5", "--session", "enforce", "--approval-wait", "100ms")
	a := f.all[0]
	a.does("upstream", "add", "promise", "--env", "EFFECTS="+effects, "--", "promise-server")
	a.becomes(fmt.Sprint(papers+3, " tools"), "upstream", "test", "promise")
	a.does("pin", "approve", "promise", "--yes")
	a.does("expose", "promise", "--all")
	a.does("expose", "promise", "burn", "--approve")
	named := gjson.Get(a.does("token", "create", "named", "--json"), "token").Str
	for _, r := range f.all {
		r.answers(named, "letter", `{}`, "this is letter")
		r.answers("t", "burn", `{"n":"first"}`, "needs a person's approval")
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	p := newPromises(t, f)
	var work sync.WaitGroup
	for n, round := range []func(context.Context, *rand.Rand, int) *promise.History{p.token, p.pin, p.session, p.question, p.question} {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		work.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if h := round(ctx, r, i*2+n%2); h != nil {
					p.keep(h)
				}
			}
		})
	}
	r := rand.New(rand.NewPCG(seed, 99))
	faults := map[string]int{}
	var heals []healed
	probe := newQuorum(t, f.members)
	for began := time.Now(); time.Since(began) < lasts; {
		name := f.disturb(r)
		h := f.heals(probe, named)
		if faults[name]++; h.ours() > mostOurs {
			t.Logf("after %q: the quorum took %v, and all servers %v:\n%s", name, h.quorum, h.all, h.said)
		}
		if heals = append(heals, h); len(heals)%50 == 0 {
			p.report(heals, faults)
		}
	}
	for started := time.Now(); !p.enough() && time.Since(started) < patience; time.Sleep(50 * time.Millisecond) {
	}
	stop()
	work.Wait()
	p.report(heals, faults)
	if !p.enough() {
		t.Error("hardly anything was done")
	}
	// What has run by one yes, whoever was told of it.
	text, err := os.ReadFile(effects)
	if err != nil {
		t.Fatal(err)
	}
	runs := map[string]int{}
	for line := range strings.Lines(string(text)) {
		runs[strings.TrimSpace(line)]++
	}
	for n, times := range runs {
		if times > 1 || !p.approved[n] {
			t.Errorf("letter %s was burnt %d times, after a yes: %v", n, times, p.approved[n])
		}
	}
	for n := range p.burnt {
		if runs[n] != 1 {
			t.Errorf("letter %s is said to be burnt, and was %d times", n, runs[n])
		}
	}
}
