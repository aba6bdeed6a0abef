package load_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/load"
)

// list is one kind of call that any server answers.
var list = []load.Kind{{Name: "list", Share: 1}}

func plan(url string) load.Plan {
	return load.Plan{
		URLs: []string{url}, Eras: []string{load.Stateless}, Kinds: list, Rate: 200, Duration: time.Second, Constant: true,
		Sessions: 1, InFlight: 100, Timeout: time.Minute,
	}
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

func done(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}`, gjson.GetBytes(body, "id").Raw)
}

// TestASlowServerDoesNotHideCalls: one call at a time that takes 10 ms, and 200 a second.
// Each takes 10 ms by itself, which is all that a client sees that waits before it calls
// again; the calls that should have been made meanwhile wait longer and longer, the middle one
// for 100 times 5 ms.
func TestASlowServerDoesNotHideCalls(t *testing.T) {
	t.Parallel()
	var one sync.Mutex
	p := plan(serve(t, func(w http.ResponseWriter, r *http.Request) {
		one.Lock()
		defer one.Unlock()
		<-time.After(10 * time.Millisecond)
		done(w, r)
	}))
	for _, places := range []int{1, 100} { // waiting for a place counts as well
		p.InFlight = places
		report, err := load.Run(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		row := report.Kinds[0]
		if row.Calls != 200 || row.P50 < 500 || row.P99 < 980 {
			t.Errorf("%d places: %+v", places, row)
		}
		if places == 1 && (report.Generator.Full == 0 || len(report.Generator.Limits) == 0) {
			t.Errorf("%d places: %+v", places, report.Generator)
		}
		if report.Achieved > 100 {
			t.Errorf("%v calls a second of a server that makes 100", report.Achieved)
		}
	}
}

// TestErrorsAreCountedByCode, and their times do not count.
func TestErrorsAreCountedByCode(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	n := 0
	p := plan(serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n++
		turn := n % 5
		mu.Unlock()
		switch turn {
		case 0:
			w.WriteHeader(http.StatusTooManyRequests)
		case 1:
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`)
		case 2:
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"no"}]}}`)
		case 3:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {}\n\n") // ends before the answer
		case 4:
			done(w, r)
		}
	}))
	report, err := load.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	row := report.Kinds[0]
	for _, code := range []string{"http 429", "rpc -32603", "tool error", "connection"} {
		if row.Errors[code] != 40 || report.Examples[code] == nil {
			t.Errorf("%s: %d of 40", code, row.Errors[code])
		}
	}
	if row.Calls != 40 || report.Failed() != 160 {
		t.Errorf("%+v", row)
	}
}

// TestMessagesGoToTheNextServer in turn, without stickiness.
func TestMessagesGoToTheNextServer(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	counts := map[string]int{}
	counting := func(name string) string {
		return serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				mu.Lock()
				counts[name]++
				mu.Unlock()
			}
			done(w, r)
		})
	}
	p := plan(counting("a"))
	p.URLs = append(p.URLs, counting("b"), counting("c"))
	p.Rate, p.Duration = 300, 500*time.Millisecond
	if _, err := load.Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if counts["a"] != 50 || counts["b"] != 50 || counts["c"] != 50 {
		t.Errorf("%v", counts)
	}
}

// TestAnInterruptKeepsWhatWasMeasured.
func TestAnInterruptKeepsWhatWasMeasured(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	n := 0
	p := plan(serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if n++; n == 50 {
			defer cancel()
		}
		done(w, r)
	}))
	p.Duration, p.InFlight = time.Hour, 1 // so each answer is counted before the next call
	report, err := load.Run(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Interrupted || report.Kinds[0].Calls < 40 || report.Failed() > 0 || report.Seconds > 3000 {
		t.Errorf("%+v", report)
	}
	if _, err := json.Marshal(report); err != nil {
		t.Error(err)
	}
}

// TestATokenStaysWithItsServer: a redirect is not followed.
func TestATokenStaysWithItsServer(t *testing.T) {
	t.Parallel()
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other server got %v", r.Header)
	})
	p := plan(serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, http.StatusTemporaryRedirect) }))
	p.Token, p.Duration = "secret", 50*time.Millisecond
	report, err := load.Run(t.Context(), p)
	if err != nil || report.Kinds[0].Errors["http 307"] != 10 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestArrivals: the gaps of a Poisson process have their mean as standard deviation, and the
// same seed draws the same.
func TestArrivals(t *testing.T) {
	t.Parallel()
	const n = 100_000
	p := load.Plan{Rate: 1000, Seed: 7, Eras: []string{load.Sessions, load.Stateless}, Kinds: []load.Kind{{Name: "a", Share: 9}, {Name: "b", Share: 1}}}
	one, same, last := load.NewArrivals(&p), load.NewArrivals(&p), time.Duration(0)
	var sum, squares float64
	kinds := map[int]int{}
	for range n {
		at, kind := one()
		if again, sort := same(); again != at || sort != kind {
			t.Fatal("the same seed draws something else")
		}
		gap := (at - last).Seconds() * 1000 // in means
		sum, squares, last = sum+gap, squares+gap*gap, at
		kinds[kind]++
	}
	mean := sum / n
	deviation := math.Sqrt(squares/n - mean*mean)
	if math.Abs(mean-1) > .02 || math.Abs(deviation-1) > .02 {
		t.Errorf("mean %v, standard deviation %v, of 1", mean, deviation)
	}
	if share := float64(kinds[1]) / n; math.Abs(share-.1) > .01 {
		t.Errorf("a share of %v, not 0.1", share)
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	var all []time.Duration
	for i := range 1000 {
		all = append(all, time.Duration(i+1))
	}
	for share, want := range map[float64]time.Duration{.5: 500, .99: 990, .999: 999, 1: 1000, 0: 1} {
		if got := load.Quantile(all, share); got != want {
			t.Errorf("%v: %d, want %d", share, got, want)
		}
	}
}

// TestEachCallIsAnother: {n} in arguments is another number in each call.
func TestEachCallIsAnother(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]bool{}
	p := plan(serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		if r.Method == http.MethodPost {
			seen[gjson.GetBytes(body, "params.arguments.n").Raw] = true
		}
		mu.Unlock()
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	p.Kinds = []load.Kind{{Name: "a", Tool: "a", Arguments: []byte(`{"n":{n}}`), Share: 1}}
	if _, err := load.Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 200 {
		t.Errorf("%d kinds of arguments in 200 calls", len(seen))
	}
}

func TestWhatAPlanCannotBe(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*load.Plan){
		"no URL":                   func(p *load.Plan) { p.URLs = nil },
		"a rate":                   func(p *load.Plan) { p.Rate = math.NaN() },
		"measure a shorter time":   func(p *load.Plan) { p.Rate, p.Duration = 1e6, time.Hour },
		"needs a session":          func(p *load.Plan) { p.Eras, p.Sessions = []string{load.Sessions}, 0 },
		"no JSON object":           func(p *load.Plan) { p.Kinds = []load.Kind{{Tool: "a", Arguments: []byte("[1]"), Share: 1}} },
		"need a tool that asks":    func(p *load.Plan) { p.Hold = 1 },
		"a share of":               func(p *load.Plan) { p.Kinds = []load.Kind{{}} },
		"is no URL such as":        func(p *load.Plan) { p.URLs = []string{"127.0.0.1:80"} },
		"has a password in it":     func(p *load.Plan) { p.URLs = []string{"http://a:b@localhost/mcp"} },
		"calls in flight at least": func(p *load.Plan) { p.InFlight = 0 },
	} {
		p := plan("http://127.0.0.1:1/mcp")
		change(&p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for url, here := range map[string]bool{"http://127.0.0.1:1/mcp": true, "http://[::1]:1/mcp": true, "http://localhost/mcp": true, "http://127.0.0.1.example.com/": false, "http://10.0.0.1/": false, "http://2130706433/": false} {
		if got, err := load.Loopback(url); got != here || err != nil {
			t.Errorf("%s: %v, %v", url, got, err)
		}
	}
}
