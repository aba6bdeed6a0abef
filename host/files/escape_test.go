//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func link(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func TestSymbolicLinks(t *testing.T) {
	s := newStage(t, map[string]string{"in.txt": "in", "d/f": "f"})
	link(t, "in.txt", s.work+"/rel")
	link(t, s.work+"/in.txt", s.work+"/abs")
	link(t, s.lent+"/lent.txt", s.work+"/tolent")
	link(t, s.outside+"/secret.txt", s.work+"/out")
	link(t, s.outside, s.work+"/outdir")
	link(t, "../outside/secret.txt", s.work+"/outrel")
	link(t, s.outside+"/not-there", s.work+"/dangling")
	link(t, "nowhere", s.work+"/danglingin")
	link(t, "loop", s.work+"/loop")
	link(t, "d", s.work+"/indir")
	link(t, s.work+"/d", s.work+"/absdir")
	a := s.open(t, everything)
	const readOut, writeLink, writeOut = "SECURITY path-escapes-base", "SECURITY write-through-symlink", "SECURITY write-outside-workspace"
	for _, c := range []struct{ op, args, want string }{
		{"readText", "rel", "in"}, {"readText", "abs", "in"}, {"readText", "tolent", "lent"},
		{"readText", "indir/f", "f"}, {"readText", "absdir/f", "f"},
		{"readText", "out", readOut}, {"readText", "outrel", readOut}, {"readText", "outdir/secret.txt", readOut}, {"readText", "dangling", readOut},
		{"readText", "outdir/d/deep.txt", readOut}, {"readText", "outdir/nope", readOut},
		{"readText", "danglingin", "HELPER_RUNTIME io"}, {"readText", "loop", "HELPER_RUNTIME io"},
		{"readText", "outdir/../in.txt", "in"}, // ".." is text, not where a link leads
		{"exists", `{"path":"out"}`, "false"}, {"exists", `{"path":"outdir"}`, "false"}, {"exists", `{"path":"abs"}`, "true"}, {"exists", `{"path":"loop"}`, "false"},
		{"stat", `{"path":"out"}`, readOut}, {"list", `{"path":"outdir"}`, readOut}, {"find", `{"dir":"outdir"}`, readOut}, {"search", `{"dir":"outdir","pattern":"s"}`, readOut},
		{"grep", `{"path":"out","pattern":"s"}`, readOut},
		{"list", `{"path":"absdir"}`, `["d/f"]`},
		{"search", `{"pattern":"secret"}`, "[]"},
		{"find", `{"glob":"deep.txt"}`, "[]"},
		{"writeText", `{"path":"rel","text":"!"}`, writeLink}, {"writeText", `{"path":"out","text":"!"}`, writeLink}, {"writeText", `{"path":"dangling","text":"!"}`, writeLink},
		{"writeText", `{"path":"outdir/x","text":"!"}`, writeOut}, {"writeText", `{"path":"outdir/d/x","text":"!"}`, writeOut}, {"writeText", `{"path":"tolent/x","text":"!"}`, writeOut},
		{"appendText", `{"path":"out","text":"!"}`, writeLink}, {"editText", `{"path":"out","old":"secret","new":"!"}`, writeLink},
		{"copy", `{"from":"out","to":"x"}`, readOut}, {"copy", `{"from":"in.txt","to":"out"}`, writeLink}, {"copy", `{"from":"in.txt","to":"outdir/x"}`, writeOut},
		{"move", `{"from":"in.txt","to":"outdir/x"}`, writeOut}, {"move", `{"from":"outdir/secret.txt","to":"x"}`, writeOut}, {"move", `{"from":"out","to":"x"}`, writeLink},
		{"delete", `{"path":"outdir/secret.txt"}`, writeOut}, {"delete", `{"path":"out"}`, writeLink},
		{"deleteDir", `{"path":"outdir"}`, writeLink}, {"deleteDir", `{"path":"outdir/d"}`, writeOut},
		{"writeText", `{"path":"indir/g","text":"g"}`, `"` + s.work + `/d/g"`},
	} {
		if got := outcome(call(a, c.op, c.args)); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.op, c.args, got, c.want)
		}
	}
	// Links go with their directory and what they lead to stays.
	link(t, s.outside, s.work+"/d/out")
	if got := outcome(call(a, "deleteDir", `{"path":"d"}`)); got != "4" {
		t.Errorf("deleteDir: %s", got)
	}
	if content(t, s.outside+"/secret.txt") != "secret" || content(t, s.outside+"/d/deep.txt") != "deep secret" {
		t.Error("what lies outside was changed")
	}
	if entries, _ := os.ReadDir(s.outside); len(entries) != 2 {
		t.Errorf("outside now has %v", entries)
	}
}

