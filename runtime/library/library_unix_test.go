//go:build unix

package library

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

// TestNoFreeDescriptorsTakeNoTools: a process at its limit cannot open anything.
func TestNoFreeDescriptorsTakeNoTools(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "a.json"), document("ay", "return 1;", `, "draft": false`))
	records := filepath.Join(state, "passes.json")
	passes, err := OpenPasses(records)
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, Config{Folders: []string{dir}, Passes: records})
	if err := passes.Add(l.Entries()[0].Spec.Hash(), Pass{Tool: "ay", At: now}); err != nil {
		t.Fatal(err)
	}
	if p, err := l.Passes(); err != nil || !l.Tools(p, nil, nil)[0].Published() {
		t.Fatal("not published to begin with", err)
	}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 0, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	reloaded := l.Reload()
	p, unread := l.Passes()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if reloaded != nil || !errors.Is(unread, syscall.EMFILE) {
		t.Errorf("reload %v, passes %v", reloaded, unread)
	}
	if tools := l.Tools(p, nil, nil); len(tools) != 1 || !tools[0].Published() {
		t.Errorf("%v, trouble %v", tools, l.Trouble())
	}
}

// The test binary is also the process that is killed in the middle of a save.
func TestMain(m *testing.M) {
	if at := os.Getenv("LIBRARY_KILL_AT"); at != "" {
		saveAndDie(step(at))
	}
	os.Exit(m.Run())
}

// A pipe in the place of the bundle is not waited for, and not replaced.
func TestABundleThatIsNoFileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bundle.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Config{Bundle: path}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}

func saveAndDie(at step) {
	l, err := Open(Config{Bundle: os.Getenv("LIBRARY_BUNDLE")})
	if err != nil {
		panic(err)
	}
	l.before = func(s step) {
		if s == at {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until it arrives
		}
	}
	spec, _ := catalog.Parse([]byte(document("two", "return 2;")))
	l.Save(spec, now)
	os.Exit(0)
}

func TestAKilledSaveLeavesTheOldBundleOrTheNew(t *testing.T) {
	for at, want := range map[step]string{
		stepCreate: "one", stepWrite: "one", stepSync: "one", stepRename: "one", stepSyncDir: "one two", stepDone: "one two",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "bundle.json")
		if _, err := open(t, Config{Bundle: path}).Save(parse(t, document("one", "return 1;")), now); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "LIBRARY_KILL_AT="+string(at), "LIBRARY_BUNDLE="+path)
		err := cmd.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("%s: the child was not killed: %v", at, err)
		}
		l := open(t, Config{Bundle: path})
		got := strings.ReplaceAll(names(l.Entries()), "bundle:", "")
		if got != want || len(l.Trouble()) != 0 {
			t.Errorf("killed at %s: %q, trouble %v", at, got, l.Trouble())
		}
		if _, err := l.Save(parse(t, document("three", "return 3;")), now); err != nil {
			t.Errorf("killed at %s: the next save: %v", at, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".bundle.json.tmp-*")); len(left) != 0 {
			t.Errorf("killed at %s: %v was left behind", at, left)
		}
	}
}

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "b.json"), document("bee", "return 1;"))
	write(t, filepath.Join(dir, "a.json"), document("ay", "return 1;"))
	write(t, filepath.Join(dir, "bundle.json"), `{"toolSpecs":[`+document("sea", "return 1;")+`]}`)
	write(t, filepath.Join(dir, "broken.json"), `{"name":"x"`)
	write(t, filepath.Join(dir, ".hidden.json"), `{`)
	write(t, filepath.Join(dir, "notes.txt"), `{`)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	l := open(t, Config{Folders: []string{dir}})
	if got := names(l.Entries()); got != "folder:ay folder:bee bundle:sea" {
		t.Errorf("found %s", got)
	}
	var trouble []string
	for _, t := range l.Trouble() {
		trouble = append(trouble, strings.ReplaceAll(t.Error(), dir+"/", ""))
	}
	if len(trouble) != 3 || !strings.HasPrefix(trouble[0], "broken.json: ") || trouble[1] != "link.json: no such file or directory" || trouble[2] != "pipe.json: not a regular file" {
		t.Errorf("trouble %q", trouble)
	}
	if _, err := Open(Config{Folders: []string{filepath.Join(dir, "none")}}); err == nil {
		t.Error("a folder that does not exist was opened")
	}
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
