//go:build linux || darwin

package process

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

const (
	// killEvery is how often what is left is killed: a process that was being started
	// while we looked may have been missed.
	killEvery = 20 * time.Millisecond
	// longestLaunch bounds the time from the fork to the exec of the server's program.
	longestLaunch = 20 * time.Second
)

// supervise is the supervisor's main. It returns when nothing it started is left, and
// its value is the exit status.
func supervise(orders, reports *os.File) int {
	ready()
	say := json.NewEncoder(reports)
	// The next order comes after the first report, so none is read along with this one.
	line, err := bufio.NewReader(orders).ReadBytes('\n')
	var first order
	if err != nil || json.Unmarshal(line, &first) != nil || first.Start == nil {
		return 1 // the gateway is gone
	}
	o := *first.Start
	if o.Until != 0 && Clock() >= o.Until {
		say.Encode(report{Error: "the time in which it may run is over"})
		return 1
	}
	folder, err := openFolder(o.Temp)
	if err != nil {
		say.Encode(report{Error: err.Error()})
		return 1
	}
	o.Measures = append(adopt(o.Own), isolate(&o)...)
	pid, measures, err := launch(o)
	measures = append(o.Measures, measures...)
	if err != nil {
		killAll(o.Own, pid)
		for range reap(nil) {
		}
		leave(o)
		folder.remove()
		var refused *Unenforced
		say.Encode(report{Error: err.Error(), Unenforced: errors.As(err, &refused), Measures: measures})
		return 1
	}
	say.Encode(report{Measures: measures})
	// The server alone holds its standard input and output.
	syscall.Close(0)
	syscall.Close(1)
	outlive()
	if o.Until == 0 { // the idle program has no clock
		_ = idle(pid, o, folder) // where that cannot be, it waits as it is
	}
	return finish(pid, o, folder, orders, reports)
}

// ready is what a supervisor does first.
func ready() {
	// The kernel kills the server when the thread that forked it ends.
	runtime.LockOSThread()
	closeInherited(3)
	// The end comes by the pipe. Ignored signals would be inherited by the server, so
	// these are received and dropped.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
}

// finish waits for the end of the server, or brings it about, and reports it.
func finish(pid int, o start, f folder, orders, reports *os.File) int {
	exit := watch(pid, o, json.NewDecoder(orders))
	leave(o)
	f.remove()
	json.NewEncoder(reports).Encode(report{Exit: &exit})
	return 0
}

// watch waits until nothing of the server is left.
func watch(pid int, o start, from *json.Decoder) Exit {
	given := make(chan order)
	gone := make(chan struct{}) // the gateway
	go func() {
		defer close(gone)
		for {
			var next order
			if from.Decode(&next) != nil {
				return
			}
			given <- next
		}
	}()
	exit := Exit{Code: -1}
	note := func(status syscall.WaitStatus) {
		exit.Code = status.ExitStatus()
		if status.Signaled() {
			exit.Signal = status.Signal().String()
		}
	}
	ended := make(chan syscall.WaitStatus, 1)
	left := reap(func(child int, status syscall.WaitStatus) {
		if child == pid {
			ended <- status
		}
	})
	var (
		killing       <-chan time.Time
		closed, terms <-chan time.Time
		over          <-chan time.Time
	)
	if o.Until != 0 {
		over = time.After(o.Until - Clock())
	}
	kill := func(reason string) {
		if exit.Reason == "" {
			exit.Reason = reason
		}
		if killing == nil {
			killing = time.Tick(killEvery)
		}
		killAll(o.Own, pid)
	}
	for {
		select {
		case next := <-given:
			if next.Until != 0 {
				over = time.After(next.Until - Clock())
			} else if next.Kill {
				kill(cmp.Or(next.Reason, "killed by the gateway"))
			} else if closed == nil {
				closed = time.After(closeGrace)
			}
		case <-over:
			kill("the gateway did not say in time that it may go on")
		case <-closed:
			syscall.Kill(-pid, syscall.SIGTERM)
			terms = time.After(termGrace)
		case <-terms:
			kill("it neither ended with its standard input nor at SIGTERM")
		case <-gone:
			gone = nil
			kill("the gateway has ended")
		case status := <-ended:
			note(status)
			// What it left behind has nobody to talk to.
			kill(exit.Reason)
		case <-killing:
			killAll(o.Own, pid)
		case <-left:
			select {
			case status := <-ended:
				note(status)
			default:
			}
			return exit
		}
	}
}

// reap waits for every child, also those that were adopted, and closes the channel when
// there are none left.
func reap(each func(pid int, status syscall.WaitStatus)) <-chan struct{} {
	left := make(chan struct{})
	go func() {
		defer close(left)
		for {
			var status syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &status, 0, nil)
			if err == syscall.EINTR {
				continue
			}
			if err != nil {
				return
			}
			if each != nil {
				each(pid, status)
			}
		}
	}()
	return left
}

// folder is the private temporary folder, which can be removed from wherever the
// supervisor's root has moved.
type folder struct {
	parent *os.Root
	name   string
}

func openFolder(path string) (folder, error) {
	parent, err := os.OpenRoot(filepath.Dir(path))
	return folder{parent, filepath.Base(path)}, err
}

func (f folder) remove() { f.parent.RemoveAll(f.name) }
