package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// onceLog is what the servers have written: which calls each process got, by number.
type onceLog struct {
	starts []string
	calls  map[string]int
}

// readOnce reads what the servers have written, and wants that no two ran at a time and
// none was called after its successor had started.
func readOnce(t *testing.T, folder string) onceLog {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	l := onceLog{calls: map[string]int{}}
	last := 0
	for line := range strings.Lines(string(text)) {
		var word string
		var number, id int
		fmt.Sscan(line, &word, &number, &id)
		switch {
		case word == "overlap":
			t.Errorf("two servers were alive at a time:\n%s", text)
		case word == "start" && number < last: // one that ended by itself has a successor with the same
			t.Errorf("the number of a later process is smaller:\n%s", text)
		case word == "start":
			last = number
			l.starts = append(l.starts, fmt.Sprint(number))
		case number != last:
			t.Errorf("a call reached a server whose successor had started: %s in\n%s", line, text)
		default:
			if l.calls[fmt.Sprint(id)]++; l.calls[fmt.Sprint(id)] > 1 {
				t.Errorf("call %d ran twice:\n%s", id, text)
			}
		}
	}
	return l
}

// runsAt returns which of the servers runs the process.
func runsAt(t *testing.T, all []replica) int {
	t.Helper()
	said := ""
	for started := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		for i, r := range all {
			if out, err := r.command("upstream", "list", "--json").Output(); err == nil && gjson.GetBytes(out, "0.health.connected").Bool() {
				return i
			} else {
				said = string(out)
			}
		}
		if time.Since(started) > patience {
			t.Fatalf("nobody runs the server: %s", said)
		}
	}
}

// freeze stops a process and returns when every thread of it has stopped, which is some
// time after the signal was sent.
func freeze(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for started := time.Now(); ; time.Sleep(time.Millisecond) {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil || len(threads) == 0 {
			t.Fatalf("process %d has no threads: %v", pid, err)
		}
		stopped := 0
		for _, thread := range threads {
			text, err := os.ReadFile(thread)
			_, state, _ := strings.Cut(string(text), ") ") // the name before it is in brackets
			if err == nil && strings.HasPrefix(state, "T") {
				stopped++
			}
		}
		if stopped == len(threads) {
			return
		}
		if time.Since(started) > patience {
			t.Fatalf("process %d does not stop", pid)
		}
	}
}

// TestAServerThatExistsOnce: whatever becomes of the server of the cluster that runs it, a
// process that may exist once exists once, every call is made once, and another one takes
// over in the time that is promised.
func TestAServerThatExistsOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	cluster := natstest.Three(t)
	all := replicas(t, natstest.URL(cluster...), 3, "--nats-replicas", "3", "--linger", "2s")
	a := all[0]
	a.does("upstream", "add", "once", "--singleton", "--env", "ONCE="+folder, "--allow-elicitation", "--era", "legacy", "--", "once-server")
	a.becomes("1 tool", "upstream", "test", "once")
	a.does("pin", "approve", "once", "--yes")
	a.does("expose", "once", "--all")
	next, taken := 0, map[int]bool{}
	call := func(r replica) string {
		t.Helper()
		next++
		_, answer := r.called("t", "take", fmt.Sprintf(`{"id":%d}`, next))
		text := answer.Get("result.content.0.text").Str
		if strings.HasPrefix(text, "taken by ") {
			taken[next] = true
		}
		return text
	}
	for _, r := range all {
		for started := time.Now(); !strings.HasPrefix(call(r), "taken by "); time.Sleep(20 * time.Millisecond) {
			if time.Since(started) > patience {
				t.Fatalf("no answer: %s", call(r))
			}
		}
	}
	if l := readOnce(t, folder); len(l.starts) != 1 {
		t.Fatalf("%d processes for three servers", len(l.starts))
	}
	// What the process asks during a call gets to the client, wherever it is connected.
	for _, r := range all {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
				},
			})
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: r.url + "/mcp", HTTPClient: &http.Client{Transport: withToken{}}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			next++
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "take", Arguments: map[string]any{"id": next, "ask": true}})
			if err != nil || result.IsError {
				text, _ := json.Marshal(result)
				t.Fatalf("%s: %s, %v", version, text, err)
			}
			if text := result.Content[0].(*mcp.TextContent).Text; !strings.HasPrefix(text, "the person said accept by ") || !strings.HasSuffix(text, fmt.Sprintf(": %d <&> done", next)) {
				t.Errorf("%s: a call in which a person is asked says %q", version, text)
			}
			session.Close()
		}
	}
	without := func(i int) []replica { return append(append([]replica{}, all[:i]...), all[i+1:]...) }
	// The first call after the owner went waits for its successor.
	takenOver := func(how string) {
		t.Helper()
		started := time.Now()
		if text := call(all[0]); !strings.HasPrefix(text, "taken by ") {
			t.Fatalf("the call after the owner was %s: %q", how, text)
		}
		t.Logf("%s: taken over after %v", how, time.Since(started))
		for _, r := range all {
			if text := call(r); !strings.HasPrefix(text, "taken by ") {
				t.Errorf("%s: a later call says %q", how, text)
			}
		}
	}

	dead := runsAt(t, all)
	all[dead].cmd.Process.Kill()
	<-all[dead].ended
	all = without(dead)
	takenOver("killed")

	i := runsAt(t, all)
	frozen := all[i]
	freeze(t, frozen.cmd.Process.Pid)
	next++
	woken, waiting := next, make(chan string, 1)
	go func() { // it comes to the frozen owner, which must not make it when it wakes
		answer := frozen.post("t", "take", fmt.Sprintf(`{"id":%d}`, woken))
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		waiting <- string(text)
	}()
	all = without(i)
	takenOver("frozen")
	if err := frozen.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	select {
	case text := <-waiting:
		if !strings.Contains(text, "taken by ") {
			t.Errorf("the call that a frozen server got: %s", text)
		}
		taken[woken] = true
	case <-time.After(patience):
		t.Error("the call that a frozen server got is not answered")
	}
	all = append(all, frozen)
	for _, r := range all {
		if text := call(r); !strings.HasPrefix(text, "taken by ") {
			t.Errorf("after the frozen one is back: %q", text)
		}
	}

	// One that is told to stop gives the server away while it lingers: no call fails.
	i = runsAt(t, all)
	leaving := all[i]
	all = without(i)
	ended := make(chan struct{})
	go func() { defer close(ended); leaving.terminate() }()
	for over := false; !over; {
		select {
		case <-ended:
			over = true
		default:
		}
		if text := call(all[0]); !strings.HasPrefix(text, "taken by ") {
			t.Errorf("while the owner leaves: %q", text)
		}
	}
	l := readOnce(t, folder)
	if len(l.starts) != 4 {
		t.Errorf("%d processes, for a start and three that take over", len(l.starts))
	}
	for id := range taken {
		if l.calls[fmt.Sprint(id)] != 1 {
			t.Errorf("call %d was answered and ran %d times", id, l.calls[fmt.Sprint(id)])
		}
	}
}
