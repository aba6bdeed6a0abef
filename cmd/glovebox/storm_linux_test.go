package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/runtime/audit"
)

var stormFor = flag.Duration("storm", 20*time.Second, "how long TestStorm kills processes")

// storm is a gateway with its upstreams and clients, all of which are killed at random.
type storm struct {
	t       *testing.T
	machine *machine
	config  string
	mark    string // in the command line of every process of the storm but the supervisors', which have suffix
	suffix  string
	ledger  stormLedger
	// over is a second gateway, for clients over HTTP: with one, the clients over stdio
	// would take its place when it is killed, and nobody would listen any more.
	over *overHTTP

	mu      sync.Mutex
	clients map[int]*stormClient
	started int // clients
	web     *exec.Cmd
	spared  int // the process of a gateway that is not killed; 0 for none
	strikes int

	killed struct{ owners, over, clients, upstreams, web int }
}

// overHTTP is the gateway that serves over HTTP, and is started again when it was killed.
type overHTTP struct {
	machine *machine
	address string
	stderr  lockedBuffer
	cmd     *exec.Cmd
	stop    func(syscall.Signal)
	spared  bool
}

func newStorm(t *testing.T) *storm {
	s := &storm{t: t, machine: &machine{state: t.TempDir()}, mark: t.TempDir(), suffix: fmt.Sprintf("storm%d", os.Getpid()), clients: map[int]*stormClient{}}
	s.ledger.calls = map[string]*stormCall{}
	server, err := exec.LookPath("storm-server")
	if err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	s.over = &overHTTP{machine: &machine{state: t.TempDir()}, address: freeAddress(t)}
	s.config = filepath.Join(s.mark, "config.yaml")
	put(t, s.config, fmt.Sprintf(`
gateway: {mode: composed}
policy: {ceiling: L5, unasked: L5}
limits: {session_idle: 5s}
upstreams:
  old-%[1]s: {command: [%[2]q, %[3]q], era: legacy, first_sight: trust, expose: [count=old_count]}
  new-%[1]s: {command: [%[2]q, %[3]q], era: modern, first_sight: trust, expose: [count=new_count]}
  web-%[1]s: {url: "http://%[4]s", allow_private: true, first_sight: trust, expose: [count=web_count]}
`, s.suffix, server, s.effectsFile(), address))
	s.startOver(&s.web, func() *exec.Cmd { return exec.Command(server, s.effectsFile(), address) })
	s.over.stop = s.startOver(&s.over.cmd, func() *exec.Cmd {
		cmd := s.over.machine.command("serve", "--listen", s.over.address, "--config", s.config)
		cmd.Stderr = &s.over.stderr
		return cmd
	})
	return s
}

func freeAddress(t *testing.T) string {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	return free.Addr().String()
}

func (s *storm) effectsFile() string { return filepath.Join(s.mark, "effects") }

// startOver keeps a process running, its latest command in at, until it is told to stop or
// the test ends.
func (s *storm) startOver(at **exec.Cmd, command func() *exec.Cmd) (stop func(syscall.Signal)) {
	var ended bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			cmd := command()
			s.mu.Lock()
			if ended {
				s.mu.Unlock()
				return
			}
			err := cmd.Start()
			*at = cmd
			s.mu.Unlock()
			if err != nil {
				s.t.Error(err)
				return
			}
			cmd.Wait()
		}
	}()
	stop = func(how syscall.Signal) {
		s.mu.Lock()
		ended = true
		if *at != nil && (*at).Process != nil {
			(*at).Process.Signal(how)
		}
		s.mu.Unlock()
		<-done
	}
	s.t.Cleanup(func() { stop(syscall.SIGKILL) })
	return stop
}

// keep runs one client after another in a place, each as long as it lives. The last one
// lives on.
func (s *storm) keep(ctx context.Context, place int) {
	for ctx.Err() == nil {
		if c := s.client(place); c != nil {
			c.call(ctx, s.t, &s.ledger)
			if ctx.Err() == nil {
				<-c.ended
			}
		}
	}
}

// client is the living client in a place.
func (s *storm) client(place int) *stormClient {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.clients[place]; c != nil {
		select {
		case <-c.ended:
		default:
			return c
		}
	}
	more := stateless
	if place%2 == 0 {
		more = ""
	}
	s.started++
	name := fmt.Sprintf("client%d", s.started)
	command := s.machine.command("serve", "--stdio", "--config", s.config)
	if place >= stormClients-overClients {
		command = exec.Command("storm-bridge", "http://"+s.over.address+"/mcp", s.mark)
	}
	c, err := storming(command, name, more)
	if err != nil {
		s.t.Error(err)
		return nil
	}
	s.clients[place] = c
	return c
}

