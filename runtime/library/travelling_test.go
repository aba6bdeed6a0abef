package library

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
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

// Only what is gone, was replaced or has ended takes a signed pass away.
func TestSignedPassesAreKept(t *testing.T) {
	dir := t.TempDir()
	at := time.Now()
	text := document("ay", "return 1;", `, "draft": false`)
	write(t, filepath.Join(dir, "ay.json"), text)
	key := signed(t, dir, at.Add(time.Hour), parse(t, text))
	note := filepath.Join(dir, passnote.Name)
	l := open(t, Config{Folders: []string{dir}, PassKeys: key.Keys()})
	l.kept.now = func() time.Time { return at }
	is := func(what string, published bool, says string) {
		t.Helper()
		if err := l.Reload(); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		for _, trouble := range l.Trouble() {
			said.WriteString(trouble.Error())
		}
		if got := l.Tools(nil, nil, nil)[0]; got.Published() != published || !strings.Contains(said.String(), says) || says == "" && said.Len() > 0 {
			t.Errorf("%s: published %v (%s), and it says %q", what, got.Published(), got.Why(), said.String())
		}
	}
	is("signed", true, "")
	whole, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	write(t, note, string(whole[:len(whole)/2]))
	is("half of it", true, "what it held before stays")
	write(t, note, strings.Replace(string(whole), "ay", "by", 1))
	is("changed", true, "what it held before stays")
	if !l.waits() {
		t.Error("nothing is looked at again")
	}
	write(t, note, string(whole))

	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := limit
	none.Cur = 3
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	err = l.Reload()
	if err := errors.Join(err, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)); err != nil {
		t.Fatal(err)
	}
	if !l.Tools(nil, nil, nil)[0].Published() || len(l.Trouble()) == 0 {
		t.Errorf("without a file descriptor: %v", l.Trouble())
	}

	aside := dir + ".aside"
	if err := os.Rename(dir, aside); err != nil {
		t.Fatal(err)
	}
	is("the folder is away", true, "what it held before stays")
	if err := os.Rename(aside, dir); err != nil {
		t.Fatal(err)
	}
	is("it is back", true, "")

	at = at.Add(time.Hour)
	if !l.waits() {
		t.Error("the end goes unnoticed")
	}
	is("after the end", false, "expired")
	at = at.Add(-time.Hour)
	is("before it", true, "")
	if err := os.Remove(note); err != nil {
		t.Fatal(err)
	}
	is("gone", false, "")
	write(t, note, strings.Replace(string(whole), "ay", "by", 1))
	is("nothing was read before", false, "changed after it was signed")
	write(t, note, strings.Repeat("x", passnote.MaxBytes+1))
	is("too large", false, "are the most")
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
