package service

import (
	"context"
	"errors"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/local"
)

// events collects the events of a service.
type events struct {
	mu  sync.Mutex
	all []Event
}

func (e *events) tell(event Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, event)
}

// take returns the events since the last take.
func (e *events) take() []Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.all
	e.all = nil
	return all
}

func load(t *testing.T, settings map[string]string) *config.Loaded {
	t.Helper()
	flags := map[string][]string{"listen": {"127.0.0.1:0"}}
	for path, text := range settings {
		flags[path] = []string{text}
	}
	l, err := config.Load(config.Sources{Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func open(t *testing.T, state string, l *config.Loaded) (*Service, *events) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	told := new(events)
	s, err := Open(t.Context(), Options{Configuration: l, Version: "test", Tell: told.tell, Place: Place{State: state, Cache: filepath.Join(cache, "glovebox-test")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, told
}

func client(t *testing.T, s *Service) *mcp.ClientSession {
	t.Helper()
	endpoint := httptest.NewServer(s.Handler(mcpserver.HTTP{Open: true}))
	t.Cleanup(endpoint.Close)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint.URL + "/mcp", DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// runs reports whether a client's call of uuid succeeds.
func runs(t *testing.T, c *mcp.ClientSession) bool {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "uuid", Arguments: map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	return !result.IsError
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestApplyIsAllOrNothing: one file among many is broken, and no part of the
// configuration takes effect: neither what was read before that file, nor what
// needs no file. Once the file is repaired, all of it does.
func TestApplyIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	whole := map[string]string{
		"secrets":  "A=1\n",
		"policy":   "max_bytes: 100000\n",
		"gitleaks": "[[rules]]\nid = \"x\"\nkeywords = [\"x-\"]\nregex = '''x-[0-9]{20}'''\n",
		"bundle":   `{"toolSpecs": []}`,
		"token":    "their-own-token\n",
	}
	for name, text := range whole {
		write(t, path(name), text)
	}
	before := map[string]string{"specs.preset": "dev-essentials"}
	after := map[string]string{
		"specs.preset": "everything", "policy.unasked": "L4", "world.allow_open": "true", "limits.timeout": "7s", "hosts": "elsewhere.example",
		"world.secrets": path("secrets"), "sanitiser.policy": path("policy"), "sanitiser.gitleaks": path("gitleaks"), "specs.bundle": path("bundle"), "token.file": path("token"),
	}
	s, told := open(t, filepath.Join(dir, "state"), load(t, before))
	endpoint, err := s.Listen() // from now on the token is required
	if err != nil {
		t.Fatal(err)
	}
	defer endpoint.listener.Close()
	c := client(t, s)
	if !runs(t, c) {
		t.Fatal("the tool does not run")
	}
	stricter := load(t, after)
	stricter.Policy.Tools = refuseUUID
	told.take()

	type state struct {
		configuration *config.Loaded
		rt, stock     any
		token         string
		hosts, tools  int
		open          bool
	}
	now := func() state {
		token, hosts := s.door()
		return state{s.Configuration(), s.rt, s.stock, token.ID(), len(hosts), s.Tools(), s.world.AllowOpen}
	}
	was := now()
	for _, name := range slices.Sorted(maps.Keys(whole)) {
		for _, broken := range []string{"gone", "unreadable"} {
			if err := os.Remove(path(name)); err != nil {
				t.Fatal(err)
			}
			if broken == "unreadable" {
				write(t, path(name), "\x00{[")
				if name == "bundle" { // not an error: it is set aside and reported
					write(t, path(name), whole[name])
					continue
				}
			}
			if err := s.Apply(stricter, nil); err == nil {
				t.Fatalf("%s %s: applied", name, broken)
			}
			if now() != was || !runs(t, c) {
				t.Errorf("%s %s: %+v, was %+v", name, broken, now(), was)
			}
			if said := told.take(); len(said) > 0 {
				t.Errorf("%s %s: told %v", name, broken, said)
			}
			// As the watcher does it.
			s.change(stricter, nil, nil)
			if said := told.take(); len(said) != 1 || !isA[Kept](said[0]) || now() != was {
				t.Errorf("%s %s: told %v", name, broken, said)
			}
			write(t, path(name), whole[name])
		}
	}
	s.change(nil, nil, errors.New("it cannot be read"))
	if said := told.take(); len(said) != 1 || !strings.Contains(said[0].String(), "it cannot be read") || now() != was {
		t.Errorf("told %v", said)
	}

	if err := s.Apply(stricter, nil); err != nil {
		t.Fatal(err)
	}
	if is := now(); is.configuration != stricter || is.rt == was.rt || is.stock == was.stock || is.token == was.token || is.hosts != 1 || is.tools <= was.tools || !is.open {
		t.Errorf("%+v, was %+v", is, was)
	}
	if runs(t, client(t, s)) {
		t.Error("the policy does not count")
	}
	s.Close()
	if err := s.Apply(stricter, nil); !errors.Is(err, errClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func isA[T Event](e Event) bool {
	_, ok := e.(T)
	return ok
}

// TestWhatDidNotChangeIsNotPreparedAgain: a policy change leaves the tools as they
// are; a limit does not.
func TestWhatDidNotChangeIsNotPreparedAgain(t *testing.T) {
	l := load(t, map[string]string{"specs.preset": "dev-essentials"})
	s, told := open(t, t.TempDir(), l)
	first := maps.Clone(s.shelf.prepared)
	policy := *l
	policy.Policy.Tools = refuseUUID
	limits := policy
	limits.Limits.Fuel++
	for _, row := range []struct {
		to   *config.Loaded
		same bool
	}{{l, true}, {&policy, true}, {&limits, false}} {
		if err := s.Apply(row.to, nil); err != nil {
			t.Fatal(err)
		}
		if len(first) == 0 || maps.Equal(s.shelf.prepared, first) != row.same {
			t.Errorf("%d tools, the same: %v", len(first), !row.same)
		}
	}
	if said := told.take(); len(said) != 3 {
		t.Errorf("told %v", said)
	}
}

// TestWithheldIsToldOnce, and again if it was served in between. What is served from the
// first offer on is not told.
func TestWithheldIsToldOnce(t *testing.T) {
	told := new(events)
	s := shelf{tell: told.tell}
	a, b := Withheld{"a", "a draft"}, Withheld{"", "b.json: it is no JSON"}
	unset := Withheld{"a", "not set: KEY"}
	for _, row := range []struct {
		now    []Withheld
		served bool
		want   []Event
	}{
		{[]Withheld{a, b}, false, []Event{a, b}},
		{[]Withheld{b, a}, false, nil},
		{[]Withheld{b}, true, []Event{Serving{"a"}}},
		{[]Withheld{a, b}, false, []Event{a}},
		{[]Withheld{unset, b}, false, []Event{unset}},
		{[]Withheld{b}, false, nil},                  // it is gone
		{[]Withheld{b}, true, []Event{Serving{"a"}}}, // it was never withheld
		{[]Withheld{b}, true, nil},
	} {
		s.tellWithheld(row.now, map[string]bool{"a": row.served, "always": true})
		if got := told.take(); !slices.Equal(got, row.want) {
			t.Errorf("%v: told %v, want %v", row.now, got, row.want)
		}
	}
}

// TestNothingStaysOpen: after a failed start, and after Close, the state folder has
// no owner, and the next start succeeds.
func TestNothingStaysOpen(t *testing.T) {
	state := t.TempDir()
	broken := load(t, map[string]string{"policy.contract": filepath.Join(state, "none.json")})
	for range 2 {
		var setup *SetupError
		if _, err := Open(t.Context(), Options{Configuration: broken, Place: Place{State: state}}); !errors.As(err, &setup) || !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%v", err)
		}
		s, _ := open(t, state, load(t, map[string]string{"specs.preset": "dev-essentials"}))
		var second *SetupError
		hurried, cancel := context.WithTimeout(t.Context(), 2*time.Second) // the first one does not listen, so it is waited for
		if _, err := Open(hurried, Options{Configuration: broken, Place: Place{State: state}}); !errors.As(err, &second) || !errors.Is(err, local.ErrOwned) {
			t.Errorf("two own the state folder: %v", err)
		}
		cancel()
		s.Close()
		s.Close()
	}
}
