//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/internal/promise"
	"github.com/glovebox-run/glovebox/mcpserver/approve/answers"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/tokens"
)

const (
	// visit is how long a client waits for one call, and operating an operator for one verb.
	visit     = 3 * time.Second
	operating = 5 * time.Second
	// settling is how long a change is used after it, with some room for a busy machine.
	settling = store.Staleness + 2*time.Second
)

// promises is what is done to the servers and what came of it.
type promises struct {
	*fleet
	hashes map[string]string // of tools

	keeping  sync.Mutex
	counts   map[string]int  // of outcomes
	kinds    map[string]int  // of histories
	approved map[string]bool // letters, somebody may have said yes to
	burnt    map[string]bool // letters, a client was told so
}

// newPromises begins when the tools are pinned.
func newPromises(t *testing.T, f *fleet) *promises {
	t.Helper()
	p := &promises{fleet: f, counts: map[string]int{}, hashes: map[string]string{}, kinds: map[string]int{}, approved: map[string]bool{}, burnt: map[string]bool{}}
	peer, err := p.operator(0)
	if err != nil {
		t.Fatal(err)
	}
	var pins []gateway.PinView
	if err := peer.Gateway(t.Context(), "pins", gateway.Name{Name: "promise"}, &pins); err != nil {
		t.Fatal(err)
	}
	for _, pin := range pins {
		p.hashes[pin.Tool] = pin.Seen.Hash
	}
	return p
}

// add counts what came of something.
func (p *promises) add(what ...any) {
	p.keeping.Lock()
	defer p.keeping.Unlock()
	p.counts[fmt.Sprint(what...)]++
}

// keep checks a history that is at its end.
func (p *promises) keep(h *promise.History) {
	if err := h.Check(os.TempDir()); err != nil {
		p.t.Errorf("%v\n%s", err, h)
	}
	kind, _, _ := strings.Cut(h.Name, "-")
	p.keeping.Lock()
	defer p.keeping.Unlock()
	p.kinds[kind]++
}

// enough says whether something of each kind was done to its end.
func (p *promises) enough() bool {
	p.keeping.Lock()
	defer p.keeping.Unlock()
	return len(p.kinds) == 4
}

// report says what was done so far.
func (p *promises) report(heals []healed, faults map[string]int) {
	p.keeping.Lock()
	defer p.keeping.Unlock()
	p.t.Logf("%d faults: %v", len(heals), faults)
	for _, row := range []struct {
		what string
		of   func(healed) time.Duration
	}{
		{"a leader of every bucket wrote again", func(h healed) time.Duration { return h.quorum }},
		{"every server did everything again", func(h healed) time.Duration { return h.all }},
		{"servers took longer than that quorum", healed.ours},
	} {
		var sorted []time.Duration
		late := 0
		for _, h := range heals {
			if sorted = append(sorted, row.of(h)); row.of(h) > mostOurs {
				late++
			}
		}
		slices.Sort(sorted)
		p.t.Logf("%s: %v at the median, %v at 95 of 100, %v at the slowest, %d times more than %v",
			row.what, sorted[len(sorted)/2], sorted[len(sorted)*95/100], sorted[len(sorted)-1], late, mostOurs)
	}
	p.t.Logf("histories: %v; outcomes: %v", p.kinds, p.counts)
}

func (p *promises) history(kind string, n int, first promise.State) *promise.History {
	return promise.New(fmt.Sprint(kind, "-", n), first)
}

// operate does something as the operator of a server that is drawn, and notes it.
func (p *promises) operate(ctx context.Context, r *rand.Rand, h *promise.History, s promise.Step, do func(context.Context, *local.Peer) error) (promise.Outcome, error) {
	n := r.IntN(len(p.fleet.all))
	ctx, cancel := context.WithTimeout(ctx, operating)
	defer cancel()
	since := h.Now()
	peer, err := p.operator(n)
	if err == nil {
		err = do(ctx, peer)
	}
	out := promise.Done
	if err != nil {
		out = promise.Unknown
	}
	var problem local.Problem
	if s.Act == promise.Answer && errors.As(err, &problem) && problem.Code == answers.Answered {
		out = promise.Late
	}
	h.Add(10+n, n, s, since, out)
	kind, _, _ := strings.Cut(h.Name, "-")
	p.add(kind, " ", s.Act, " ", out)
	return out, err
}

// until does something as an operator until that is acknowledged.
func (p *promises) until(ctx context.Context, r *rand.Rand, do func(context.Context, *local.Peer) error) bool {
	h := p.history("setup", 0, promise.Gone)
	for ctx.Err() == nil {
		if out, _ := p.operate(ctx, r, h, promise.Step{}, do); out == promise.Done {
			return true
		}
		pause(ctx, 50*time.Millisecond)
	}
	return false
}

