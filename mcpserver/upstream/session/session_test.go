package session

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
)

// fake is a server over pipes. It hands every line to its behaviour.
type fake struct {
	mu    sync.Mutex
	got   []string // methods, and answers as "answer"
	out   *io.PipeWriter
	quit  func()
	dials int
}

func (s *fake) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

func (s *fake) heard() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

// dial makes each connection a new pair of pipes.
func (s *fake) dial(behave func(s *fake, m gjson.Result)) Dial {
	return func(_ context.Context, handle transport.Handle, dropped func(transport.Drop)) (transport.Conn, error) {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		s.mu.Lock()
		s.dials++
		s.out = out
		s.quit = func() { in.Close(); out.Close() }
		s.mu.Unlock()
		go func() {
			for lines := bufio.NewScanner(in); lines.Scan(); {
				m := gjson.Parse(lines.Text())
				s.mu.Lock()
				s.got = append(s.got, m.Get("method").String())
				s.mu.Unlock()
				behave(s, m)
			}
		}()
		return transport.NewStdio(toServer, fromServer, func() { in.Close(); toServer.Close(); out.Close(); fromServer.Close() }, handle, dropped), nil
	}
}

// legacy answers as a server of the older era.
func legacy(s *fake, m gjson.Result) {
	switch id := m.Get("id").Raw; m.Get("method").Str {
	case "initialize":
		s.say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"old"}}}`, id)
	case "server/discover":
		s.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, id)
	case "notifications/initialized", "":
	default:
		s.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
	}
}

func modern(s *fake, m gjson.Result) {
	switch id := m.Get("id").Raw; m.Get("method").Str {
	case "server/discover":
		s.say(`{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2027-01-01","2026-07-28"],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new"}}}}`, id)
	case "initialize":
		s.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, id)
	case "":
	default:
		s.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
	}
}

// Every kind of server ends in the era it speaks.
func TestEras(t *testing.T) {
	ignoring := func(s *fake, m gjson.Result) {
		if m.Get("method").Str != "server/discover" {
			legacy(s, m)
		}
	}
	quitting := func(s *fake, m gjson.Result) {
		if m.Get("method").Str == "server/discover" {
			s.quit()
			return
		}
		legacy(s, m)
	}
	var started time.Time
	slow := func(s *fake, m gjson.Result) { // answers nothing for the first 20 seconds, and then everything
		time.Sleep(time.Until(started.Add(20 * time.Second)))
		modern(s, m)
	}
	for name, c := range map[string]struct {
		behave func(*fake, gjson.Result)
		era    Era
		want   string
		dials  int
	}{
		"old":                      {legacy, Auto, "legacy 2025-06-18 old", 1},
		"old, told":                {legacy, Legacy, "legacy 2025-06-18 old", 1},
		"old, told wrong":          {legacy, Modern, "", 1},
		"new":                      {modern, Auto, "modern 2026-07-28 new", 1},
		"new, told":                {modern, Modern, "modern 2026-07-28 new", 1},
		"new, told wrong":          {modern, Legacy, "", 1},
		"old and ignores":          {ignoring, Auto, "legacy 2025-06-18 old", 1},
		"old and quits":            {quitting, Auto, "legacy 2025-06-18 old", 2},
		"new and slow to start":    {slow, Auto, "modern 2026-07-28 new", 1},
		"answers nothing for ever": {func(*fake, gjson.Result) {}, Auto, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				started = time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				server := &fake{}
				s, err := Open(ctx, server.dial(c.behave), Options{Era: c.era, Name: "t", Version: "1"})
				if err != nil {
					if c.want != "" {
						t.Error(err)
					}
				} else {
					i := s.Info()
					if got := i.Era.String() + " " + i.Protocol + " " + gjson.GetBytes(i.Server, "name").Str; got != c.want {
						t.Errorf("it is %q", got)
					}
					if err := s.Ping(ctx); err != nil {
						t.Error(err)
					}
					s.Close(ctx)
				}
				if server.dials != c.dials {
					t.Errorf("%d connections", server.dials)
				}
				synctest.Wait()
			})
		})
	}
}

// asker answers what a server asks.
type asker struct {
	mu    sync.Mutex
	heard []string
	wait  chan struct{}
}

func (a *asker) Request(ctx context.Context, asked ...Asked) ([]json.RawMessage, error) {
	if a.wait != nil {
		select {
		case <-a.wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if asked[0].Method == "roots/list" {
		return nil, errors.New("no roots today")
	}
	return []json.RawMessage{json.RawMessage(`{"action":"decline"}`)}, nil
}

func (a *asker) Notify(method string, params json.RawMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.heard = append(a.heard, method+string(params))
}

func (*asker) Can(method string) bool { return method != "sampling/createMessage" }

// A request of an older server reaches the one call that runs, and nobody if there are
// several; what the client cannot do or was not offered is refused.
func TestWhoIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan string, 10)
		server := &fake{}
		held := map[string]string{}
		behave := func(s *fake, m gjson.Result) {
			id := m.Get("id").Raw
			switch name := m.Get("params.name").Str; {
			case m.Get("method").Str == "tools/call" && name == "hold":
				held[name] = id
			case m.Get("method").Str == "tools/call":
				held["last"] = id
				s.say(`{"jsonrpc":"2.0","id":"q","method":"%s","params":{}}`, name)
			case m.Get("method").Str == "" && m.Get("id").Str == "q":
				answers <- m.Get("result").Raw + m.Get("error.message").Str
				s.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, held["last"])
			default:
				legacy(s, m)
			}
		}
		s, err := Open(t.Context(), server.dial(behave), Options{Era: Legacy, Offer: Offer{Elicitation: true, Sampling: true}})
		if err != nil {
			t.Fatal(err)
		}
		const no = "no client of a running call answers this"
		p := &asker{}
		ask := func(method string, peer Peer) string {
			t.Helper()
			if _, err := s.Call(t.Context(), &Request{Method: "tools/call", Params: json.RawMessage(`{"name":"` + method + `"}`), Peer: peer}); err != nil {
				t.Error(err)
			}
			return <-answers
		}
		for _, c := range []struct {
			method string
			peer   Peer
			want   string
		}{
			{"elicitation/create", p, `{"action":"decline"}`},
			{"elicitation/create", nil, no},
			{"sampling/createMessage", p, no}, // the client cannot
			{"roots/list", p, no},             // it was not offered
			{"tools/call", p, no},
			{"ping", nil, "{}"},
		} {
			if got := ask(c.method, c.peer); got != c.want {
				t.Errorf("%s: %s", c.method, got)
			}
		}
		// With two calls it is not known whose question it is.
		ctx, cancel := context.WithCancel(t.Context())
		other := make(chan error)
		go func() {
			_, err := s.Call(ctx, &Request{Method: "tools/call", Params: json.RawMessage(`{"name":"hold"}`), Peer: &asker{}})
			other <- err
		}()
		synctest.Wait()
		if got := ask("elicitation/create", p); got != no {
			t.Error(got)
		}
		cancel()
		if err := <-other; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		synctest.Wait()
		if got := server.heard(); got[len(got)-1] != "notifications/cancelled" {
			t.Errorf("the server heard %q", got)
		}
		if n := s.Counts()["refused request"]; n != 5 {
			t.Errorf("counted %v", s.Counts())
		}
		s.Close(t.Context())
	})
}

// The end of a call ends what its client is being asked, and the server may withdraw it.
func TestQuestionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{}
		var call string
		s, err := Open(t.Context(), server.dial(func(s *fake, m gjson.Result) {
			if m.Get("method").Str == "tools/call" {
				call = m.Get("id").Raw
				s.say(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`)
				s.say(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`) // again, with the same id
				s.say(`{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{}}`)
				return
			}
			legacy(s, m)
		}), Options{Era: Legacy, Offer: Offer{Elicitation: true}})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, err := s.Call(t.Context(), &Request{Method: "tools/call", Peer: &asker{wait: make(chan struct{})}})
			done <- err
		}()
		synctest.Wait()
		s.mu.Lock()
		asking := len(s.asking)
		s.mu.Unlock()
		if asking != 2 || s.Counts()["refused request"] != 1 {
			t.Errorf("%d questions, counted %v", asking, s.Counts())
		}
		server.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}`)
		synctest.Wait()
		s.mu.Lock()
		asking = len(s.asking)
		s.mu.Unlock()
		if asking != 1 {
			t.Errorf("%d questions after one was withdrawn", asking)
		}
		server.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, call)
		if err := <-done; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if len(s.asking) != 0 {
			t.Errorf("%d questions after the call", len(s.asking))
		}
		s.Close(t.Context())
	})
}

