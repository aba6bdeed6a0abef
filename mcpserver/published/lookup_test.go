package published

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/risk/score"
)

// registry answers in the forms that the three registries document, and keeps what it
// was asked.
type registry struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string
	answer http.HandlerFunc // instead, if set
}

func newRegistry(t *testing.T) *registry {
	r := &registry{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.asked = append(r.asked, req.URL.EscapedPath())
		answer := r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(w, req)
			return
		}
		switch req.URL.EscapedPath() {
		case "/@upstash%2Fcontext7-mcp/latest":
			fmt.Fprint(w, `{"name":"@upstash/context7-mcp","version":"4.1.1","dist":{"tarball":"https://example.com/x.tgz"}}`)
		case "/pypi/diffctx/json":
			fmt.Fprint(w, `{"info":{"name":"diffctx","version":"1.20.0"},"releases":{"0.1":[]},"urls":[]}`)
		case "/github.com/!acme/server/@latest":
			fmt.Fprint(w, `{"Version":"v0.9.0","Time":"2026-10-01T00:00:00Z"}`)
		default:
			http.NotFound(w, req)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *registry) requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

// clock is a time that tests move.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func (r *registry) lookup(t *testing.T, c *clock, change ...func(*Options)) *Lookup {
	t.Helper()
	o := Options{
		Packages: map[string]Package{
			"Context7": {"Context7", NPM, "@upstash/context7-mcp"}, "diffctx": {"diffctx", PyPI, "diffctx"},
			"acme": {"acme", Go, "github.com/Acme/server"}, "gone": {"gone", NPM, "gone"},
		},
		Bases: map[Registry]string{NPM: r.URL + "/", PyPI: r.URL, Go: r.URL}, Folder: t.TempDir(),
		Resolve: netguard.SystemResolve, Dial: netguard.SystemDial, Now: c.Now,
	}
	for _, each := range change {
		each(&o)
	}
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestEachRegistry(t *testing.T) {
	r, c := newRegistry(t), &clock{time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)}
	l := r.lookup(t, c)
	for server, want := range map[string]score.Published{
		"Context7": {Registry: "npm", Package: "@upstash/context7-mcp", Version: "4.1.1", Asked: c.now},
		"diffctx":  {Registry: "pypi", Package: "diffctx", Version: "1.20.0", Asked: c.now},
		"acme":     {Registry: "go", Package: "github.com/Acme/server", Version: "v0.9.0", Asked: c.now},
		"gone":     {Registry: "npm", Package: "gone", Asked: c.now, Problem: "npm did not say it: the answer has status 404"},
	} {
		if got := l.Of(t.Context(), server); got == nil || *got != want {
			t.Errorf("%s: %+v, want %+v", server, got, want)
		}
	}
	before := len(r.requests())
	for _, stranger := range []string{"", "context7", "Context7 ", "@upstash/context7-mcp", "../../x", strings.Repeat("a", 1<<20)} {
		if got := l.Of(t.Context(), stranger); got != nil || len(r.requests()) != before {
			t.Errorf("%.20q: %+v; the registry was asked %q", stranger, got, r.requests()[before:])
		}
	}
}

func TestAnswersCountForAnHour(t *testing.T) {
	r, c := newRegistry(t), &clock{time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)}
	first := c.now
	dir := t.TempDir()
	in := func(o *Options) { o.Folder = dir }
	var wait sync.WaitGroup
	l := r.lookup(t, c, in)
	for range 50 {
		wait.Go(func() { l.Of(context.Background(), "Context7") })
	}
	wait.Wait()
	ask := func(server string, requests int, asked time.Time) {
		t.Helper()
		for _, l := range []*Lookup{l, r.lookup(t, c, in)} { // this process and a later one
			if p := l.Of(t.Context(), server); p == nil || !p.Asked.Equal(asked) {
				t.Errorf("%+v, want it asked at %s", p, asked)
			}
		}
		if n := len(r.requests()); n != requests {
			t.Errorf("%d requests, want %d", n, requests)
		}
	}
	ask("Context7", 1, first)
	c.now = first.Add(Fresh - time.Second)
	ask("Context7", 1, first)
	c.now = first.Add(Fresh)
	ask("Context7", 2, c.now)

	failed := c.now
	ask("gone", 3, failed)
	c.now = failed.Add(retry - time.Second)
	ask("gone", 3, failed)
	c.now = failed.Add(retry)
	ask("gone", 4, c.now)

	// An answer of another registry, or from the future, is none.
	c.now = first.Add(Fresh - time.Second)
	ask("Context7", 5, c.now)
	other := newRegistry(t)
	if p := other.lookup(t, c, in).Of(t.Context(), "Context7"); p.Version != "4.1.1" || len(other.requests()) != 1 {
		t.Errorf("%+v after %d requests", p, len(other.requests()))
	}
}

func TestBadAnswers(t *testing.T) {
	c := &clock{time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)}
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"hangs":        {func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }, "npm did not answer within 50ms"},
		"redirects":    {func(w http.ResponseWriter, req *http.Request) { http.Redirect(w, req, "/elsewhere", http.StatusFound) }, "the answer has status 302"},
		"too large":    {func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, maxAnswer+1)) }, "longer than"},
		"no JSON":      {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, "no JSON"},
		"no version":   {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"version":1}`) }, "no version"},
		"long version": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"version":"%0200d"}`, 1) }, "no version"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t)
			r.answer = tc.answer
			l := r.lookup(t, c, func(o *Options) {
				if name == "hangs" {
					o.Timeout = 50 * time.Millisecond
				}
			})
			p := l.Of(t.Context(), "Context7")
			if p == nil || p.Version != "" || !strings.Contains(p.Problem, tc.want) {
				t.Errorf("%+v, want %q", p, tc.want)
			}
			if asked := r.requests(); len(asked) != 1 {
				t.Errorf("asked %q", asked)
			}
		})
	}
}

// A public registry is not looked for on private addresses.
func TestPublicRegistryIsPublic(t *testing.T) {
	r, c := newRegistry(t), &clock{time.Now()}
	l := r.lookup(t, c, func(o *Options) {
		o.Bases = nil
		o.Resolve = r.here
	})
	if p := l.Of(t.Context(), "Context7"); p == nil || !strings.Contains(p.Problem, "resolved-private-ip") {
		t.Errorf("%+v", p)
	}
}

func TestPackages(t *testing.T) {
	all, err := Packages()
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
	for server, p := range all {
		if _, _, err := question(p); err != nil {
			t.Errorf("%s: %v", server, err)
		}
	}
	for _, bad := range []string{`{}`, `[{"server":"a","registry":"cpan","name":"a"}]`, `[{"registry":"npm","name":"a"}]`, `[{"server":"a","registry":"npm","name":"a"},{"server":"a","registry":"npm","name":"b"}]`} {
		if _, err := parse([]byte(bad)); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
	for _, bad := range []map[Registry]string{{"cpan": "https://example.com"}, {NPM: "example.com"}, {NPM: "ftp://example.com"}, {NPM: "https://user:word@example.com"}} {
		if _, err := New(Options{Bases: bad}); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}

// here resolves every name to this machine.
func (r *registry) here(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}