// newcomer makes a token for the clients of one round.
func (p *promises) newcomer(ctx context.Context, r *rand.Rand, name string) (text string, ok bool) {
	tries := 0
	ok = p.until(ctx, r, func(ctx context.Context, peer *local.Peer) error {
		tries++
		var made tokens.Made
		err := peer.Tokens(ctx, "create", tokens.Token{Name: fmt.Sprint(name, ".", tries)}, &made)
		text = made.Text
		return err
	})
	return text, ok
}

// visitors call a tool, three clients of both eras, until they are told to end. judge says
// what an answer with status 200 means; what is not of interest is unknown.
func (p *promises) visitors(ctx context.Context, h *promise.History, token, tool, arguments string, staleness time.Duration, judge func(status int, said gjson.Result) promise.Outcome) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	kind, _, _ := strings.Cut(h.Name, "-")
	for n := range 3 {
		c := &caller{address: p.front, token: token, legacy: n%2 == 0}
		work.Go(func() {
			for ctx.Err() == nil {
				since, server := h.Now(), -1
				limit, cancel := context.WithTimeout(ctx, visit)
				answer, said, err := c.tool(limit, tool, arguments)
				cancel()
				out := promise.Unknown
				var status turnedAway
				switch {
				case errors.As(err, &status):
					out = judge(int(status), said)
				case err == nil:
					if out = judge(answer.StatusCode, said); !c.legacy { // a session is elsewhere
						server, _ = strconv.Atoi(answer.Header.Get(servedBy))
					}
				}
				// A call that is told that another one waits was surely not made.
				if !strings.Contains(text(said), "the same call waits") {
					h.Add(n, server, promise.Step{Act: promise.Use}, h.Since(server, staleness, since), out)
				}
				p.add(kind, " use ", out)
				pause(ctx, 40*time.Millisecond)
			}
		})
	}
	return func() { cancel(); work.Wait() }
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// token is made, used and revoked.
func (p *promises) token(ctx context.Context, r *rand.Rand, n int) *promise.History {
	h := p.history("token", n, promise.Gone)
	var made tokens.Made
	out, _ := p.operate(ctx, r, h, promise.Step{Act: promise.Change, To: promise.There}, func(ctx context.Context, peer *local.Peer) error {
		return peer.Tokens(ctx, "create", tokens.Token{Name: fmt.Sprint("t", n)}, &made)
	})
	if out != promise.Done {
		return nil
	}
	end := p.visitors(ctx, h, made.Text, "add", `{"a":1}`, store.Staleness, func(status int, _ gjson.Result) promise.Outcome {
		return map[int]promise.Outcome{200: promise.Allowed, 401: promise.Forbidden}[status]
	})
	defer end()
	pause(ctx, time.Duration(r.IntN(4000))*time.Millisecond)
	p.operate(ctx, r, h, promise.Step{Act: promise.Change, To: promise.Gone}, func(ctx context.Context, peer *local.Peer) error {
		return peer.Tokens(ctx, "revoke", tokens.Named{Name: fmt.Sprint("t", n)}, &struct{}{})
	})
	pause(ctx, settling)
	return h
}

// pin of a tool is revoked, and accepted again. That a tool is not called says nothing, since
// it has to be listed as well.
func (p *promises) pin(ctx context.Context, r *rand.Rand, n int) *promise.History {
	token, ok := p.newcomer(ctx, r, fmt.Sprint("p", n))
	if n /= 2; !ok || n >= papers {
		pause(ctx, time.Hour)
		return nil
	}
	tool := fmt.Sprint("paper_", n)
	h := p.history("pin", n, promise.There)
	end := p.visitors(ctx, h, token, tool, `{}`, store.Staleness, func(_ int, said gjson.Result) promise.Outcome {
		if text(said) == "this is "+tool {
			return promise.Allowed
		}
		return promise.Unknown
	})
	defer end()
	pause(ctx, time.Duration(r.IntN(3000))*time.Millisecond)
	p.operate(ctx, r, h, promise.Step{Act: promise.Change, To: promise.Gone}, func(ctx context.Context, peer *local.Peer) error {
		return peer.Gateway(ctx, "revoke", gateway.Tools{Server: "promise", Tools: []string{tool}}, &struct{}{})
	})
	pause(ctx, settling)
	p.operate(ctx, r, h, promise.Step{Act: promise.Change, To: promise.There}, func(ctx context.Context, peer *local.Peer) error {
		return peer.Gateway(ctx, "approve", gateway.Approval{Server: "promise", Tools: []ledger.Reviewed{{Tool: tool, Hash: p.hashes[tool]}}}, &struct{}{})
	})
	pause(ctx, 2*time.Second)
	return h
}

