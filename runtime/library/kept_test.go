package library

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
)

func reload(t *testing.T, l *Library) {
	t.Helper()
	if err := l.Reload(); err != nil {
		t.Fatal(err)
	}
}

// TestAFolderThatIsAwayKeepsItsTools: for a while, and not when it was taken away.
func TestAFolderThatIsAwayKeepsItsTools(t *testing.T) {
	root := t.TempDir()
	dir, bundle := filepath.Join(root, "tools"), filepath.Join(root, "own", "bundle.json")
	for _, d := range []string{dir, filepath.Dir(bundle)} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "a.json"), document("ay", "return 1;"))
	write(t, bundle, `{"toolSpecs":[`+document("bee", "return 1;")+`]}`)
	l := open(t, Config{Folders: []string{dir}, Bundle: bundle})
	clock := time.Unix(0, 0)
	l.kept.now = func() time.Time { return clock }
	const both = "folder:ay bundle:bee"
	for _, away := range []string{dir, filepath.Dir(bundle)} {
		if err := os.Rename(away, away+".away"); err != nil {
			t.Fatal(err)
		}
		for range 3 { // 0, 2 and 4 seconds
			reload(t, l)
			if got := names(l.Entries()); got != both || !l.waits() {
				t.Errorf("%s is away: %s", away, got)
			}
			if trouble := l.Trouble(); len(trouble) != 1 || !trouble[0].Kept || !strings.Contains(trouble[0].Error(), "stays") {
				t.Errorf("trouble %v", trouble)
			}
			clock = clock.Add(2 * time.Second)
		}
		clock = clock.Add(awayFor)
		reload(t, l)
		if got := names(l.Entries()); got == both || l.waits() || len(l.Trouble()) != 1 {
			t.Errorf("%s was taken away: %s, %v", away, got, l.Trouble())
		}
		if err := os.Rename(away+".away", away); err != nil {
			t.Fatal(err)
		}
		reload(t, l)
		if got := names(l.Entries()); got != both || len(l.Trouble()) > 0 {
			t.Errorf("%s is back: %s, %v", away, got, l.Trouble())
		}
	}
	if err := os.Remove(filepath.Join(dir, "a.json")); err != nil {
		t.Fatal(err)
	}
	reload(t, l)
	if got := names(l.Entries()); got != "bundle:bee" || len(l.Trouble()) > 0 {
		t.Errorf("after the file was removed: %s, %v", got, l.Trouble())
	}
}

// TestAFileThatCannotBeReadKeepsItsTools: half written, or not to be read at all. A
// whole document that is wrong is what the operator wrote.
func TestAFileThatCannotBeReadKeepsItsTools(t *testing.T) {
	dir := t.TempDir()
	tool, many, own := filepath.Join(dir, "a.json"), filepath.Join(dir, "many.json"), filepath.Join(t.TempDir(), "bundle.json")
	whole := map[string]string{
		tool: document("ay", "return 1;"),
		many: `{"toolSpecs":[` + document("many", "return 1;") + `]}`,
		own:  `{"toolSpecs":[` + document("own", "return 1;") + `]}`,
	}
	for path, text := range whole {
		write(t, path, text)
	}
	l := open(t, Config{Folders: []string{dir}, Bundle: own})
	const all = "folder:ay bundle:many bundle:own"
	for path, text := range whole {
		for n := range len(text) {
			if n%7 > 0 && n > 8 {
				continue
			}
			write(t, path, text[:n])
			reload(t, l)
			if got := names(l.Entries()); got != all || len(l.Trouble()) != 1 || !l.Trouble()[0].Kept {
				t.Fatalf("%q: %s, %v", text[:n], got, l.Trouble())
			}
		}
		// A loop of links is an error that is not "does not exist", also for root.
		if err := errors.Join(os.Remove(path), os.Symlink(path, path)); err != nil {
			t.Fatal(err)
		}
		reload(t, l)
		if got := names(l.Entries()); got != all || len(l.Trouble()) != 1 {
			t.Errorf("cannot be read: %s, %v", got, l.Trouble())
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
		reload(t, l)
		if got := names(l.Entries()); got != all || len(l.Trouble()) > 0 {
			t.Errorf("whole again: %s, %v", got, l.Trouble())
		}
	}
	if left, err := filepath.Glob(own + ".corrupt-*"); len(left) > 0 || err != nil {
		t.Errorf("a bundle that was being written was moved: %v, %v", left, err)
	}
	write(t, tool, `{"name": "ay"}`)
	reload(t, l)
	if got := names(l.Entries()); got != "bundle:many bundle:own" {
		t.Errorf("a spec without code: %s", got)
	}
}

func TestPassesKeepWhatWasReadBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "passes.json")
	p, err := OpenPasses(path)
	if err != nil {
		t.Fatal(err)
	}
	h := catalog.ContentHash{7}
	if err := p.Add(h, Pass{Tool: "x", At: now}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(text) - 2 {
		write(t, path, string(text[:n]))
		if err := p.Reload(); err == nil || !p.Has(h) {
			t.Fatalf("%q: %v", text[:n], err)
		}
	}
	if _, err := os.Stat(path + ".corrupt-1"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file that was being written was moved")
	}
	if err := errors.Join(os.Remove(path), p.Reload()); err != nil || p.Has(h) {
		t.Error("records that were deleted pass tools", err)
	}
}

