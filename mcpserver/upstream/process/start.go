//go:build linux || darwin

package process

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Supervisor starts processes. Only [Main] makes one that does.
type Supervisor struct{ program string }

// The names under which the gateway's program is executed again.
const (
	superviseMark = "glovebox-supervise"
	launchMark    = "glovebox-launch"
)

// Main must be called before anything else in main, also in that of a test binary. In a
// process that is a supervisor it does not return.
func Main() Supervisor {
	switch os.Args[0] {
	case superviseMark:
		orders, reports := os.NewFile(3, "orders"), os.NewFile(4, "reports")
		switch len(os.Args) {
		case 2:
			os.Exit(supervise(orders, reports))
		case 3:
			os.Exit(guard(os.Args[1]))
		}
		os.Exit(woken(os.Args, orders, reports))
	case launchMark:
		os.Exit(launched(os.NewFile(3, "start"), os.NewFile(4, "report")))
	}
	program, err := self()
	if err != nil {
		return Supervisor{}
	}
	return Supervisor{program}
}

// longestStart bounds a start whose context has no end: executing our program twice and
// mounting takes 50 ms, on a busy machine a second.
const longestStart = 30 * time.Second

// Start starts a process. The context bounds the start alone; the process lives
// until it ends or [Process.Close].
func (s Supervisor) Start(ctx context.Context, c Config) (*Process, error) {
	if s.program == "" {
		return nil, errors.New("no processes can be started: process.Main was not called")
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, longestStart)
	defer cancel()
	temp, err := os.MkdirTemp("", "glovebox-"+fileName(c.Name)+"-")
	if err != nil {
		return nil, err
	}
	p := &Process{done: make(chan struct{}), temp: temp}
	o, err := c.start(temp)
	if err == nil {
		err = p.run(ctx, s.program, o, c.Stderr)
	}
	if err != nil {
		os.RemoveAll(temp)
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return p, nil
}

// fileName is a name without what means something in a path.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), 64)]
}

// start resolves a Config against this machine.
func (c Config) start(temp string) (start, error) {
	temp, err := filepath.EvalSymlinks(temp)
	if err != nil {
		return start{}, err
	}
	o := start{Temp: temp}
	for _, inside := range []string{o.tmp(), filepath.Join(temp, "root")} {
		if err := os.Mkdir(inside, 0o700); err != nil {
			return start{}, err
		}
	}
	dir, home := cmp.Or(c.Dir, o.tmp()), cmp.Or(c.Home, o.tmp())
	env := c.environment(os.Environ(), dir, o.tmp(), home)
	path, err := program(c.Command[0], dir, env)
	if err != nil {
		return start{}, err
	}
	o = start{
		Name: c.Name, Program: path, Args: c.Command, Env: env, Dir: dir, Temp: temp,
		Sandbox: c.Sandbox, Require: c.Require, Limits: c.Limits.withDefaults(), Until: c.Until,
		Read: c.Read, Write: append([]string{dir, home, o.tmp()}, c.Write...),
	}
	for _, granted := range append(o.Read, o.Write...) {
		if _, err := os.Stat(granted); err != nil {
			return start{}, fmt.Errorf("a folder or file of its own: %w", err)
		}
	}
	return o, nil
}

// run starts the supervisor and waits until it reports that the server runs.
func (p *Process) run(ctx context.Context, program string, o start, stderr func(string)) (err error) {
	var ours, theirs []*os.File // in the order of the descriptors 0 to 4
	defer func() {
		closeAll(theirs)
		if err != nil {
			closeAll(ours)
		}
	}()
	for _, reads := range []bool{true, false, false, true, false} {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		if reads {
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	p.stdin, p.stdout, p.stderr, p.orders = ours[0], ours[1], ours[2], ours[3]
	reports := ours[4]

	cmd, own, err := startSupervisor(program, o, theirs)
	if err != nil {
		return fmt.Errorf("the supervisor does not start: %w", err)
	}
	p.supervisor = cmd.Process
	closeAll(theirs)
	theirs = nil

	// Killing the supervisor ends its reports and standard error, and so the start.
	stop := context.AfterFunc(ctx, func() { p.supervisor.Kill() })
	defer stop()
	var drained sync.WaitGroup
	drained.Go(func() {
		if stderr == nil {
			io.Copy(io.Discard, p.stderr)
		} else {
			lines(p.stderr, time.Now, stderr)
		}
		p.stderr.Close()
	})
	abandon := func(cause error) error {
		p.supervisor.Kill()
		cmd.Wait()
		drained.Wait()
		if ctx.Err() != nil {
			cause = fmt.Errorf("it did not start in time: %w", ctx.Err())
		}
		return cause
	}
	o.Own = own
	if err := json.NewEncoder(p.orders).Encode(order{Start: &o}); err != nil {
		return abandon(err)
	}
	from := json.NewDecoder(io.LimitReader(reports, maxReports))
	var first report
	if err := from.Decode(&first); err != nil {
		return abandon(fmt.Errorf("the supervisor ended: %w", err))
	}
	switch {
	case first.Unenforced:
		return abandon(&Unenforced{missing(first.Measures)})
	case first.Error != "":
		return abandon(fmt.Errorf("%s: %s", o.Program, first.Error))
	}
	if !stop() {
		return abandon(ctx.Err())
	}
	p.measures = first.Measures
	go p.wait(cmd, from, reports, &drained)
	go p.count(o.Own, o.Limits)
	return nil
}

// maxReports bounds what a supervisor says in its life, in bytes: two messages.
const maxReports = 64 << 10

// startSupervisor starts it in as many namespaces as the sandbox wants and the kernel gives.
func startSupervisor(program string, o start, files []*os.File) (*exec.Cmd, namespaces, error) {
	var refused string
	for _, own := range wanted(o.Sandbox) {
		own.Refused = refused
		cmd := &exec.Cmd{
			Path: program, Args: []string{superviseMark, o.Name},
			// One thread runs Go code: the supervisor mostly sleeps, and there is one for each server.
			Env:   []string{"GOMAXPROCS=1", "GOGC=50"},
			Dir:   "/",
			Stdin: files[0], Stdout: files[1], Stderr: files[2], ExtraFiles: files[3:],
			// A session of its own: neither Ctrl-C at the gateway's terminal nor a
			// prompt at it is for the server.
			SysProcAttr: &syscall.SysProcAttr{Setsid: true},
		}
		own.apply(cmd.SysProcAttr)
		if guarded(own) {
			cmd.Args = append(cmd.Args, "guard")
		}
		err := cmd.Start()
		if err == nil {
			return cmd, own, nil
		}
		if own == (namespaces{Refused: refused}) {
			return nil, own, err
		}
		refused = "the kernel gives no namespaces"
		if number := syscall.Errno(0); errors.As(err, &number) {
			refused += " (" + number.Error() + ")"
		}
	}
	return nil, namespaces{}, errors.New("no way to start it") // wanted ends with none
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
