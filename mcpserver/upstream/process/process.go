//go:build linux || darwin

package process

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	// closeGrace is how long a server may take to end after its standard input has
	// ended, which is how MCP ends a stdio session: most need some milliseconds, one
	// that has a browser to close about a second.
	closeGrace = 2 * time.Second
	// termGrace is how long it may take after SIGTERM, for those that do not watch their
	// standard input.
	termGrace = 3 * time.Second
	// killGrace is what the supervisor gets to kill a tree and say so; then it is killed
	// itself. Freeing gigabytes takes the kernel a second.
	killGrace = 5 * time.Second
)

// Process is a running server. Close or Kill must be called in the end, also when it has
// ended by itself. The methods are safe for concurrent use.
type Process struct {
	stdin, stdout, stderr, orders *os.File

	supervisor *os.Process
	measures   []Measure
	temp       string
	ordering   sync.Mutex // one order at a time

	done chan struct{}
	exit Exit // valid when done is closed
}

// Stdin is what the server reads. Close of it ends a write that waits.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout is what the server writes; it ends when the server has ended.
func (p *Process) Stdout() io.Reader { return p.stdout }

// PID is the supervisor's, the parent of everything the server started.
func (p *Process) PID() int { return p.supervisor.Pid }

// Measures says what keeps the server in its bounds, and what does not.
func (p *Process) Measures() []Measure { return p.measures }

// Done is closed when the server and everything it started have ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit says how it ended; it waits until it has.
func (p *Process) Exit() Exit {
	<-p.done
	return p.exit
}

// Close ends the server in an orderly way, waits until nothing of it is left, and
// says how it ended: its standard input ends; 2 s later it gets SIGTERM, 3 s later everything that it
// started is killed. What it wrote and nobody read is lost.
func (p *Process) Close() Exit {
	p.stdin.Close()
	return p.end(order{}, closeGrace+termGrace+killGrace)
}

// Kill ends the server and everything it started now.
func (p *Process) Kill() Exit { return p.end(order{Kill: true}, killGrace) }

// Extend lets the server run until a later time; see [Config.Until].
func (p *Process) Extend(until time.Duration) {
	p.ordering.Lock()
	defer p.ordering.Unlock()
	// An order that is not taken leaves the time that was there, which is the safe side.
	_ = json.NewEncoder(p.orders).Encode(order{Until: until})
}

func (p *Process) end(o order, longest time.Duration) Exit {
	late := p.order(o, longest)
	defer late.Stop()
	exit := p.Exit()
	p.stdout.Close()
	return exit
}

// order gives an order, and kills a supervisor that has not ended in time.
func (p *Process) order(o order, longest time.Duration) *time.Timer {
	p.ordering.Lock()
	err := json.NewEncoder(p.orders).Encode(o)
	p.ordering.Unlock()
	if err != nil && !errors.Is(err, os.ErrClosed) {
		p.supervisor.Kill() // it does not listen, or has ended already
	}
	return time.AfterFunc(longest, func() { p.supervisor.Kill() })
}

// countEvery is how often the use of the whole server is counted. What one process may
// have is the kernel's business; this is for many that share it out.
const countEvery = 500 * time.Millisecond

// count ends a server that has passed its limits as a whole. It is done from here since a
// supervisor that did would not be idle.
func (p *Process) count(own namespaces, most Limits) {
	tick := time.NewTicker(countEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
		}
		if over := overLimit(p.supervisor.Pid, own, most); over != "" {
			late := p.order(order{Kill: true, Reason: over}, killGrace)
			<-p.done
			late.Stop()
			return
		}
	}
}

// lastWords is how long standard error may stay open after the supervisor has ended. Only a
// process that escaped it can hold it open.
const lastWords = time.Second

// wait ends with the supervisor.
func (p *Process) wait(cmd *exec.Cmd, from *json.Decoder, reports *os.File, drained *sync.WaitGroup) {
	p.exit = Exit{Code: -1, Reason: "its supervisor was killed"}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cmd.Wait()
		// A supervisor whose guard was killed is still there.
		p.ordering.Lock()
		_ = json.NewEncoder(p.orders).Encode(order{Kill: true, Reason: "its supervisor was killed"})
		p.ordering.Unlock()
		p.orders.Close()
	}()
	for {
		var r report
		if err := from.Decode(&r); err != nil {
			break
		}
		if r.Exit != nil {
			p.exit = *r.Exit
		}
	}
	reports.Close()
	<-ended
	p.stderr.SetReadDeadline(time.Now().Add(lastWords))
	drained.Wait()
	p.stdin.Close()
	os.RemoveAll(p.temp)
	close(p.done)
}
