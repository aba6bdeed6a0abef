package exposure_test

import (
	"errors"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// TestWhatIsCalledStandsInAllOfTheCluster: what an operator takes away at one server is gone
// at the others, and without a majority nobody believes what was true some seconds ago.
func TestWhatIsCalledStandsInAllOfTheCluster(t *testing.T) {
	t.Parallel()
	members := natstest.Three(t)
	open := func() *exposure.Registry {
		s, err := store.Connect(t.Context(), store.Cluster{URL: natstest.URL(members...), Replicas: 3})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		r, err := exposure.Open(t.Context(), s, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	here, there := open(), open()
	becomes := func(r *exposure.Registry, set string, want bool) {
		t.Helper()
		for started := time.Now(); ; time.Sleep(5 * time.Millisecond) {
			stands, err := r.Stands(t.Context(), "notes", set)
			if err == nil && stands == want {
				return
			}
			if time.Since(started) > time.Minute {
				t.Fatalf("%q stands: %v, %v", set, stands, err)
			}
		}
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	becomes(here, exposure.Exposed, false)
	ok(here.Add(t.Context(), exposure.Registration{Config: upstream.Config{Name: "notes", Kind: upstream.Stdio, Command: []string{"notes"}}, State: exposure.Enabled, Origin: exposure.ByCommand}))
	becomes(there, exposure.Exposed, false) // it is not exposed
	ok(there.Expose(t.Context(), "notes", "ada", func(e *exposure.Exposure) error { e.All = true; return nil }))
	becomes(here, exposure.Exposed, true)
	becomes(there, exposure.Exposed, true)
	becomes(here, "sum", false)
	ok(here.Update(t.Context(), "notes", func(r *exposure.Registration) error { r.State = exposure.Disabled; return nil }))
	if stands, err := here.Stands(t.Context(), "notes", exposure.Exposed); err != nil || stands {
		t.Errorf("where it was disabled it stands: %v, %v", stands, err)
	}
	becomes(there, exposure.Exposed, false)
	ok(here.Update(t.Context(), "notes", func(r *exposure.Registration) error { r.State = exposure.Enabled; return nil }))
	becomes(there, exposure.Exposed, true)

	members[1].Shutdown()
	members[2].Shutdown()
	for started := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		_, err := there.Stands(t.Context(), "notes", exposure.Exposed)
		if kept := (*store.Error)(nil); errors.As(err, &kept) {
			break
		}
		if time.Since(started) > time.Minute {
			t.Fatal("without a majority it still stands")
		}
	}
}
