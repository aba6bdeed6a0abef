//go:build linux || darwin

package process

import (
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
	// watchEvery is how often the use of the whole tree is counted. What one process may
	// have is the kernel's business; this is for many that share it out.
	watchEvery = 500 * time.Millisecond
	// killEvery is how often what is left is killed: a process that was being started
	// while we looked may have been missed.
	killEvery = 20 * time.Millisecond
	// longestLaunch bounds the time from the fork to the exec of the server's program.
	longestLaunch = 20 * time.Second
)

// supervise is the supervisor's main. It returns when nothing it started is left, and
// its value is the exit status.
func supervise(orders, reports *os.File) int {
	// The kernel kills the server when the thread that forked it ends.
	runtime.LockOSThread()
	closeInherited(3)
	// The end comes by the pipe. Ignored signals would be inherited by the server, so
	// these are received and dropped.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)

	say := json.NewEncoder(reports)
	from := json.NewDecoder(orders)
	var first order
	if err := from.Decode(&first); err != nil || first.Start == nil {
		return 1 // the gateway is gone
	}
	o := *first.Start
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
	exit := watch(pid, o, from)
	leave(o)
	folder.remove()
	say.Encode(report{Exit: &exit})
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
		counting      = time.NewTicker(watchEvery)
	)
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
			if next.Kill {
				kill("killed by the gateway")
			} else if closed == nil {
				closed = time.After(closeGrace)
			}
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
		case <-counting.C:
			if over := overLimit(o); over != "" {
				kill(over)
			}
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
