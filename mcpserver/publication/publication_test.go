package publication_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/publication"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// fixture is a shelf, its bucket, and a folder that mirrors it.
type fixture struct {
	*testing.T
	shelf  *publication.Shelf
	values *store.Bucket
	dir    string
	said   chan error
}

func newFixture(t *testing.T) *fixture {
	s, err := store.Connect(t.Context(), store.Cluster{URL: natstest.One(t, nil).ClientURL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	f := &fixture{T: t, dir: filepath.Join(t.TempDir(), "specs"), said: make(chan error, 100)}
	if f.shelf, err = publication.Open(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if f.values, err = s.Bucket(t.Context(), store.BucketConfig{Name: "glovebox-specs", MaxValue: 1 << 20, MaxBytes: 256 << 20}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- f.shelf.Mirror(ctx, f.dir, func(err error) { f.said <- err }) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return f
}

// holds waits until the folder has exactly these files.
func (f *fixture) holds(want map[string]string) {
	f.Helper()
	var have map[string]string
	for started := time.Now(); time.Since(started) < 2*time.Minute; time.Sleep(5 * time.Millisecond) {
		have = map[string]string{}
		found, _ := os.ReadDir(f.dir)
		for _, e := range found {
			text, _ := os.ReadFile(filepath.Join(f.dir, e.Name()))
			have[e.Name()] = string(text)
		}
		if fmt.Sprint(have) == fmt.Sprint(want) {
			return
		}
	}
	f.Fatalf("the folder has %v instead of %v", have, want)
}

func (f *fixture) put(files map[string]string) {
	f.Helper()
	all := map[string][]byte{}
	for name, text := range files {
		all[name] = []byte(text)
	}
	if _, err := f.shelf.Put(f.Context(), all, "ada", time.Now()); err != nil {
		f.Fatal(err)
	}
}

func TestTheFolderIsWhatIsPublished(t *testing.T) {
	f := newFixture(t)
	f.holds(map[string]string{})
	f.put(map[string]string{"a.json": "1", "b.json": "1"})
	f.holds(map[string]string{"a.json": "1", "b.json": "1"})
	// What somebody leaves there is not published, and does not stay.
	if err := os.WriteFile(filepath.Join(f.dir, "c.json"), []byte("left"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.put(map[string]string{"a.json": "2"})
	f.holds(map[string]string{"a.json": "2"})
	if kept, err := f.values.List(t.Context(), "file.*"); err != nil || len(kept) != 1 {
		t.Errorf("%d files are kept, %v", len(kept), err)
	}
	if _, err := f.shelf.Withdraw(t.Context(), "ada", time.Now()); err != nil {
		t.Fatal(err)
	}
	f.holds(map[string]string{})
	if _, err := f.shelf.Now(t.Context()); !errors.Is(err, publication.ErrNone) {
		t.Error(err)
	}
}

// TestWhatIsNotTaken: nothing in the store makes a server write outside of its folder, or
// take a file for another.
func TestWhatIsNotTaken(t *testing.T) {
	f := newFixture(t)
	f.put(map[string]string{"a.json": "good"})
	f.holds(map[string]string{"a.json": "good"})
	good, err := f.shelf.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hash := good.Files["a.json"]
	wrong := strings.Repeat("0", 64)
	if _, err := f.values.Create(t.Context(), "file."+wrong, []byte("something else")); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]publication.Publication{
		"above":        {Version: 1, Files: map[string]string{"../a.json": hash}},
		"absolute":     {Version: 1, Files: map[string]string{"/tmp/a.json": hash}},
		"a folder":     {Version: 1, Files: map[string]string{"x/a.json": hash}},
		"of Windows":   {Version: 1, Files: map[string]string{`x\a.json`: hash}},
		"hidden":       {Version: 1, Files: map[string]string{".a.json": hash}},
		"a key":        {Version: 1, Files: map[string]string{"a.json": "*"}},
		"newer":        {Version: 2, Files: map[string]string{}},
		"changed":      {Version: 1, Files: map[string]string{"a.json": wrong}},
		"missing":      {Version: 1, Files: map[string]string{"a.json": strings.Repeat("1", 64)}},
		"control code": {Version: 1, Files: map[string]string{"a\n.json": hash}},
	} {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		e, err := f.values.Latest(t.Context(), "current")
		if err != nil {
			t.Fatal(err)
		}
		for len(f.said) > 0 {
			<-f.said
		}
		if _, err := f.values.Update(t.Context(), "current", text, e.Revision); err != nil {
			t.Fatal(err)
		}
		for err = nil; err == nil; {
			err = <-f.said
		}
		f.holds(map[string]string{"a.json": "good"})
		if name == "newer" {
			if _, err := f.shelf.Put(t.Context(), nil, "ada", time.Now()); err == nil {
				t.Error("what a newer program published was thrown away")
			}
		}
	}
}

func TestWhatIsNotPublished(t *testing.T) {
	f := newFixture(t)
	many := map[string][]byte{}
	for n := range publication.MaxFiles + 1 {
		many[fmt.Sprint(n, ".json")] = nil
	}
	for name, files := range map[string]map[string][]byte{
		"a name":    {"../a.json": nil},
		"a size":    {"a.json": make([]byte, publication.MaxFile+1)},
		"too many":  many,
		"no name":   {"": nil},
		"long name": {strings.Repeat("a", 201): nil},
	} {
		if _, err := f.shelf.Put(t.Context(), files, "ada", time.Now()); !errors.Is(err, publication.ErrFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
