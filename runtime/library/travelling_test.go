package library

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

// signed writes the passes of specs into a folder, with a new key.
func signed(t *testing.T, dir string, until time.Time, specs ...*catalog.Spec) passnote.Key {
	t.Helper()
	key, err := MakePassKey(filepath.Join(t.TempDir(), "pass.key"))
	if err != nil {
		t.Fatal(err)
	}
	s := Signing{Until: until, Passed: map[catalog.ContentHash]passnote.Pass{}}
	for _, spec := range specs {
		s.Passed[spec.Hash()] = passnote.Pass{Tool: spec.Name(), At: time.Now()}
	}
	if err := SignPasses(dir, s, key, time.Now()); err != nil {
		t.Fatal(err)
	}
	return key
}

// Other content is not what passed; neither is a draft, or a spec without a key.
func TestSignedPassesAreOfContent(t *testing.T) {
	dir := t.TempDir()
	text := document("ay", "return 1;", `, "draft": false`)
	key := signed(t, dir, time.Time{}, parse(t, text))
	for what, row := range map[string]struct {
		text      string
		keys      passnote.Keys
		published bool
		why       string
	}{
		"as it passed": {text, key.Keys(), true, ""},
		"edited":       {document("ay", "return 2;", `, "draft": false`), key.Keys(), false, "is not what passed in"},
		"renamed":      {document("by", "return 1;", `, "draft": false`), key.Keys(), false, "no Local Pass here"},
		"a draft":      {document("ay", "return 1;", `, "draft": true`), key.Keys(), false, "a draft"},
		"no key":       {text, passnote.Keys{}, false, "no Local Pass here"},
	} {
		write(t, filepath.Join(dir, "ay.json"), row.text)
		tool := open(t, Config{Folders: []string{dir}, PassKeys: row.keys}).Tools(nil, nil, nil)[0]
		if tool.Published() != row.published || !row.published && !strings.Contains(tool.Why(), row.why) {
			t.Errorf("%s: published %v, %s", what, tool.Published(), tool.Why())
		}
	}
	// Beside a bundle as in a folder.
	bundle := filepath.Join(dir, "bundle.json")
	write(t, bundle, `{"toolSpecs": [`+text+`]}`)
	if l := open(t, Config{Bundle: bundle, PassKeys: key.Keys()}); !l.Tools(nil, nil, nil)[0].Published() {
		t.Error("not beside a bundle")
	}
}

