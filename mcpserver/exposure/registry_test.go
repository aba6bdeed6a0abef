package exposure_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

func openRegistry(t *testing.T, s *store.Store, now func() time.Time) *exposure.Registry {
	t.Helper()
	r, err := exposure.Open(t.Context(), s, now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func registration(name string) exposure.Registration {
	return exposure.Registration{Config: upstream.Config{Name: name, Kind: upstream.Stdio, Command: []string{name}}, Origin: exposure.ByCommand}
}

// TestTheRegistryRefuses what would be taken for something else, or cannot be kept.
func TestTheRegistryRefuses(t *testing.T) {
	r := openRegistry(t, openStore(t), time.Now)
	for _, name := range []string{"", "A", "-a", "a b", "library", "contract", "glovebox", "exposed", strings.Repeat("a", 64)} {
		if err := r.Add(t.Context(), registration(name)); err == nil {
			t.Errorf("%q was registered", name)
		}
	}
	for _, change := range []func(*exposure.Registration){
		func(g *exposure.Registration) { g.State = "on" },
		func(g *exposure.Registration) { g.Origin = "" },
		func(g *exposure.Registration) { g.Policy.FirstSight = "always" },
		func(g *exposure.Registration) { g.Policy.Elicitation = "yes" },
		func(g *exposure.Registration) { g.Config.Command = nil },
	} {
		g := registration("a")
		change(&g)
		if err := r.Add(t.Context(), g); err == nil {
			t.Errorf("%+v was registered", g)
		}
	}
	if err := r.Add(t.Context(), registration("a")); err != nil {
		t.Fatal(err)
	}
	if err := r.Add(t.Context(), registration("a")); !errors.Is(err, exposure.ErrExists) {
		t.Error(err)
	}
	if got := r.Now().Upstream("a"); got == nil || got.State != exposure.Quarantined || got.Added.IsZero() {
		t.Errorf("%+v", got)
	}
	err := r.Update(t.Context(), "a", func(g *exposure.Registration) error { g.Config.Name = "b"; return nil })
	if err == nil || r.Now().Upstream("b") != nil {
		t.Error("it has another name")
	}
	if err := r.Update(t.Context(), "b", func(*exposure.Registration) error { return nil }); !errors.Is(err, exposure.ErrNone) {
		t.Error(err)
	}
	for _, e := range []exposure.Exposure{
		{Tools: []exposure.Member{{Tool: "t", Alias: "a b"}}}, {Tools: []exposure.Member{{Tool: ""}}}, {Tools: []exposure.Member{{Tool: "t"}, {Tool: "t"}}},
		{Tools: []exposure.Member{{Tool: "t", Upstream: "other"}}}, {All: true, Prefix: "a b"}, {All: true, Cap: 99}, {Tools: []exposure.Member{{Tool: "t", Description: strings.Repeat("x", 9<<10)}}},
	} {
		err := r.Expose(t.Context(), "a", "ada", func(to *exposure.Exposure) error { *to = e; to.Upstream = "a"; return nil })
		if err == nil {
			t.Errorf("%+v was kept", e)
		}
	}
}

// TestWhatTheConfigurationSaysIsNotChangedHere, and goes before what is stored.
func TestWhatTheConfigurationSaysIsNotChangedHere(t *testing.T) {
	r := openRegistry(t, openStore(t), time.Now)
	if err := r.Add(t.Context(), registration("a")); err != nil {
		t.Fatal(err)
	}
	configured := registration("a")
	configured.State = exposure.Enabled
	changes := 0
	r.Watch(func() { changes++ })
	err := r.Configure(exposure.Configured{
		Upstreams: []exposure.Registration{configured}, Exposures: []exposure.Exposure{{Upstream: "a", All: true}},
		Compositions: []exposure.Composition{{Name: "desk", Members: []exposure.Member{{Upstream: "a", Tool: "t"}}}},
	})
	if err != nil || changes != 1 {
		t.Fatal(err, changes)
	}
	v := r.Now()
	if g := v.Upstream("a"); g.State != exposure.Enabled || g.Origin != exposure.ByConfiguration || len(v.Upstreams) != 1 || v.Exposure("a") == nil || v.Composition("desk") == nil {
		t.Errorf("%+v", v)
	}
	for _, err := range []error{
		r.Remove(t.Context(), "a"), r.Add(t.Context(), registration("a")), r.Update(t.Context(), "a", func(*exposure.Registration) error { return nil }),
		r.Expose(t.Context(), "a", "", func(*exposure.Exposure) error { return nil }), r.DeleteComposition(t.Context(), "desk"),
		r.UpdateComposition(t.Context(), "desk", "", func(*exposure.Composition) error { return nil }),
	} {
		if !errors.Is(err, exposure.ErrConfigured) {
			t.Errorf("%v", err)
		}
	}
	bad := configured
	bad.Policy.FirstSight = "always"
	if err := r.Configure(exposure.Configured{Upstreams: []exposure.Registration{bad}}); err == nil || r.Now().Upstream("a").Policy.FirstSight != "" {
		t.Error("a wrong configuration replaced something")
	}
	if err := r.Configure(exposure.Configured{}); err != nil || r.Now().Upstream("a").State != exposure.Quarantined {
		t.Error("what was stored did not come back")
	}
}

// TestADamagedRegistryClosesTheDoor: what cannot be read is said, offers nothing, and the
// way out that is given works.
func TestADamagedRegistryClosesTheDoor(t *testing.T) {
	s := openStore(t)
	r := openRegistry(t, s, time.Now)
	g := registration("a")
	g.State = exposure.Enabled
	if err := r.Add(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	all := func(e *exposure.Exposure) error { e.All = true; return nil }
	if err := r.Expose(t.Context(), "a", "ada", all); err != nil {
		t.Fatal(err)
	}
	if err := r.CreateComposition(t.Context(), exposure.Composition{Name: "desk", Members: []exposure.Member{{Upstream: "a", Tool: "t"}}}); err != nil {
		t.Fatal(err)
	}
	for bucket, keys := range map[string][]string{"glovebox-upstreams": {"a"}, "glovebox-compositions": {"exposure.a", "composition.desk"}} {
		b, err := s.Bucket(t.Context(), store.BucketConfig{Name: bucket, MaxValue: 900 << 10, MaxBytes: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			e, err := b.Get(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.Update(t.Context(), key, []byte(strings.Replace(string(e.Value), "a", "b", 1)), e.Revision); err != nil {
				t.Fatal(err)
			}
		}
	}
	r = openRegistry(t, s, time.Now)
	v := r.Now()
	if len(v.Damaged) != 3 || len(v.Upstreams)+len(v.Exposures)+len(v.Compositions) != 0 {
		t.Fatalf("%+v", v)
	}
	o := exposure.Admit(exposure.Admission{Damaged: v.Damaged})
	if len(o.Withheld) != 2 || o.Withheld[0].Code != exposure.Unreadable || !strings.Contains(o.Withheld[0].Why, "damaged") {
		t.Errorf("%+v", o.Withheld)
	}
	if err := r.Expose(t.Context(), "a", "ada", all); err == nil {
		t.Error("what cannot be read was written over")
	}
	none := func(e *exposure.Exposure) error { *e = exposure.Exposure{Upstream: "a"}; return nil }
	for _, err := range []error{r.Expose(t.Context(), "a", "ada", none), r.Expose(t.Context(), "a", "ada", all), r.Remove(t.Context(), "a"), r.Add(t.Context(), g), r.DeleteComposition(t.Context(), "desk")} {
		if err != nil {
			t.Error(err)
		}
	}
	if v := r.Now(); len(v.Damaged) != 0 || v.Upstream("a") == nil {
		t.Errorf("%+v", v)
	}
}

// TestTwoProcessesShareARegistry: each hears of the other's changes.
func TestTwoProcessesShareARegistry(t *testing.T) {
	s := openStore(t)
	one, other := openRegistry(t, s, time.Now), openRegistry(t, s, time.Now)
	heard := make(chan struct{}, 10)
	other.Watch(func() { heard <- struct{}{} })
	if err := one.Add(t.Context(), registration("a")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-heard:
	case <-time.After(2 * time.Minute):
		t.Fatal("nothing was heard")
	}
	if other.Now().Upstream("a") == nil {
		t.Error("it is not there")
	}
	if err := other.Add(t.Context(), registration("a")); !errors.Is(err, exposure.ErrExists) {
		t.Error(err)
	}
}

// TestCompositionsAreKept with a revision, a cap and who changed them.
func TestCompositionsAreKept(t *testing.T) {
	r := openRegistry(t, openStore(t), time.Now)
	c := exposure.Composition{Name: "desk", Enabled: true, Members: []exposure.Member{{Upstream: "a", Tool: "t"}}}
	if err := r.CreateComposition(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := r.Now().Composition("desk"); got.Enabled || got.Cap != mcp.L3 || got.Revision != 1 {
		t.Errorf("%+v", got)
	}
	if err := r.CreateComposition(t.Context(), c); !errors.Is(err, exposure.ErrExists) {
		t.Error(err)
	}
	if err := r.UpdateComposition(t.Context(), "desk", "ada", func(c *exposure.Composition) error { c.Cap = mcp.L2; return nil }); err != nil {
		t.Fatal(err)
	}
	if got := r.Now().Composition("desk"); got.Cap != mcp.L2 || got.Revision != 2 || got.By != "ada" {
		t.Errorf("%+v", got)
	}
	if err := r.DeleteComposition(t.Context(), "desk"); err != nil || r.Now().Composition("desk") != nil {
		t.Error(err)
	}
	if err := r.DeleteComposition(t.Context(), "desk"); !errors.Is(err, exposure.ErrNone) {
		t.Error(err)
	}
}

// TestTheLastUseFeedsTheScore: it is written once an hour, and a server of the catalog
// that was not used for more than 90 days is a level worse.
func TestTheLastUseFeedsTheScore(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := openRegistry(t, openStore(t), func() time.Time { return now })
	for range 2 {
		if err := r.Used(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Minute)
	}
	if got := r.LastUsed("a"); !got.Equal(now.Add(-2 * time.Minute)) {
		t.Errorf("%v", got)
	}
	catalog, err := servers.Bundled()
	if err != nil {
		t.Fatal(err)
	}
	notion := exposure.Registration{Config: upstream.Config{Name: "notion", Kind: upstream.HTTP, URL: "https://mcp.notion.com/mcp"}}
	for days, want := range map[int]mcp.Level{0: mcp.L1, 90: mcp.L1, 91: mcp.L2} {
		got := exposure.PreviewOf(notion, false, now.Add(-time.Duration(days)*24*time.Hour), now, catalog)
		if got.Level != want || !got.Vouched {
			t.Errorf("%d days: %v, vouched %v, want %v", days, got.Level, got.Vouched, want)
		}
	}
}
