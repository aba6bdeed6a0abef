//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// memberCommand is the argument with which this program is a member of the store.
const memberCommand = "member"

const size = 3 // servers, and members of their store

// agents is how many clients call: each may have few questions open, and those of one wait
// for one another.
const agents = 24

// inFlight is how many calls are under way at one time; a flood waits outside.
const inFlight = 4 * agents

// startTime bounds the start of all processes.
const startTime = time.Minute

// fleet is the processes of a deployment on this machine.
type fleet struct {
	folder    string
	program   string
	all       []*exec.Cmd
	processes [roles][]int
	cluster   string // addresses of the members
	urls      []string
	tokens    []string
	seed      uint64
}

// spec is a tool that does nothing; what it may write is why a person is asked about it.
const (
	spec  = `{"name": "tidy", "description": "Tidies up.", "code": "return 'tidied';", "codeType": "Javascript", "sandboxOverrides": {"fileWrite": true}}`
	quick = `{"name": "add", "description": "Adds.", "params": [{"name": "a", "type": "INTEGER", "required": true, "testValue": "1"}], "code": "return {sum: a + 1};", "codeType": "Javascript"}`
	// A few clients make all calls.
	config = "limits: {rate: -1}\n"
)

func startFleet(ctx context.Context) (f *fleet, err error) {
	f = &fleet{}
	defer func() {
		if err != nil {
			said, _ := os.ReadFile(f.said())
			err = fmt.Errorf("%w\n%s", err, said)
			f.stop()
		}
	}()
	if f.folder, err = os.MkdirTemp("", "calibrate"); err != nil {
		return f, err
	}
	f.processes[clients] = []int{os.Getpid()}
	f.program = filepath.Join(f.folder, "glovebox")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", f.program, "github.com/glovebox-run/glovebox/cmd/glovebox").CombinedOutput(); err != nil {
		return f, fmt.Errorf("%w: %s", err, out)
	}
	specs := filepath.Join(f.folder, "specs")
	for name, text := range map[string]string{"specs/tidy.json": spec, "specs/add.json": quick, "config.yaml": config} {
		path := filepath.Join(f.folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return f, err
		}
	}
	for i := range size {
		if _, err := f.glovebox(ctx, i, "test", "--write", filepath.Join(specs, "tidy.json"), filepath.Join(specs, "add.json")); err != nil {
			return f, err
		}
	}
	cluster, err := f.startMembers()
	if err != nil {
		return f, err
	}
	f.cluster = cluster
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if err := together(ctx, cluster); err != nil {
		return f, err
	}
	for i := range size {
		port, err := freePort()
		if err != nil {
			return f, err
		}
		address := fmt.Sprint("127.0.0.1:", port)
		if err := f.start(servers, f.command(i, "serve", "--listen", address, "--folder", specs, "--nats", cluster, "--nats-replicas", fmt.Sprint(size),
			"--ceiling", "L5", "--unasked", "L0", "--config", filepath.Join(f.folder, "config.yaml"))); err != nil {
			return f, err
		}
		f.urls = append(f.urls, "http://"+address+"/mcp")
		if err := ready(ctx, "http://"+address+"/readyz"); err != nil {
			return f, err
		}
	}
	for n := range agents {
		out, err := f.glovebox(ctx, 0, "token", "create", fmt.Sprint("agent", n), "--json")
		if err != nil {
			return f, err
		}
		var made struct{ Token string }
		if err := json.Unmarshal(out, &made); err != nil {
			return f, err
		}
		f.tokens = append(f.tokens, made.Token)
	}
	return f, nil
}

// startMembers starts the members, and returns their addresses.
func (f *fleet) startMembers() (string, error) {
	var ports [2 * size]int
	for i := range ports {
		var err error
		if ports[i], err = freePort(); err != nil {
			return "", err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	var addresses []string
	for i := range size {
		args := []string{memberCommand, fmt.Sprint(i), filepath.Join(f.folder, fmt.Sprint("member", i)), fmt.Sprint(ports[i]), fmt.Sprint(ports[size+i])}
		for other := range size {
			if other != i {
				args = append(args, fmt.Sprint("127.0.0.1:", ports[size+other]))
			}
		}
		if err := f.start(members, exec.Command(self, args...)); err != nil {
			return "", err
		}
		addresses = append(addresses, fmt.Sprint("nats://127.0.0.1:", ports[i]))
	}
	return strings.Join(addresses, ","), nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// together waits until the members take something of which each has a copy.
func together(ctx context.Context, url string) error {
	for {
		s, err := store.Connect(ctx, store.Cluster{URL: url, Replicas: size})
		if err == nil {
			_, err = s.Bucket(ctx, store.BucketConfig{Name: "together", MaxBytes: 1 << 10})
			s.Close()
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
}

// ready waits until a server is.
func ready(ctx context.Context, url string) error {
	for {
		answer, err := http.Get(url)
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%s does not say yes: %w", url, ctx.Err())
		}
	}
}

// command is glovebox on one of the machines that this one stands for.
func (f *fleet) command(machine int, args ...string) *exec.Cmd {
	cmd := exec.Command(f.program, args...)
	state := filepath.Join(f.folder, fmt.Sprint("state", machine))
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, "XDG_CONFIG_HOME="+state, "GLOVEBOX_TOKEN=t")
	return cmd
}

func (f *fleet) glovebox(ctx context.Context, machine int, args ...string) ([]byte, error) {
	cmd := f.command(machine, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("glovebox %s: %w: %s", args[0], err, &said)
	}
	return out, errors.Join(err, ctx.Err())
}

func (f *fleet) start(role int, cmd *exec.Cmd) error {
	said, err := os.OpenFile(f.said(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer said.Close()
	cmd.Stderr = said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	f.all = append(f.all, cmd)
	f.processes[role] = append(f.processes[role], cmd.Process.Pid)
	return nil
}

// said is what processes say.
func (f *fleet) said() string { return filepath.Join(f.folder, "said") }

func (f *fleet) stop() {
	for _, cmd := range f.all {
		cmd.Process.Kill()
		cmd.Wait()
	}
	os.RemoveAll(f.folder)
}