// What other runs signed stays, what failed goes, and nothing is replaced that another
// key signed.
func TestSigningAddsUp(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	one, two := parse(t, document("one", "return 1;")), parse(t, document("two", "return 2;"))
	key := signed(t, dir, time.Time{}, one)
	var all sync.WaitGroup
	for n := range byte(8) {
		all.Go(func() {
			s := Signing{Passed: map[catalog.ContentHash]passnote.Pass{{n}: {Tool: "t", At: now}}}
			if err := SignPasses(dir, s, key, now); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s := Signing{Passed: map[catalog.ContentHash]passnote.Pass{two.Hash(): {Tool: "two", At: now}}, Failed: []catalog.ContentHash{one.Hash()}}
	if err := SignPasses(dir, s, key, now); err != nil {
		t.Fatal(err)
	}
	n, err := CheckNote(dir, key.Keys(), now)
	if _, failed := n.Passes[one.Hash()]; err != nil || len(n.Passes) != 9 || failed {
		t.Errorf("%d passes, with the failed one: %v, %v", len(n.Passes), failed, err)
	}
	write(t, filepath.Join(dir, passnote.Name), "not this")
	if err := SignPasses(dir, s, key, now); !errors.Is(err, passnote.ErrNoNote) {
		t.Errorf("over something else: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, passnote.Name)); err != nil {
		t.Fatal(err)
	}
	if err := SignPasses(dir, s, key, now); err != nil {
		t.Fatal(err)
	}
	other, err := passnote.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := SignPasses(dir, s, other, now); !errors.Is(err, passnote.ErrUnknown) {
		t.Errorf("with another key: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 1 {
		t.Errorf("%v lie there, %v", left, err)
	}
}

func TestPassKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "pass.key")
	if _, err := ReadPassKey(path); !errors.Is(err, ErrNoKey) {
		t.Errorf("no key: %v", err)
	}
	var all sync.WaitGroup
	keys := make([]passnote.Key, 4)
	for i := range keys {
		all.Go(func() {
			var err error
			if keys[i], err = MakePassKey(path); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, k := range keys {
		if k.Public() != keys[0].Public() {
			t.Error("two of the same file differ")
		}
	}
	for _, row := range []struct {
		text string
		mode os.FileMode
		says string
	}{{keys[0].Private(), 0o640, "run chmod 600"}, {"nonsense", 0o600, "no private key"}} {
		if err := errors.Join(os.WriteFile(path, []byte(row.text), 0o600), os.Chmod(path, row.mode)); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPassKey(path); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%q, %v: %v", row.text, row.mode, err)
		}
		if _, err := MakePassKey(path); err == nil {
			t.Error("it was replaced")
		}
	}
}

// TestACopyInAnotherFolderIsNoSecondTool: what a server publishes to its cluster comes back
// to it. Two files of one folder, and other content in two own folders, still clash.
func TestACopyInAnotherFolderIsNoSecondTool(t *testing.T) {
	own, shared := t.TempDir(), t.TempDir()
	one := document("one", "return 1;", `, "draft": false`)
	write(t, filepath.Join(own, "one.json"), one)
	write(t, filepath.Join(shared, "one.json"), one)
	l := open(t, Config{Folders: []string{own, shared}})
	count := func(files, clashes int) {
		t.Helper()
		if err := l.Reload(); err != nil {
			t.Fatal(err)
		}
		clashing := 0
		tools := l.Tools(nil, nil, nil)
		for _, tool := range tools {
			clashing += len(tool.Problems)
		}
		if len(tools) != files || clashing != clashes {
			t.Errorf("%d files and %d clashes; want %d and %d", len(tools), clashing, files, clashes)
		}
	}
	count(1, 0)
	if file := l.Entries()[0].File; filepath.Dir(file) != own {
		t.Errorf("%s counts", file)
	}
	write(t, filepath.Join(own, "two.json"), one)
	count(2, 2)
	write(t, filepath.Join(own, "two.json"), document("one", "return 2;", `, "draft": false`))
	count(2, 2)
	for _, name := range []string{"one.json", "two.json"} {
		if err := os.Remove(filepath.Join(own, name)); err != nil {
			t.Fatal(err)
		}
	}
	count(1, 0)
}

// TestWhatIsSharedCounts against an own spec of the same name with other content, as long as
// it may be served; an own draft is left alone.
func TestWhatIsSharedCounts(t *testing.T) {
	own, shared := t.TempDir(), t.TempDir()
	const plain = `, "draft": false`
	passes, err := OpenPasses(filepath.Join(t.TempDir(), "passes.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"return 1;", "return 2;"} {
		if err := passes.Add(parse(t, document("one", body, plain)).Hash(), Pass{Tool: "one", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		name, own, shared string
		served            string // folder
		why               string // of the other one
	}{
		{"both passed", document("one", "return 1;", plain), document("one", "return 2;", plain), shared, "publish this one"},
		{"the shared one has no pass", document("one", "return 1;", plain), document("one", "return 3;", plain), own, "no Local Pass"},
		{"an own draft", document("one", "return 1;", `, "draft": true, "toolId": "t"`), document("one", "return 2;", plain), shared, "a draft"},
		{"neither has a pass", document("one", "return 3;", plain), document("one", "return 4;", plain), "", "neither is published"},
	} {
		write(t, filepath.Join(own, "one.json"), row.own)
		write(t, filepath.Join(shared, "one.json"), row.shared)
		l := open(t, Config{Folders: []string{own, shared}, Shared: shared})
		for _, tool := range l.Tools(passes, nil, nil) {
			if here := filepath.Dir(tool.File); tool.Published() != (here == row.served) {
				t.Errorf("%s: %s is served: %v (%s)", row.name, tool.File, tool.Published(), tool.Why())
			} else if here != row.served && !strings.Contains(tool.Why(), row.why) {
				t.Errorf("%s: %s: %s", row.name, tool.File, tool.Why())
			}
		}
	}
}