// stormProcess is one of the storm's, as the system sees it.
type stormProcess struct {
	pid, parent int
	command     string
	zombie      bool
}

// processes lists everything of the storm that there is, and the zombies below it.
func (s *storm) processes() []stormProcess {
	all, _ := os.ReadDir("/proc")
	var found []stormProcess
	ours := map[int]bool{os.Getpid(): true}
	var zombies []stormProcess
	for _, entry := range all {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		// The name in parentheses may hold anything.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		parent, _ := strconv.Atoi(fields[1])
		command, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		p := stormProcess{pid, parent, strings.ReplaceAll(string(command), "\x00", " "), fields[0] == "Z"}
		if p.zombie {
			zombies = append(zombies, p)
		} else if strings.Contains(p.command, s.mark) || strings.Contains(p.command, s.suffix) {
			ours[pid] = true
			found = append(found, p)
		}
	}
	for _, z := range zombies {
		if ours[z.parent] && z.parent != os.Getpid() { // those of this process belong to other tests too
			found = append(found, z)
		}
	}
	return found
}

// strike kills one process at random.
func (s *storm) strike() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strikes++
	if s.strikes%2 == 0 { // clients, and every other time the one that is the gateway
		for _, c := range s.clients { // the order of a map is random
			pid := c.cmd.Process.Pid
			owns := len(s.below(pid)) > 0
			if pid == s.spared || s.strikes%4 == 0 && !owns && s.spared == 0 {
				continue
			}
			if owns {
				s.killed.owners++
			} else {
				s.killed.clients++
			}
			c.cmd.Process.Kill()
			return
		}
		return
	}
	switch s.strikes % 16 {
	case 1:
		if s.web != nil && s.web.Process != nil {
			s.web.Process.Kill()
			s.killed.web++
		}
		return
	case 5, 13:
		if s.over.cmd != nil && s.over.cmd.Process != nil && !s.over.spared {
			s.over.cmd.Process.Kill()
			s.killed.over++
		}
		return
	}
	var targets []int
	for _, p := range s.processes() {
		if !p.zombie && !strings.Contains(p.command, " serve --") && !strings.HasPrefix(p.command, "storm-bridge ") && (s.web == nil || p.pid != s.web.Process.Pid) {
			targets = append(targets, p.pid) // servers and their supervisors
		}
	}
	if len(targets) > 0 {
		syscall.Kill(targets[rand.IntN(len(targets))], syscall.SIGKILL)
		s.killed.upstreams++
	}
}

func (s *storm) below(pid int) (children []stormProcess) {
	for _, p := range s.processes() {
		if p.parent == pid {
			children = append(children, p)
		}
	}
	return children
}

func (s *storm) rage(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(50+rand.IntN(700)) * time.Millisecond):
			s.strike()
		}
	}
}

// stormClients is how many clients there are at a time, and overClients how many of them
// are over HTTP. Every other one is of the older era.
const (
	stormClients = 10
	overClients  = 4
)

// during lets clients call and the killer kill for a while, and until he has met enough: on
// a busy machine he gets at fewer in the same time.
func (s *storm) during(d time.Duration, enough func() bool) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var busy sync.WaitGroup
	for place := range stormClients {
		busy.Go(func() { s.keep(ctx, place) })
	}
	busy.Go(func() { s.rage(ctx) })
	<-time.After(d)
	s.until("enough was killed", enough)
	stop()
	busy.Wait()
}

// raged reports whether one of each kind was killed.
func (s *storm) raged() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.killed.owners > 0 && s.killed.over > 0 && s.killed.clients > 0 && s.killed.upstreams > 0
}

// calm has every client call every upstream with success, so that all is connected.
func (s *storm) calm() {
	s.t.Helper()
	for place := range stormClients {
		for end := time.Now().Add(5 * time.Minute); ; { // an upstream that ended often is not started at once
			c := s.client(place)
			if c == nil || time.Now().After(end) {
				s.t.Errorf("after the storm not all upstreams answer: %+v", s.processes())
				return
			}
			var ids []string
			for i := range stormTools {
				ids = append(ids, fmt.Sprintf("%s-%d", c.name, c.next+1+i))
			}
			answered, alive := c.round(s.t, &s.ledger, ids, func(i int) string { return stormTools[i] })
			if answered == len(ids) {
				break
			}
			if !alive {
				<-c.ended
			}
			time.Sleep(100 * time.Millisecond) // an upstream is not tried again at once
		}
	}
}

// handles counts the open files of a process.
func handles(pid int) int {
	all, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(all)
}