// session is stopped by a call that it must not make, and released.
func (p *promises) session(ctx context.Context, r *rand.Rand, n int) *promise.History {
	token, ok := p.newcomer(ctx, r, fmt.Sprint("s", n))
	if !ok {
		return nil
	}
	h := p.history("session", n, promise.There)
	stopped := "The session was stopped"
	c := &caller{address: p.front, token: token}
	said := func(tool, arguments string) string {
		limit, cancel := context.WithTimeout(ctx, visit)
		defer cancel()
		_, said, _ := c.tool(limit, tool, arguments)
		return text(said)
	}
	for said("letter", `{}`) != "this is letter" {
		if pause(ctx, 50*time.Millisecond); ctx.Err() != nil {
			return nil
		}
	}
	end := p.visitors(ctx, h, token, "add", `{"a":1}`, 0, func(_ int, said gjson.Result) promise.Outcome {
		switch {
		case said.Get("result.structuredContent.sum").Int() == 2:
			return promise.Allowed
		case strings.Contains(text(said), stopped):
			return promise.Forbidden
		}
		return promise.Unknown
	})
	defer end()
	pause(ctx, time.Duration(r.IntN(2000))*time.Millisecond)
	since, out := h.Now(), promise.Unknown
	if strings.Contains(said("send", `{"url":"http://169.254.169.254/latest"}`), "a private network") {
		out = promise.Done
	}
	h.Add(4, -1, promise.Step{Act: promise.Change, To: promise.Gone}, since, out)
	p.add("session change ", out)
	pause(ctx, time.Duration(r.IntN(4000))*time.Millisecond)
	name := ""
	if !p.until(ctx, r, func(ctx context.Context, peer *local.Peer) error {
		all, err := peer.Sessions(ctx)
		for _, s := range all {
			if strings.HasPrefix(s.Principal, fmt.Sprint("named:s", n, ".")) {
				name = s.Principal
			}
		}
		return err
	}) || name == "" {
		return nil
	}
	p.operate(ctx, r, h, promise.Step{Act: promise.Change, To: promise.There}, func(ctx context.Context, peer *local.Peer) error { return peer.ResetSession(ctx, name) })
	pause(ctx, 2*time.Second)
	return h
}

var approvalID = regexp.MustCompile(`approval ([A-Z0-9]+) is open`)

// question is asked, answered by two operators who do not agree, and its yes used by one call.
func (p *promises) question(ctx context.Context, r *rand.Rand, n int) *promise.History {
	token, ok := p.newcomer(ctx, r, fmt.Sprint("q", n))
	if !ok {
		return nil
	}
	h := p.history("question", n, promise.Open)
	letter, ids := fmt.Sprint("letter ", n), make(chan string, 1)
	end := p.visitors(ctx, h, token, "burn", fmt.Sprintf(`{"n":%q}`, letter), 0, func(_ int, said gjson.Result) promise.Outcome {
		found := approvalID.FindStringSubmatch(text(said))
		switch {
		case text(said) == "burnt "+letter:
			p.keeping.Lock()
			p.burnt[letter] = true
			p.keeping.Unlock()
			return promise.Allowed
		case found != nil:
			select {
			case ids <- found[1]:
			default:
			}
			return promise.Forbidden
		case strings.Contains(text(said), "a person declined"):
			return promise.Forbidden
		}
		return promise.Unknown
	})
	defer end()
	var id string
	select {
	case id = <-ids:
	case <-ctx.Done():
		return nil
	}
	var both sync.WaitGroup
	for n, says := range []promise.State{promise.Yes, promise.No} {
		r := rand.New(rand.NewPCG(r.Uint64(), uint64(n)))
		both.Go(func() {
			pause(ctx, time.Duration(r.IntN(1500))*time.Millisecond)
			if says == promise.Yes {
				p.keeping.Lock()
				p.approved[letter] = true
				p.keeping.Unlock()
			}
			p.operate(ctx, r, h, promise.Step{Act: promise.Answer, To: says}, func(ctx context.Context, peer *local.Peer) (err error) {
				if says == promise.Yes {
					_, err = peer.Questions().Approve(ctx, id, answers.Yes{}, "")
				} else {
					_, err = peer.Questions().Deny(ctx, id, "")
				}
				return err
			})
		})
	}
	both.Wait()
	pause(ctx, time.Duration(r.IntN(3000))*time.Millisecond)
	return h
}
