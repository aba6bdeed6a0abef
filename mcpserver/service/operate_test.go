package service

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// TestOperate: wherever opening fails, there is an error and no gateway, and nothing keeps
// the state folder from the next one; what a verb did is there for it.
func TestOperate(t *testing.T) {
	state := t.TempDir()
	o := Options{Configuration: load(t, nil), Place: Place{State: state}}
	missing := load(t, map[string]string{"world.secrets": filepath.Join(state, "none")})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, fail := range map[string]func() error{
		"secrets": func() error {
			broken := o
			broken.Configuration = missing
			g, done, err := Operate(t.Context(), broken, "test")
			if g != nil || done != nil {
				t.Error("there is a gateway of broken parts")
			}
			return err
		},
		"store": func() error {
			broken := o
			broken.Place.State = t.TempDir() // the other cases may have made a store
			if err := os.WriteFile(filepath.Join(broken.Place.State, "store"), []byte("no folder"), 0o600); err != nil {
				t.Fatal(err)
			}
			g, done, err := Operate(t.Context(), broken, "test")
			if g != nil || done != nil {
				t.Error("there is a gateway without a store")
			}
			return err
		},
		"context": func() error {
			g, done, err := Operate(gone, o, "test")
			if err == nil {
				g.Servers()
				done()
				return gone.Err() // it was quick enough
			}
			return err
		},
	} {
		if err := fail(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	g, done, err := Operate(t.Context(), o, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Add(t.Context(), exposure.Registration{Config: upstream.Config{Name: "x", Kind: upstream.HTTP, URL: "https://x.example/"}, State: exposure.Quarantined, Origin: exposure.ByCommand}); err != nil {
		t.Error(err)
	}
	done()
	if g, done, err = Operate(t.Context(), o, "test"); err != nil {
		t.Fatal(err)
	}
	defer done()
	if all := g.Servers(); len(all) != 1 || all[0].Name() != "x" {
		t.Errorf("%+v", all)
	}
}
