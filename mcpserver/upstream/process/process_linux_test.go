package process_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

var supervisor process.Supervisor

func TestMain(m *testing.M) {
	supervisor = process.Main()
	if role := os.Getenv("TEST_ROLE"); role != "" {
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}

// shell is a server whose program is a shell script.
func shell(script string) process.Config {
	return process.Config{Name: "test", Command: []string{"sh", "-c", script}, Sandbox: process.None}
}

// start starts a server, which ends with the test.
func start(t testing.TB, c process.Config) *process.Process {
	t.Helper()
	p, err := supervisor.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Kill() })
	return p
}

// output runs a server to its end and returns what it wrote to standard output.
func output(t testing.TB, c process.Config) string {
	t.Helper()
	p := start(t, c)
	text, err := io.ReadAll(p.Stdout())
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	return string(text)
}

// line reads the next line of a server.
func line(t testing.TB, p *process.Process) string {
	t.Helper()
	text, err := bufio.NewReader(p.Stdout()).ReadString('\n')
	if err != nil {
		t.Fatalf("%v; %v", err, p.Exit())
	}
	return strings.TrimSpace(text)
}

// patience is for what must happen, on a machine that has other things to do as well.
const patience = 2 * time.Minute

// within waits for a condition.
func within(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// copyOfItself writes the test's program to another place. No process is started while the
// file is open: it would have it open too until its program begins, and the system starts
// no program that somebody may write to.
func copyOfItself(t testing.TB, to string) {
	t.Helper()
	binary, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(to, binary, 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestTalksOverStandardStreams(t *testing.T) {
	p := start(t, shell("cat; echo last >&2; exit 7"))
	io.WriteString(p.Stdin(), "hello\n")
	if got := line(t, p); got != "hello" {
		t.Fatal(got)
	}
	if exit := p.Close(); exit.Code != 7 || exit.Signal != "" || exit.Reason != "" {
		t.Errorf("%+v", exit)
	}
}

func TestLargeMessagesPass(t *testing.T) {
	p := start(t, shell("cat"))
	const size = 8 << 20
	go func() {
		io.WriteString(p.Stdin(), strings.Repeat("x", size))
		p.Stdin().Close()
	}()
	text, err := io.ReadAll(p.Stdout())
	if err != nil || len(text) != size {
		t.Fatal(len(text), err)
	}
}

func TestEnvironmentIsAnAllowList(t *testing.T) {
	t.Setenv("SECRET_TOKEN", "s3cret")
	t.Setenv("PASSED", "yes")
	t.Setenv("LC_TIME", "C")
	c := shell("env")
	c.Env = map[string]string{"SET": "here", "TZ": "UTC"}
	c.PassEnv = []string{"PASSED", "NOT_THERE"}
	got := output(t, c)
	names := map[string]bool{}
	for l := range strings.Lines(got) {
		name, _, _ := strings.Cut(l, "=")
		names[name] = true
	}
	for _, name := range []string{"PATH", "PASSED", "LC_TIME", "SET", "TZ"} {
		if !names[name] {
			t.Errorf("%s is not there", name)
		}
		delete(names, name)
	}
	for _, may := range []string{"HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"} {
		delete(names, may)
	}
	if len(names) > 0 {
		t.Errorf("there should not be %v", names)
	}
}

func TestWorkingFolder(t *testing.T) {
	c := shell("pwd -P; echo $PWD")
	c.Dir = t.TempDir()
	if got := output(t, c); got != c.Dir+"\n"+c.Dir+"\n" {
		t.Errorf("%q, want %q twice", got, c.Dir)
	}
	c.Dir = ""
	got := strings.Fields(output(t, c))[0]
	if _, err := os.Stat(filepath.Dir(got)); !os.IsNotExist(err) {
		t.Errorf("the private folder %s is left: %v", got, err)
	}
}

func TestNoShellIsInvolved(t *testing.T) {
	c := process.Config{Name: "test", Command: []string{"echo", "$HOME; `id` > x && *"}, Sandbox: process.None}
	if got := output(t, c); got != "$HOME; `id` > x && *\n" {
		t.Errorf("%q", got)
	}
}

func TestStandardErrorComesInCleanLines(t *testing.T) {
	var mu sync.Mutex
	var got []string
	c := shell(`printf 'one\n\033[2Jtwo\r\n\n' >&2; head -c 100000 /dev/zero | tr '\0' x >&2; printf '\nlast' >&2`)
	c.Stderr = func(l string) { mu.Lock(); got = append(got, l); mu.Unlock() }
	output(t, c)
	mu.Lock()
	defer mu.Unlock()
	want := []string{"one", "�[2Jtwo", strings.Repeat("x", 4<<10), "last"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%.200q", got)
	}
}

func TestAFloodOnStandardErrorIsBoundedAndStopsNothing(t *testing.T) {
	var handed, left int
	c := shell(`yes 'a line of a flood' | head -n 300000 >&2; echo done`)
	began := time.Now()
	c.Stderr = func(l string) {
		handed++
		if strings.Contains(l, "left out") {
			left++
		}
	}
	if got := output(t, c); got != "done\n" {
		t.Fatal(got)
	}
	most := 201 * (int(time.Since(began)/time.Second) + 2)
	if handed > most || left == 0 {
		t.Errorf("%d lines, %d of them say how many were left out; at most %d", handed, left, most)
	}
}

func TestAServerThatIgnoresEverythingIsKilled(t *testing.T) {
	t.Parallel()
	p := start(t, shell(`trap '' TERM INT HUP; exec <&-; echo ready; while :; do sleep 1; done`))
	line(t, p)
	exit := p.Close()
	if exit.Signal != "killed" || !strings.Contains(exit.Reason, "SIGTERM") {
		t.Errorf("%+v", exit)
	}
}

func TestAServerGetsSIGTERMBeforeItIsKilled(t *testing.T) {
	t.Parallel()
	c := shell(`trap 'echo bye; exit 3' TERM; sleep 600 & echo ready; while :; do wait; done`) // needs no other process to hear it
	p := start(t, c)
	out := bufio.NewReader(p.Stdout())
	out.ReadString('\n')
	said := make(chan string)
	go func() { rest, _ := io.ReadAll(out); said <- string(rest) }()
	exit := p.Close()
	if got := <-said; got != "bye\n" || exit.Code != 3 {
		t.Errorf("%q, %+v", got, exit)
	}
}

func TestWhatDoesNotStartSaysWhy(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		command []string
		change  func(*process.Config)
		want    string
	}{
		"no program":       {command: nil, want: "no program is named"},
		"not in PATH":      {command: []string{"no-such-program-here"}, want: "in no folder of PATH"},
		"not there":        {command: []string{"/no/such/program"}, want: "no such file"},
		"not executable":   {command: []string{text}, want: "not executable"},
		"no interpreter":   {command: []string{script}, want: "interpreter"},
		"relative folder":  {command: []string{"true"}, change: func(c *process.Config) { c.Dir = "here" }, want: "not an absolute path"},
		"missing folder":   {command: []string{"true"}, change: func(c *process.Config) { c.Dir = "/no/such/folder" }, want: "no such file"},
		"no sandbox":       {command: []string{"true"}, change: func(c *process.Config) { c.Sandbox = "" }, want: "sandbox"},
		"files for none":   {command: []string{"true"}, change: func(c *process.Config) { c.Read = []string{"/etc"} }, want: "has no use"},
		"NUL in a value":   {command: []string{"true"}, change: func(c *process.Config) { c.Env = map[string]string{"A": "\x00"} }, want: "cannot be set"},
		"name with equals": {command: []string{"true"}, change: func(c *process.Config) { c.PassEnv = []string{"A=B"} }, want: "no name of a variable"},
	} {
		t.Run(name, func(t *testing.T) {
			config := process.Config{Name: "test", Command: c.command, Sandbox: process.None}
			if c.change != nil {
				c.change(&config)
			}
			_, err := supervisor.Start(t.Context(), config)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestWithoutMainNothingStarts(t *testing.T) {
	_, err := process.Supervisor{}.Start(t.Context(), shell("true"))
	if err == nil || !strings.Contains(err.Error(), "process.Main was not called") {
		t.Error(err)
	}
}

func TestAStartEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := supervisor.Start(ctx, shell("true")); err == nil {
		t.Error("started")
	}
}

// Two hundred servers, one after the other and some at once, leave nothing: no process,
// no descriptor, no goroutine, no folder.
func TestNothingIsLeftOfManyServers(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	tag := newTag(t)
	output(t, shell("true")) // what is made once is made now
	files, routines := openFiles(t), runtime.NumGoroutine()
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for i := range 20 {
				p, err := supervisor.Start(t.Context(), shell("sleep "+tag+" & setsid sleep "+tag+" & cat"))
				if err != nil {
					t.Error(err)
					return
				}
				if i%2 == 0 {
					p.Close()
				} else {
					p.Kill()
				}
			}
		})
	}
	all.Wait()
	within(t, "no goroutine left", func() bool { return runtime.NumGoroutine() <= routines })
	if now := openFiles(t); now > files {
		t.Errorf("%d descriptors, %d before", now, files)
	}
	if alive := running(t, tag); len(alive) > 0 {
		t.Errorf("left are %v", alive)
	}
	if z := zombies(t); len(z) > 0 {
		t.Errorf("zombies: %v", z)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}