func (s *storm) until(what string, holds func() bool) {
	s.t.Helper()
	for started := time.Now(); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Since(started) > 4*patience {
			s.t.Errorf("not %s: %+v", what, s.processes())
			return
		}
	}
}

// TestStorm kills upstreams, clients and the gateway at random while clients of both
// eras call. Nobody is answered with another's answer, nothing runs twice or in silence,
// nothing stays behind, and the record is whole. -storm 10m has it last longer.
func TestStorm(t *testing.T) {
	t.Parallel()
	s := newStorm(t)
	s.during(*stormFor/2, s.raged)
	// In the second half the gateway lives, so that what it keeps can be counted.
	s.calm()
	s.mu.Lock()
	s.spared, s.over.spared = s.machine.status(t).PID, true
	s.mu.Unlock()
	over := s.over.machine.status(t).PID
	before, overBefore, goroutines := handles(s.spared), handles(over), s.goroutines()
	s.during(*stormFor/2, func() bool { return true })
	s.calm()
	s.until(fmt.Sprintf("%d files in the gateway", before), func() bool { return handles(s.spared) <= before })
	// A client over HTTP has as many connections as it had calls at a time, each with two
	// goroutines here, and a session more or less.
	s.until(fmt.Sprintf("about %d files and %d goroutines in the gateway over HTTP", overBefore, goroutines), func() bool {
		return handles(over) <= overBefore+inFlight*overClients && s.goroutines() <= goroutines+3*inFlight*overClients
	})
	s.until("zombies gone", func() bool {
		for _, p := range s.processes() {
			if p.zombie {
				return false
			}
		}
		return true
	})
	t.Logf("the gateway has %d files open, %d before; the one over HTTP %d, %d before, and %d goroutines, %d before", handles(s.spared), before, handles(over), overBefore, s.goroutines(), goroutines)
	s.end()
	s.check()
}

// goroutines are those of the gateway over HTTP.
func (s *storm) goroutines() (n int) {
	for line := range strings.Lines((&served{url: "http://" + s.over.address}).counts()) {
		if rest, ok := strings.CutPrefix(line, "go_goroutines"); ok {
			fields := strings.Fields(rest)
			n, _ = strconv.Atoi(fields[len(fields)-1])
		}
	}
	if n == 0 {
		s.t.Errorf("it does not say how many goroutines it has: %s", s.over.stderr.String())
	}
	return n
}

// end hangs up on every client; the tree goes with them.
func (s *storm) end() {
	for _, c := range s.clients {
		c.in.Close()
	}
	for _, c := range s.clients {
		select {
		case <-c.ended:
		case <-time.After(3 * patience):
			s.t.Errorf("%s does not end: %s", c.name, c.stderr.String())
			c.cmd.Process.Kill()
			<-c.ended
		}
	}
	s.over.stop(syscall.SIGTERM)
	s.until("everything ended", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, p := range s.processes() {
			if p.pid != s.web.Process.Pid {
				return false
			}
		}
		return true
	})
}

// check compares what clients were told with what ran.
func (s *storm) check() {
	t := s.t
	text, err := os.ReadFile(s.effectsFile())
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for id := range strings.Lines(string(text)) {
		ran[strings.TrimSuffix(id, "\n")]++
	}
	var answered, maybe, refused int
	for id, c := range s.ledger.calls {
		answered, maybe, refused = answered+c.answered, maybe+c.maybe, refused+c.refused
		if n := ran[id]; n < c.answered || n > c.answered+c.maybe {
			t.Errorf("%s ran %d times: %+v", id, n, *c)
		}
		delete(ran, id)
	}
	for id := range ran {
		t.Errorf("%s ran and nobody called it", id)
	}
	for _, wrong := range s.ledger.wrong {
		t.Error(wrong)
	}
	recorded := 0
	for _, m := range []*machine{s.machine, s.over.machine} {
		if out, err := m.command("audit", "verify").CombinedOutput(); err != nil {
			t.Errorf("%s%v", out, err)
		}
		err = audit.Read(filepath.Join(m.state, "glovebox", "audit", "audit.jsonl"), audit.Filter{Outcome: audit.OK}, func(audit.Entry) error { recorded++; return nil })
		if err != nil {
			t.Error(err)
		}
	}
	if recorded < answered {
		t.Errorf("%d calls were answered and %d are on record", answered, recorded)
	}
	if answered == 0 || !s.raged() {
		t.Error("there was no storm")
	}
	t.Logf("%d call ids: %d answers, %d may have run, %d did not run; killed %+v", len(s.ledger.calls), answered, maybe, refused, s.killed)
}
