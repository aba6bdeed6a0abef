package process_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

var tags atomic.Int64

// newTag is a number of seconds that no other process sleeps for, which marks processes.
func newTag(testing.TB) string { return fmt.Sprintf("9%05d.%d", os.Getpid(), tags.Add(1)) }

// running lists the processes that sleep for a tag.
func running(t testing.TB, tag string) []string {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pid=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for l := range strings.Lines(string(out)) {
		if strings.HasSuffix(strings.TrimSpace(l), "sleep "+tag) && !strings.Contains(l, " -c ") {
			all = append(all, strings.TrimSpace(l))
		}
	}
	return all
}

func zombies(t testing.TB) []string {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "ppid=,stat=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for l := range strings.Lines(string(out)) {
		f := strings.Fields(l)
		if len(f) > 1 && f[0] == strconv.Itoa(os.Getpid()) && f[1][0] == 'Z' {
			all = append(all, l)
		}
	}
	return all
}

func openFiles(t testing.TB) int {
	t.Helper()
	all, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// escape is a script whose processes leave in every way a script can: in the background, in
// a session of their own, as a daemon whose parents have ended.
func escape(tag string) string {
	sleep := "sleep " + tag
	return sleep + ` & setsid ` + sleep + ` & (setsid sh -c '` + sleep + ` & exit' & ) ; (trap '' TERM HUP INT; nohup setsid ` + sleep + ` >/dev/null 2>&1 &)
		while [ $(ps -A -o args= | grep -c '^sleep ` + tag + `') -lt 4 ]; do sleep 0.05; done; echo ready; `
}

// What the gateway itself was started with is not the server's.
func TestNoDescriptorsAreInherited(t *testing.T) {
	fd, err := syscall.Open("/", syscall.O_RDONLY, 0) // stays open over an exec
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	for _, sandbox := range sandboxes {
		c := shell("for fd in /dev/fd/*; do test -e $fd && echo ${fd##*/}; done")
		c.Sandbox = sandbox
		if got := strings.Fields(output(t, c)); fmt.Sprint(got) != "[0 1 2]" {
			t.Errorf("%s: %v", sandbox, got)
		}
	}
}

var sandboxes = []process.Sandbox{process.None, process.Files, process.FilesAndNetwork}

func TestEverythingItStartedEndsWithIt(t *testing.T) {
	ways := map[string]func(*process.Process){
		"Close":               func(p *process.Process) { p.Close() },
		"Kill":                func(p *process.Process) { p.Kill() },
		"its own end":         func(p *process.Process) { io.WriteString(p.Stdin(), "end\n"); <-p.Done() },
		"its supervisor's -9": func(p *process.Process) { syscall.Kill(p.PID(), syscall.SIGKILL); <-p.Done() },
		"-9 by the server":    func(p *process.Process) { io.WriteString(p.Stdin(), "kill\n"); <-p.Done() },
	}
	for _, sandbox := range sandboxes {
		for name, end := range ways {
			t.Run(string(sandbox)+" "+name, func(t *testing.T) {
				t.Parallel()
				tag := newTag(t)
				c := shell(escape(tag) + `read x; if [ $x = kill ]; then kill -9 $PPID; fi`)
				c.Sandbox = sandbox
				p := start(t, c)
				line(t, p)
				if n := len(running(t, tag)); n != 4 {
					t.Fatalf("%d of 4 are running", n)
				}
				end(p)
				within(t, "all are gone", func() bool { return len(running(t, tag)) == 0 })
			})
		}
	}
}

// A server that waits for nothing ends with its supervisor too, also without a PID namespace.
func TestAServerEndsWithItsSupervisor(t *testing.T) {
	for _, sandbox := range sandboxes {
		tag := newTag(t)
		c := shell("exec sleep " + tag)
		c.Sandbox = sandbox
		p := start(t, c)
		within(t, "it runs", func() bool { return len(running(t, tag)) == 1 })
		syscall.Kill(p.PID(), syscall.SIGKILL)
		within(t, string(sandbox)+": it is gone", func() bool { return len(running(t, tag)) == 0 })
	}
}

// play is what the test binary does as a gateway of its own.
func play(role string) int {
	var c process.Config
	switch role {
	case "gateway":
		c = shell(os.Getenv("TEST_SCRIPT"))
		c.Sandbox = process.Sandbox(os.Getenv("TEST_SANDBOX"))
	default:
		return child(role)
	}
	p, err := supervisor.Start(testContext, c)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	io.Copy(os.Stdout, p.Stdout())
	return 0
}

func TestEverythingEndsWithAGatewayThatIsKilled(t *testing.T) {
	for _, sandbox := range sandboxes {
		t.Run(string(sandbox), func(t *testing.T) {
			t.Parallel()
			tag := newTag(t)
			tmp := t.TempDir()
			gateway := exec.Command(os.Args[0])
			gateway.Env = append(os.Environ(), "TEST_ROLE=gateway", "TEST_SANDBOX="+string(sandbox), "TMPDIR="+tmp,
				"TEST_SCRIPT="+escape(tag)+"trap '' TERM HUP; while :; do sleep 1; done")
			out, err := gateway.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := gateway.Start(); err != nil {
				t.Fatal(err)
			}
			if text, err := bufio.NewReader(out).ReadString('\n'); text != "ready\n" {
				t.Fatal(text, err)
			}
			gateway.Process.Kill()
			gateway.Wait()
			within(t, "all are gone", func() bool { return len(running(t, tag)) == 0 })
			within(t, "its folder is gone", func() bool {
				left, _ := filepath.Glob(filepath.Join(tmp, "glovebox-*"))
				return len(left) == 0
			})
		})
	}
}

// A process that forks and exits at once has a new id whenever somebody looks.
func TestAFleeingProcessIsCaught(t *testing.T) {
	for _, sandbox := range []process.Sandbox{process.None, process.Files} {
		t.Run(string(sandbox), func(t *testing.T) {
			t.Parallel()
			tag := newTag(t)
			c := shell(`flee() { (setsid sh -c "$1" "$1" ` + tag + ` &) ; }; export S='sh -c "$S" flee ` + tag + ` & exit'; sh -c "$S"; echo ready; read x`)
			c.Sandbox = sandbox
			p := start(t, c)
			line(t, p)
			p.Close()
			out, err := exec.Command("ps", "-A", "-o", "args=").Output()
			if err != nil || strings.Contains(string(out), "flee "+tag) {
				t.Errorf("still there: %v", err)
			}
		})
	}
}

func TestAForkBombEndsAtItsLimit(t *testing.T) {
	for _, sandbox := range []process.Sandbox{process.None, process.Files} {
		t.Run(string(sandbox), func(t *testing.T) {
			tag := newTag(t)
			c := shell(`for i in $(seq 300); do sleep ` + tag + ` & done 2>/dev/null; echo ready; wait`)
			c.Sandbox = sandbox
			c.Limits.Processes = 50
			p := start(t, c)
			byKernel := strings.Contains(fmt.Sprint(p.Measures()), "RLIMIT_NPROC")
			if byKernel {
				// The kernel refuses the 51st.
				line := make(chan struct{})
				go func() { bufio.NewReader(p.Stdout()).ReadString('\n'); close(line) }()
				select {
				case <-line:
				case <-p.Done():
				}
				if n := len(running(t, tag)); n > 50 {
					t.Errorf("%d are running", n)
				}
				p.Kill()
			} else if exit := p.Exit(); !strings.Contains(exit.Reason, "its limit is 50") {
				t.Errorf("%+v", exit)
			}
			within(t, "all are gone", func() bool { return len(running(t, tag)) == 0 })
		})
	}
}

func TestMemoryIsBounded(t *testing.T) {
	hog := func(bytes int) string { // the shell holds what it has read, and has more to do than to become sleep
		return fmt.Sprintf(`x=$(head -c %d /dev/zero | tr '\0' x); echo ${#x}; sleep 600; :`, bytes)
	}
	t.Run("of one process", func(t *testing.T) {
		c := shell(hog(60_000_000))
		if got := line(t, start(t, c)); got != "60000000" {
			t.Fatalf("without a limit it says %q", got)
		}
		c.Limits.Memory = 50 << 20
		if got := output(t, c); got != "" {
			t.Errorf("it got %q", got)
		}
	})
	t.Run("of all together", func(t *testing.T) {
		c := shell(strings.Repeat("("+hog(20_000_000)+") & ", 8) + "wait")
		c.Limits.Memory = 100 << 20
		p := start(t, c)
		go io.Copy(io.Discard, p.Stdout())
		if exit := p.Exit(); !strings.Contains(exit.Reason, "its limit is 100 MiB") {
			t.Errorf("%+v", exit)
		}
	})
}

func TestProcessorTimeAndOpenFilesAreBounded(t *testing.T) {
	t.Parallel()
	c := shell("while :; do :; done")
	c.Limits.CPU = time.Second
	p := start(t, c)
	if exit := p.Exit(); exit.Signal != "killed" && !strings.Contains(exit.Signal, "CPU") {
		t.Errorf("%+v", exit)
	}
	c = shell("ulimit -n; ulimit -c")
	c.Limits.Files = 77
	if got := output(t, c); got != "77\n0\n" {
		t.Errorf("%q", got)
	}
}
