package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// stage is a workspace with a second readable root and a directory that is not
// lent at all, all with symbolic links resolved in their names.
type stage struct {
	work, lent, outside string
	space               *Workspace
	root                *ReadRoot
}

func newStage(t testing.TB, layout map[string]string) *stage {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{work: filepath.Join(base, "work"), lent: filepath.Join(base, "lent"), outside: filepath.Join(base, "outside")}
	for dir, files := range map[string]map[string]string{
		s.work: layout, s.lent: {"lent.txt": "lent"}, s.outside: {"secret.txt": "secret", "d/deep.txt": "deep secret"},
	} {
		for name, text := range files {
			name = filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.space, err = OpenWorkspace(s.work, Quota{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.space.Close() })
	if s.root, err = OpenReadRoot(s.lent); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.root.Close() })
	return s
}

func (s *stage) open(t testing.TB, want Want) *Access {
	t.Helper()
	a, err := Open(want, s.space, []*ReadRoot{s.root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

var everything = Want{Read: true, Write: true, Destroy: true}

// call makes a call as the guest does: with JSON.
func call(a *Access, op, args string) (string, error) {
	handlers := map[string]hostcall.Handler{
		"list": hostcall.JSON(Helper, a.Read.List), "exists": hostcall.JSON(Helper, a.Read.Exists), "stat": hostcall.JSON(Helper, a.Read.Stat),
		"grep": hostcall.JSON(Helper, a.Read.Grep), "lineCount": hostcall.JSON(Helper, a.Read.LineCount), "slice": hostcall.JSON(Helper, a.Read.Slice),
		"cut": hostcall.JSON(Helper, a.Read.Cut), "sort": hostcall.JSON(Helper, a.Read.Sort), "find": hostcall.JSON(Helper, a.Read.Find),
		"search": hostcall.JSON(Helper, a.Read.Search), "readText": a.Read.ReadText,
	}
	if a.Write != nil {
		handlers["writeText"], handlers["appendText"] = hostcall.JSON(Helper, a.Write.WriteText), hostcall.JSON(Helper, a.Write.AppendText)
		handlers["editText"], handlers["copy"] = hostcall.JSON(Helper, a.Write.EditText), hostcall.JSON(Helper, a.Write.Copy)
	}
	if a.Destroy != nil {
		handlers["move"], handlers["delete"], handlers["deleteDir"] = hostcall.JSON(Helper, a.Destroy.Move), hostcall.JSON(Helper, a.Destroy.Remove), hostcall.JSON(Helper, a.Destroy.RemoveDir)
	}
	text, _, err := handlers[op](context.Background(), budgettest.Ample(), []byte(args), nil)
	return string(text), err
}

func outcome(text string, err error) string {
	var e *hostcall.Error
	if errors.As(err, &e) {
		return string(e.Kind) + " " + e.Reason
	}
	if err != nil {
		return "not for the guest: " + err.Error()
	}
	return text
}

var layout = map[string]string{
	"hello.txt": "world", "sub/nested.txt": "deep", "log": "INFO start\nERROR one\nwarn error low\nERROR two",
	"five": "l1\nl2\nl3\nl4\nl5", "t.tsv": "a\tb\tc\nd\te\tf", "u": "b\na\nB\na", "n": "10\n9\nabc\n2\n\n 1e3 \n-2\nInfinity\n1_0",
	"crlf": "a\r\nb\rc\n\n", "empty": "", "once": "one two one", "d/a.json": "{}", "d/e/b.json": "{}", ".hidden": "h", "bin": "\xff\xfe", "É": "É\né\nstrasse",
	"units": "\U0001F600\n\uFF5E\na\u00e9\nab",
}

// leftovers returns temporary files that should be gone.
func leftovers(t testing.TB, dir string) (left []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if strings.HasPrefix(d.Name(), tempPrefix) {
			left = append(left, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func content(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestChangesReachTheDisk(t *testing.T) {
	s := newStage(t, layout)
	a := s.open(t, everything)
	for _, c := range [][2]string{
		{"writeText", `{"path":"a/b","text":"ü\u2028"}`}, {"appendText", `{"path":"a/b","text":"+"}`}, {"appendText", `{"path":"fresh","text":"x"}`},
		{"editText", `{"path":"hello.txt","old":"world","new":""}`}, {"copy", `{"from":"once","to":"five"}`}, {"move", `{"from":"log","to":"u"}`},
		{"delete", `{"path":"empty"}`}, {"deleteDir", `{"path":"d"}`},
	} {
		if text, err := call(a, c[0], c[1]); err != nil {
			t.Fatalf("%v: %s %v", c, text, err)
		}
	}
	for name, want := range map[string]string{"a/b": "ü\u2028+", "fresh": "x", "hello.txt": "", "five": "one two one", "once": "one two one", "u": layout["log"]} {
		if got := content(t, filepath.Join(s.work, name)); got != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
	for _, gone := range []string{"empty", "d", "log"} {
		if _, err := os.Lstat(filepath.Join(s.work, gone)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", gone, err)
		}
	}
	if info, err := os.Stat(filepath.Join(s.work, "hello.txt")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("an edit changed the mode: %v %v", info.Mode(), err)
	}
}

func TestStat(t *testing.T) {
	s := newStage(t, layout)
	a := s.open(t, everything)
	var got Stat
	text, err := call(a, "stat", `{"path":"hello.txt"}`)
	if err != nil || json.Unmarshal([]byte(text), &got) != nil {
		t.Fatal(text, err)
	}
	info, err := os.Stat(filepath.Join(s.work, "hello.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Stat{Size: 5, Mtime: info.ModTime().UnixMilli()}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if text, _ := call(a, "stat", `{"path":"sub"}`); !strings.Contains(text, `"directory":true`) {
		t.Errorf("a directory: %s", text)
	}
}

func TestBaseConfinesEverything(t *testing.T) {
	s := newStage(t, layout)
	for _, base := range []string{"d", filepath.Join(s.work, "d"), "./d/", "sub/../d"} {
		a := s.open(t, Want{Read: true, Write: true, Destroy: true, Base: base})
		for _, c := range []struct{ op, args, want string }{
			{"readText", "a.json", "{}"}, // relative paths begin in the base
			{"readText", s.work + "/d/a.json", "{}"},
			{"readText", s.work + "/hello.txt", "SECURITY path-escapes-base"},
			{"readText", "../hello.txt", "SECURITY path-escapes-base"},
			{"readText", s.lent + "/lent.txt", "SECURITY path-escapes-base"},
			{"list", `{}`, `["a.json","e"]`},
			{"writeText", `{"path":"` + s.work + `/x","text":""}`, "SECURITY write-outside-workspace"},
			{"deleteDir", `{"path":"."}`, "SECURITY deletedir-workspace-root"},
			{"copy", `{"from":"` + s.lent + `/lent.txt","to":"x"}`, "SECURITY path-escapes-base"},
		} {
			if got := outcome(call(a, c.op, c.args)); got != c.want {
				t.Errorf("base %s: %s %s: got %s, want %s", base, c.op, c.args, got, c.want)
			}
		}
		roots, _ := a.Where.ReadRoots(t.Context(), budgettest.Ample(), struct{}{})
		if home, _ := a.Where.Workspace(t.Context(), budgettest.Ample(), struct{}{}); home != s.work+"/d" || !slices.Equal(roots, []string{home}) {
			t.Errorf("base %s: workspace %s, roots %v", base, home, roots)
		}
	}
	// A base in a read root can be read and nothing can be written.
	a := s.open(t, Want{Read: true, Write: true, Base: s.lent})
	if got := outcome(call(a, "readText", "lent.txt")); got != "lent" {
		t.Error(got)
	}
	for _, path := range []string{"x", s.work + "/x", s.lent + "/x"} {
		if got := outcome(call(a, "writeText", `{"path":"`+path+`","text":""}`)); got != "SECURITY write-outside-workspace" {
			t.Errorf("%s: %s", path, got)
		}
	}
	// One that is not there yet is made in the workspace, and nowhere else.
	s.open(t, Want{Write: true, Base: "made/new"})
	if info, err := os.Stat(filepath.Join(s.work, "made", "new")); err != nil || !info.IsDir() {
		t.Error(err)
	}
	for _, base := range []string{s.outside, "../outside", s.lent + "/nope", "hello.txt", "/"} {
		if a, err := Open(Want{Read: true, Base: base}, s.space, []*ReadRoot{s.root}); err == nil {
			t.Errorf("base %s was opened", base)
			a.Close()
		}
	}
}

// Without the right to read, a tool copies from the workspace alone: a copy
// would otherwise carry a lent file to where the next tool can send it off.
func TestWriteOnlyToolsCopyFromTheWorkspaceAlone(t *testing.T) {
	s := newStage(t, layout)
	a := s.open(t, Want{Write: true})
	if a.Read != nil || a.Destroy != nil {
		t.Fatal("granted more than was asked for")
	}
	lent, own, to := s.lent+"/lent.txt", "hello.txt", "copy"
	if _, err := a.Write.Copy(t.Context(), budgettest.Ample(), FromToArgs{&lent, &to}); outcome("", err) != "SECURITY path-escapes-base" {
		t.Error(err)
	}
	if _, err := a.Write.Copy(t.Context(), budgettest.Ample(), FromToArgs{&own, &to}); err != nil {
		t.Error(err)
	}
	if roots, _ := a.Where.ReadRoots(t.Context(), budgettest.Ample(), struct{}{}); len(roots) != 0 {
		t.Errorf("roots %v", roots)
	}
}

func TestCaps(t *testing.T) {
	s := newStage(t, nil)
	a := s.open(t, everything)
	big := filepath.Join(s.work, "big")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, maxFile+1); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"readText", "big"}, {"lineCount", `{"path":"big"}`}, {"search", `{"pattern":"x"}`}, {"appendText", `{"path":"big","text":"x"}`}} {
		if got := outcome(call(a, c[0], c[1])); got != "HELPER_RUNTIME file-too-large" {
			t.Errorf("%s: %s", c[0], got)
		}
	}
	if got := outcome(call(a, "grep", `{"path":"big","pattern":"`+strings.Repeat("x", maxPattern+1)+`"}`)); got != "INVALID_INPUT grep-invalid-pattern" {
		t.Errorf("a long pattern: %s", got)
	}
	// A replacement that grows the text is refused before the memory is spent.
	if err := os.WriteFile(big, []byte(strings.Repeat("x", 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := outcome(call(a, "editText", `{"path":"big","old":"x","new":"`+strings.Repeat("y", 1000)+`","replaceAll":true}`)); got != "HELPER_RUNTIME file-too-large" {
		t.Errorf("a growing edit: %s", got)
	}
	deep := filepath.Join(s.work, strings.Repeat("d/", maxDepth+1))
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := outcome(call(a, "find", `{"glob":"*"}`)); got != "HELPER_RUNTIME too-many-entries" {
		t.Errorf("a deep tree: %s", got)
	}
	if got := outcome(call(a, "grep", `{"path":"big","pattern":"(x{50}){50}"}`)); got != "INVALID_INPUT grep-invalid-pattern" {
		t.Errorf("a pattern of many steps: %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// One line of 1 MiB and the costliest pattern take minutes, unless they stop
	// with the call.
	path, costly, delimiter := "big", "(x?){400}y", "(x?){400}y|x"
	if _, err := a.Read.Grep(ctx, budget.NewAccount(ctx, 1<<50, 1<<32), GrepArgs{Path: &path, Pattern: &costly}); outcome("", err) != "HELPER_RUNTIME interrupted" {
		t.Errorf("grep after the end: %v", err)
	}
	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	start := time.Now()
	if _, err := a.Read.Grep(short, budget.NewAccount(short, 1<<50, 1<<32), GrepArgs{Path: &path, Pattern: &costly}); outcome("", err) != "HELPER_RUNTIME interrupted" {
		t.Errorf("a costly grep: %v", err)
	}
	if _, err := a.Read.Cut(short, budget.NewAccount(short, 1<<50, 1<<32), CutArgs{Path: &path, Fields: []float64{1}, Delimiter: &delimiter, Regex: true}); outcome("", err) != "HELPER_RUNTIME interrupted" {
		t.Errorf("a costly cut: %v", err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %v to stop", took)
	}
	if _, err := a.Read.Find(ctx, budget.NewAccount(ctx, 1<<50, 1<<32), FindArgs{}); outcome("", err) != "HELPER_RUNTIME interrupted" {
		t.Errorf("a walk after the end: %v", err)
	}
}

func TestWorkspacesArePerPrincipal(t *testing.T) {
	dir := t.TempDir()
	all := NewWorkspaces(dir, Quota{})
	defer all.Close()
	seen := map[string]string{}
	for _, principal := range []string{"alice", "bob", "Alice", "../alice", "a/b", "p-x", "", ".", "ali\x00ce", strings.Repeat("x", 300)} {
		w, done, err := all.For(principal)
		if principal == "" {
			if err == nil {
				t.Error("nobody has a workspace")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if real, _ := filepath.EvalSymlinks(dir); filepath.Dir(w.Path()) != real {
			t.Errorf("%q works in %s", principal, w.Path())
		}
		if other, taken := seen[strings.ToLower(w.Path())]; taken {
			t.Errorf("%q and %q share %s", principal, other, w.Path())
		}
		seen[strings.ToLower(w.Path())] = principal
		done()
		again, done, err := all.For(principal)
		if err != nil || again != w {
			t.Errorf("%q got another workspace the second time: %v", principal, err)
		}
		done()
	}
}

// TestManyPrincipals: what is open is bounded, what is in use stays open, and what
// is there is found again.
func TestManyPrincipals(t *testing.T) {
	all := NewWorkspaces(t.TempDir(), Quota{})
	defer all.Close()
	busy, done, err := all.For("busy")
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for n := range 5 * maxIdle {
		w, done, err := all.For(fmt.Sprint("p", n))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(w.Path(), "n"), []byte(fmt.Sprint(n)), 0o600); err != nil {
			t.Fatal(err)
		}
		done()
		done() // counts once
	}
	if n := len(all.open); n > maxIdle {
		t.Errorf("%d are open", n)
	}
	if again, done, err := all.For("busy"); err != nil || again != busy {
		t.Errorf("the one in use: %v", err)
	} else {
		done()
	}
	if _, err := fs.Stat(busy.tree.root.FS(), "."); err != nil {
		t.Errorf("the one in use was closed: %v", err)
	}
	first, done, err := all.For("p0")
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if text, err := fs.ReadFile(first.tree.root.FS(), "n"); string(text) != "0" || err != nil || first.used.Entries != 1 {
		t.Errorf("%q, %v, %+v", text, err, first.used)
	}

	blocked := NewWorkspaces(filepath.Join(first.Path(), "n"), Quota{}) // below a file
	if _, _, err := blocked.For("a"); err == nil || len(blocked.open) != 0 {
		t.Errorf("%v, %d open", err, len(blocked.open))
	}
}