func TestWhatIsNoPlainFileIsNotOpened(t *testing.T) {
	s := newStage(t, map[string]string{"in.txt": "in"})
	if err := errors.Join(os.Link(s.outside+"/secret.txt", s.work+"/hard"), syscall.Mkfifo(s.work+"/pipe", 0o600)); err != nil {
		t.Fatal(err)
	}
	a := s.open(t, everything)
	for _, c := range []struct{ op, args, want string }{
		{"readText", "hard", "SECURITY path-escapes-base"},
		{"appendText", `{"path":"hard","text":"!"}`, "SECURITY path-escapes-base"},
		{"copy", `{"from":"hard","to":"x"}`, "SECURITY path-escapes-base"},
		{"search", `{"pattern":"secret"}`, "[]"},
		{"readText", "pipe", "HELPER_RUNTIME io"}, // and does not wait for a writer
		{"list", `{"path":"pipe"}`, "INVALID_INPUT not-a-directory"},
		{"copy", `{"from":"pipe","to":"x"}`, "INVALID_INPUT copy-source-not-file"},
		{"writeText", `{"path":"pipe","text":"x"}`, "HELPER_RUNTIME io"},
		// Overwriting replaces the name; the other name keeps its content.
		{"writeText", `{"path":"hard","text":"mine"}`, `"` + s.work + `/hard"`},
	} {
		if got := outcome(call(a, c.op, c.args)); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.op, c.args, got, c.want)
		}
	}
	if content(t, s.outside+"/secret.txt") != "secret" || content(t, s.work+"/hard") != "mine" {
		t.Error("a hard link was written through")
	}
	dev, err := OpenReadRoot("/dev")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	devices, err := Open(Want{Read: true}, s.space, []*ReadRoot{dev})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/dev/zero", "/dev/null", "/dev/tty"} {
		if got := outcome(call(devices, "readText", name)); got != "HELPER_RUNTIME io" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// While calls run, a directory and a file turn into links that lead outside and
// back. No call may see or change what lies there.
func TestSwappedLinksNeverEscape(t *testing.T) {
	s := newStage(t, map[string]string{"d/secret.txt": "harmless", "d/d/deep.txt": "harmless"})
	a := s.open(t, everything)
	var stop atomic.Bool
	var swapper, callers sync.WaitGroup
	swapper.Go(func() {
		for !stop.Load() {
			os.Rename(s.work+"/d", s.work+"/kept")
			os.Symlink(s.outside, s.work+"/d")
			os.RemoveAll(s.work + "/d") // a writer may have made a folder where there was none for a moment
			os.Symlink("../outside", s.work+"/d")
			os.RemoveAll(s.work + "/d")
			os.Rename(s.work+"/kept", s.work+"/d")
			os.Rename(s.work+"/d/secret.txt", s.work+"/d/kept")
			os.Symlink(s.outside+"/secret.txt", s.work+"/d/secret.txt")
			os.Remove(s.work + "/d/secret.txt")
			os.Rename(s.work+"/d/kept", s.work+"/d/secret.txt")
		}
	})
	var harmless atomic.Int64
	enough := time.Now().Add(time.Minute)
	for range 4 {
		callers.Go(func() {
			// On a busy machine the links may be in the way of the first 60 rounds.
			for round := 0; round < 60 || harmless.Load() == 0 && time.Now().Before(enough); round++ {
				for _, c := range [][2]string{
					{"readText", "d/secret.txt"}, {"readText", "d/d/deep.txt"}, {"grep", `{"pattern":"","path":"d/secret.txt"}`}, {"search", `{"pattern":"e"}`},
					{"writeText", `{"path":"d/new","text":"mine"}`}, {"appendText", `{"path":"d/secret.txt","text":""}`}, {"delete", `{"path":"d/new"}`},
					{"copy", `{"from":"d/d/deep.txt","to":"d/copied"}`}, {"delete", `{"path":"d/copied"}`},
				} {
					text, err := call(a, c[0], c[1])
					if strings.Contains(text, "secret\"") || text == "secret" || strings.Contains(text, "deep secret") {
						t.Errorf("%v saw %q", c, text)
					}
					if text == "harmless" {
						harmless.Add(1)
					}
					if strings.Contains(outcome(text, err), "not for the guest") {
						t.Error(err)
					}
				}
			}
		})
	}
	callers.Wait()
	stop.Store(true)
	swapper.Wait()
	if harmless.Load() == 0 {
		t.Error("no read ever worked; the test shows nothing")
	}
	if content(t, s.outside+"/secret.txt") != "secret" || content(t, s.outside+"/d/deep.txt") != "deep secret" {
		t.Error("a file outside was changed")
	}
	for dir, want := range map[string]int{s.outside: 2, s.outside + "/d": 1} {
		if entries, _ := os.ReadDir(dir); len(entries) != want {
			t.Errorf("%s now has %v", dir, entries)
		}
	}
}

// Readers beside a writer see one of the texts it wrote, never a part.
func TestWritesAreWhole(t *testing.T) {
	s := newStage(t, nil)
	a := s.open(t, everything)
	texts := []string{strings.Repeat("a", 1<<16), strings.Repeat("b", 1<<17), ""}
	if _, err := call(a, "writeText", `{"path":"f","text":""}`); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; !stop.Load(); i++ {
			if _, err := call(a, "writeText", `{"path":"f","text":"`+texts[i%len(texts)]+`"}`); err != nil {
				t.Error(err)
			}
		}
	})
	for range 60 {
		got, err := call(a, "readText", "f")
		if err != nil || got != texts[0] && got != texts[1] && got != texts[2] {
			t.Errorf("read %d bytes, %v", len(got), err)
		}
	}
	stop.Store(true)
	writer.Wait()
}

// What a killed writer left behind goes when the workspace is opened again, but
// not what another process may still be writing.
func TestAbandonedWritesAreCleared(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"old", "new"} {
		if err := os.WriteFile(filepath.Join(dir, tempPrefix+name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stale := filepath.Join(dir, tempPrefix+"old")
	info, err := os.Stat(stale)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(stale, info.ModTime(), info.ModTime().Add(-2*abandoned)); err != nil {
		t.Fatal(err)
	}
	space, err := OpenWorkspace(dir, Quota{})
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	if _, err := os.Stat(stale); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the abandoned file is there: %v", err)
	}
	a, err := Open(everything, space, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcome(call(a, "list", `{}`)); got != "[]" {
		t.Errorf("listed: %s", got)
	}
	if left := leftovers(t, dir); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}