// A flood of changes becomes a few.
func TestChangesAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{}
		told := make(chan Changes, 2000)
		s, err := Open(t.Context(), server.dial(legacy), Options{Era: Legacy, Changed: func(c Changes) { told <- c }})
		if err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			server.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			server.say(`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		if len(told) != 3 || <-told != (Changes{Tools: true, Prompts: true}) {
			t.Errorf("told %d times", len(told))
		}
		s.Close(t.Context())
	})
}

// A server that has no capacity is asked again a few times.
func TestBusyServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{}
		calls := 0
		s, err := Open(t.Context(), server.dial(func(s *fake, m gjson.Result) {
			if m.Get("method").Str == "tools/call" {
				if calls++; m.Get("params._meta.io\\.modelcontextprotocol/protocolVersion").Str != "2026-07-28" || (calls > 1) != (m.Get("params.requestState").Str == "s") {
					t.Errorf("call %d: %s", calls, m.Raw)
				}
				s.say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","requestState":"s"}}`, m.Get("id").Raw)
				return
			}
			modern(s, m)
		}), Options{Era: Modern})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := s.Call(t.Context(), &Request{Method: "tools/call"}); err == nil || calls != 1+maxBusy || time.Since(began) != 7*busyPause {
			t.Errorf("%d calls in %v: %v", calls, time.Since(began), err)
		}
		s.Close(t.Context())
	})
}

