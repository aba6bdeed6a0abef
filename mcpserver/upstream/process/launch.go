//go:build linux || darwin

package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"
)

// launch starts the process that becomes the server, and waits until it has.
func launch(o start) (pid int, measures []Measure, err error) {
	program, err := self()
	if err != nil {
		return 0, nil, err
	}
	startR, startW, err := os.Pipe()
	if err != nil {
		return 0, nil, err
	}
	defer startW.Close()
	reportR, reportW, err := os.Pipe()
	if err != nil {
		startR.Close()
		return 0, nil, err
	}
	defer reportR.Close()
	attr := &syscall.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1"},
		Files: []uintptr{0, 1, 2, startR.Fd(), reportW.Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	}
	dieWithParent(attr.Sys)
	pid, err = syscall.ForkExec(program, []string{launchMark, o.Name}, attr)
	startR.Close()
	reportW.Close()
	if err != nil {
		return 0, nil, err
	}
	reportR.SetReadDeadline(time.Now().Add(longestLaunch))
	if err := json.NewEncoder(startW).Encode(o); err != nil {
		return pid, nil, err
	}
	// One report before the exec; a second one if the exec failed, and the end of the
	// pipe if it did not.
	from := json.NewDecoder(io.LimitReader(reportR, maxReports))
	var before, after report
	if err := from.Decode(&before); err != nil {
		return pid, nil, fmt.Errorf("it was not launched: %w", err)
	}
	if before.Unenforced {
		return pid, before.Measures, &Unenforced{missing(before.Measures)}
	}
	if before.Error != "" {
		return pid, before.Measures, errors.New(before.Error)
	}
	switch err := from.Decode(&after); {
	case err == io.EOF:
		return pid, before.Measures, nil
	case err != nil:
		return pid, before.Measures, err
	}
	return pid, before.Measures, errors.New(after.Error)
}

// launched is the main of the process that becomes the server. It returns only if it
// does not become it.
func launched(from, to *os.File) int {
	// Privileges and the signal for the parent's death belong to a thread, and exec keeps
	// those of the thread that calls it.
	runtime.LockOSThread()
	closeInherited(3)
	say := json.NewEncoder(to)
	var o start
	if err := json.NewDecoder(from).Decode(&o); err != nil {
		return 1
	}
	from.Close()
	fail := func(err error) int {
		say.Encode(report{Error: err.Error()})
		return 1
	}
	if err := os.Chdir(o.Dir); err != nil {
		return fail(fmt.Errorf("working folder: %w", err))
	}
	measures, err := confine(o)
	if err != nil {
		return fail(err)
	}
	limits, set := limitsOf(o)
	measures = append(measures, limits...)
	before := append(o.Measures, measures...)
	if o.Require && len(missing(before)) > 0 {
		say.Encode(report{Measures: measures, Unenforced: true})
		return 1
	}
	say.Encode(report{Measures: measures})
	if err := set(); err != nil {
		return fail(fmt.Errorf("limits: %w", err))
	}
	err = syscall.Exec(o.Program, o.Args, o.Env)
	if errors.Is(err, syscall.EACCES) && o.Sandbox != None {
		return fail(fmt.Errorf("%w: the sandbox does not hold the program or its interpreter; name its folder under files.read", err))
	}
	if errors.Is(err, syscall.ENOENT) {
		return fail(fmt.Errorf("%w: the program or the interpreter in its first line is not there, or not in the sandbox; name its folder under files.read", err))
	}
	return fail(err)
}
