package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/approve/answers"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// machine is a state folder and a folder of specs with a pass each.
type machine struct {
	state, specs string
}

const machineSpecs = `{"name": "add", "description": "Adds.", "params": [{"name": "a", "type": "INTEGER", "required": true, "testValue": "1"}], "code": "return {sum: a + 1};", "codeType": "Javascript"}
{"name": "tidy", "description": "Tidies up.", "code": "return 'tidied';", "codeType": "Javascript", "sandboxOverrides": {"fileWrite": true}}
{"name": "slow", "description": "Sleeps.", "params": [{"name": "ms", "type": "INTEGER", "required": true, "testValue": "1"}], "code": "await new Promise(done => setTimeout(done, ms)); return {slept: ms};", "codeType": "Javascript"}`

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{state: t.TempDir(), specs: t.TempDir()}
	var files []string
	for i, text := range strings.Split(machineSpecs, "\n") {
		file := filepath.Join(m.specs, fmt.Sprintf("%d.json", i))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if out, err := m.command(append([]string{"test", "--write"}, files...)...).CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v", out, err)
	}
	return m
}

func (m *machine) command(args ...string) *exec.Cmd {
	cmd := exec.Command("glovebox", args...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+m.state, "XDG_CONFIG_HOME="+filepath.Join(m.state, "config"), "GLOVEBOX_TOKEN=t")
	return cmd
}

func (m *machine) status(t *testing.T) local.Status {
	t.Helper()
	peer, err := local.Find(filepath.Join(m.state, "glovebox"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := peer.Status(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// open are the questions that wait for an answer.
func (m *machine) open(t *testing.T) []approve.Entry {
	t.Helper()
	peer, err := local.Find(filepath.Join(m.state, "glovebox"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := peer.Questions().Approvals(t.Context(), approve.Open, answers.Of{})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// serving waits until a process owns the folder and answers.
func (m *machine) serving(t *testing.T, pid int) {
	t.Helper()
	for started := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if peer, err := local.Find(filepath.Join(m.state, "glovebox")); err == nil {
			if s, err := peer.Status(context.Background()); err == nil && s.PID == pid {
				return
			}
		}
		if time.Since(started) > patience {
			t.Fatalf("process %d does not own the folder", pid)
		}
	}
}

// callers returns the callers in the record, without the Local Pass.
func (m *machine) callers(t *testing.T) []string {
	t.Helper()
	seen := map[string]bool{}
	err := audit.Read(filepath.Join(m.state, "glovebox", "audit", "audit.jsonl"), audit.Filter{}, func(e audit.Entry) error {
		if e.Caller != "local" { // the Local Pass
			seen[e.Caller] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(seen))
}

// program is one process whose standard streams are a client's.
type program struct {
	t      *testing.T
	name   string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Closer
	lines  chan string
	ended  chan struct{}
	stderr lockedBuffer
	read   int // what of stderr was looked at
}

// patience is for what must happen, on a machine that has other things to do as well.
const patience = 2 * time.Minute

func (m *machine) start(t *testing.T, name string, args ...string) *program {
	t.Helper()
	return m.run(t, name, append([]string{"serve", "--folder", m.specs}, args...)...)
}

func (m *machine) run(t *testing.T, name string, args ...string) *program {
	t.Helper()
	p := &program{t: t, name: name, cmd: m.command(args...), lines: make(chan string, 1000), ended: make(chan struct{})}
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.out = out
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			p.lines <- lines.Text()
		}
		close(p.lines)
		p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("%s (process %d) said: %s", name, p.cmd.Process.Pid, p.stderr.String())
		}
	})
	return p
}

func (p *program) send(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(p.in, line+"\n"); err != nil {
			p.t.Fatalf("%s: %v", p.name, err)
		}
	}
}

// next returns the next message that holds a text; others are passed over.
func (p *program) next(text string) gjson.Result {
	p.t.Helper()
	enough := time.After(patience)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				p.t.Fatalf("%s ended before %s", p.name, text)
			}
			if strings.Contains(line, text) {
				return gjson.Parse(line)
			}
		case <-enough:
			p.t.Fatalf("%s: nothing with %s", p.name, text)
		}
	}
}

// exit waits for the end and returns the exit code.
func (p *program) exit() int {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatalf("%s does not end", p.name)
		return -1
	}
}

// leave hangs up and wants a good end.
func (p *program) leave() {
	p.t.Helper()
	p.in.Close()
	if code := p.exit(); code != exitGood {
		p.t.Errorf("%s: exit code %d", p.name, code)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// handshake begins a session of the older protocol, with a client that can ask.
const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	stateless   = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
)

// callTool is a call; more are further members of its parameters.
func callTool(id int, name, arguments, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, id, name, arguments, more)
}

func (p *program) begin() *program {
	p.t.Helper()
	p.send(initialize, initialized)
	p.next(`"protocolVersion":"2025-11-25"`)
	return p
}

// adds calls a tool that answers at once.
func (p *program) adds(id int, more string) {
	p.t.Helper()
	p.send(callTool(id, "add", `{"a":41}`, more))
	if answer := p.next(fmt.Sprintf(`"id":%d,`, id)); answer.Get("result.structuredContent.sum").Int() != 42 {
		p.t.Errorf("%s: %s", p.name, answer.Raw)
	}
}