// What can only look has no method that calls.
func TestLookerCannotCall(t *testing.T) {
	var methods []string
	for _, m := range reflect.VisibleFields(reflect.TypeFor[Looker]()) {
		if m.IsExported() {
			t.Errorf("%s is open", m.Name)
		}
	}
	for i := range reflect.TypeFor[*Looker]().NumMethod() {
		methods = append(methods, reflect.TypeFor[*Looker]().Method(i).Name)
	}
	if got := strings.Join(methods, " "); got != "Close Counts Info List Page Read" {
		t.Error(got)
	}
	synctest.Test(t, func(t *testing.T) {
		server := &fake{}
		l, err := Look(t.Context(), server.dial(legacy), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.List(t.Context(), "tools/call"); err == nil {
			t.Error("it called")
		}
		if _, err := l.List(t.Context(), "tools/list"); err != nil {
			t.Error(err)
		}
		if got := strings.Join(server.heard(), " "); got != "server/discover initialize notifications/initialized tools/list" {
			t.Error(got)
		}
		l.Close(t.Context())
	})
}

// A subscription that takes the place of another waits for the end of that one, and what
// may have changed in between is said to have.
func TestSubscriptionsFollowEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type heard struct {
			method, params string
			at             time.Time
		}
		all := make(chan heard, 100)
		server := &fake{}
		changed := make(chan Changes, 10)
		s, err := Open(t.Context(), server.dial(func(s *fake, m gjson.Result) {
			switch method := m.Get("method").Str; method {
			case "server/discover":
				s.say(`{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}}`, m.Get("id").Raw)
			default:
				all <- heard{method, m.Get("params").Raw, time.Now()}
			}
		}), Options{Era: Modern, Changed: func(c Changes) { changed <- c }})
		if err != nil {
			t.Fatal(err)
		}
		if first := <-all; first.method != "subscriptions/listen" || !strings.Contains(first.params, `"toolsListChanged":true`) {
			t.Errorf("%+v", first)
		}
		if err := s.Subscribe(t.Context(), "test://a"); err != nil {
			t.Fatal(err)
		}
		cancelled, second := <-all, <-all
		if cancelled.method != "notifications/cancelled" || second.method != "subscriptions/listen" || second.at.Sub(cancelled.at) < relistenPause ||
			!strings.Contains(second.params, `"resourceSubscriptions":["test://a"]`) || !strings.Contains(second.params, `"toolsListChanged":true`) {
			t.Errorf("%+v, %+v", cancelled, second)
		}
		if c := <-changed; c != (Changes{Tools: true}) {
			t.Errorf("%+v", c)
		}
		s.Close(t.Context())
	})
}