// TestWatchSeesPasses: another process has tested a tool, and no file of the folders
// has changed.
func TestWatchSeesPasses(t *testing.T) {
	dir, records := t.TempDir(), filepath.Join(t.TempDir(), "passes.json")
	write(t, filepath.Join(dir, "a.json"), document("ay", "return 1;", `, "draft": false`))
	l := open(t, Config{Folders: []string{dir}, Passes: records})
	p, err := l.Passes()
	if err != nil {
		t.Fatal(err)
	}
	if why := l.Tools(p, nil, nil)[0].Why(); !strings.Contains(why, "no Local Pass here; run glovebox test "+filepath.Join(dir, "a.json")) {
		t.Errorf("why: %s", why)
	}
	changed := make(chan error, 1)
	go l.Watch(t.Context(), func(err error) { changed <- err })
	other, err := OpenPasses(records)
	if err != nil {
		t.Fatal(err)
	}
	// The watch may begin after the first record, so add until it is seen.
	for n := byte(0); ; n++ {
		if err := errors.Join(other.Add(l.Entries()[0].Spec.Hash(), Pass{Tool: "ay", At: now}), other.Add(catalog.ContentHash{n}, Pass{})); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-changed:
			p, reread := l.Passes()
			if err != nil || reread != nil || !l.Tools(p, nil, nil)[0].Published() {
				t.Fatalf("after the pass: %v, %v", err, reread)
			}
			return
		case <-time.After(2 * lookEvery):
		}
	}
}

// Records of the first format are read, and written in the present one; those of a
// newer program are refused, and not set aside.
func TestPassRecordsHaveAVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "passes.json")
	old := `{"` + strings.Repeat("ab", 32) + `": {"tool": "old", "at": "2026-01-02T03:04:05Z", "runtime": "r"}}`
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := OpenPasses(path)
	if err != nil || len(p.byHash) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	if err := p.Add(catalog.ContentHash{1}, Pass{Tool: "new"}); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	if n, err := CountPasses(text); n != 2 || err != nil || !strings.Contains(string(text), `"version": 1`) {
		t.Errorf("%d, %v: %s", n, err, text)
	}
	newer := `{"version": 2, "passes": {}}`
	if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"reload": p.Reload(), "add": p.Add(catalog.ContentHash{2}, Pass{}), "open": func() error { _, err := OpenPasses(path); return err }()} {
		if err == nil || !strings.Contains(err.Error(), "version 2") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if text, _ := os.ReadFile(path); string(text) != newer {
		t.Errorf("it was changed: %s", text)
	}
}

// FuzzPasses: the file lies on a disk that others may write to.
func FuzzPasses(f *testing.F) {
	f.Add([]byte(`{"version":1,"passes":{"ab":{"tool":"a","at":"2026-01-02T03:04:05Z","runtime":"r"}}}`))
	f.Add([]byte(`{"ab":{"tool":"a"}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := decodePasses(text)
		if err == nil && all == nil {
			t.Errorf("%q: no records to add to", text)
		}
	})
}
