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

	"github.com/glovebox-run/glovebox/catalog"
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
