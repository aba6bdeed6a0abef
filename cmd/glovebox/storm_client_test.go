package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// stormLedger is what clients were told of their calls.
type stormLedger struct {
	mu    sync.Mutex
	calls map[string]*stormCall
	wrong []string // answers that are none to the call
}

// stormCall is one call id; it has several attempts only if the client repeated it.
type stormCall struct {
	answered int // attempts that had their answer: each ran once
	maybe    int // attempts that were said to have run perhaps, or had no answer: each ran at most once
	refused  int // attempts that were said not to have run: none did
	why      string
}

func (l *stormLedger) note(id string, change func(*stormCall)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[id] == nil {
		l.calls[id] = &stormCall{}
	}
	change(l.calls[id])
}

// answer files one answer.
func (l *stormLedger) answer(id string, answer gjson.Result) (ok bool) {
	text := answer.Get("result.content.0.text").Str + answer.Get("error.message").Str
	failed := answer.Get("error").Exists() || answer.Get("result.isError").Bool()
	switch {
	case !failed && text == id:
		l.note(id, func(c *stormCall) { c.answered++ })
	case !failed:
		l.mu.Lock()
		l.wrong = append(l.wrong, id+" was answered with "+answer.Raw)
		l.mu.Unlock()
	case strings.Contains(text, "may have run") || strings.Contains(text, "is not known"):
		l.note(id, func(c *stormCall) { c.maybe++ })
	default:
		l.note(id, func(c *stormCall) { c.refused++; c.why = text })
	}
	return !failed
}

// stormClient is one client of the gateway: a process that takes its lines, and that owns
// the state folder, shares the one that does, or posts them over HTTP.
type stormClient struct {
	name, more string // more is set for the stateless protocol; names are not used twice
	cmd        *exec.Cmd
	in         io.WriteCloser
	lines      chan gjson.Result
	ended      chan struct{}
	stderr     lockedBuffer
	next       int
}

func storming(command *exec.Cmd, name, more string) (*stormClient, error) {
	c := &stormClient{name: name, more: more, cmd: command, lines: make(chan gjson.Result, 100), ended: make(chan struct{})}
	c.cmd.Stderr = &c.stderr
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		c.in, err = c.cmd.StdinPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(c.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if message := gjson.Parse(lines.Text()); !message.Get("method").Exists() {
				c.lines <- message
			}
		}
		close(c.lines)
		c.cmd.Wait()
	}()
	if more == "" {
		io.WriteString(c.in, initialize+"\n"+initialized+"\n") // one that was killed is seen at the end of its output
	}
	return c, nil
}

// stormTools are the tools of the upstreams, as the gateway names them.
var stormTools = []string{"old_count", "new_count", "web_count"}

// inFlight is how many calls one client has under way.
const inFlight = 4

// round makes some calls at once and files what comes of them. It returns how many were
// answered, and false when the client's process has ended.
func (c *stormClient) round(t *testing.T, l *stormLedger, ids []string, pick func(i int) string) (answered int, alive bool) {
	waiting := map[string]string{}
	for i, id := range ids {
		c.next++
		waiting[fmt.Sprint(c.next)] = id
		arguments := fmt.Sprintf(`{"call":%q,"before":%d,"after":%d}`, id, rand.IntN(20), rand.IntN(20))
		io.WriteString(c.in, callTool(c.next, pick(i), arguments, c.more)+"\n")
	}
	enough := time.After(3 * patience) // as long as a new owner may take to come up on a busy machine
	for len(waiting) > 0 {
		select {
		case message, open := <-c.lines:
			if !open {
				for _, id := range waiting {
					l.note(id, func(s *stormCall) { s.maybe++ })
				}
				return answered, false
			}
			number := message.Get("id").Raw
			if id, known := waiting[number]; known {
				delete(waiting, number)
				if l.answer(id, message) {
					answered++
				}
			} else if number != "0" {
				t.Errorf("%s: an answer to nothing: %s", c.name, message.Raw)
			}
		case <-enough:
			t.Errorf("%s: no answer to %v:\n%s", c.name, waiting, c.stderr.String())
			c.cmd.Process.Kill()
			for _, id := range waiting {
				l.note(id, func(s *stormCall) { s.maybe++ })
			}
			return answered, false
		}
	}
	return answered, true
}

// call makes calls until the context ends or the process has; every third call that did
// not get its answer is repeated under its id.
func (c *stormClient) call(ctx context.Context, t *testing.T, l *stormLedger) {
	var again []string
	for ctx.Err() == nil {
		var ids []string
		for i := range inFlight {
			ids = append(ids, fmt.Sprintf("%s-%d", c.name, c.next+1+i))
		}
		copy(ids, again)
		again = nil
		answered, alive := c.round(t, l, ids, func(int) string { return stormTools[rand.IntN(len(stormTools))] })
		if !alive {
			return
		}
		if answered == 0 {
			select { // as told: try again later
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
		l.mu.Lock()
		for _, id := range ids {
			if s := l.calls[id]; s != nil && s.answered == 0 && rand.IntN(3) == 0 {
				again = append(again, id)
			}
		}
		l.mu.Unlock()
	}
}
