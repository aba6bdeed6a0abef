package mcpserver_test

import (
	"context"
	"os"
	"path"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/risk/contract"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// TestAnApprovedCallOutlivesAFullQueue: a person says yes, the queue is full, and
// the same call runs later without asking again. Every call has its final record.
func TestAnApprovedCallOutlivesAFullQueue(t *testing.T) {
	for _, version := range []string{sessions, stateless} {
		t.Run(version, func(t *testing.T) {
			holds, entered, release := atomic.Bool{}, make(chan struct{}, 1), make(chan struct{})
			holds.Store(true)
			f := newFixture(t, mcpserver.Config{
				Limits: admission.Limits{Parallel: 1, PerPrincipal: 1, Queue: 1, QueueInAll: 1},
				Calls: governed.Config{Lend: func(string, *host.World) (func(), error) {
					if holds.Load() {
						entered <- struct{}{}
						<-release
					}
					return nil, nil
				}},
			}, add, required)
			var asked atomic.Int32
			client := f.stdio(t, version, person(func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked.Add(1)
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
			}))
			// One call holds the slot; of two more one waits and the other is sent away.
			results := make(chan *mcp.CallToolResult, 3)
			background := func() { results <- call(t, client, "add", `{"a":1,"b":1}`) }
			go background()
			<-entered
			go background()
			go background()
			if sentAway := <-results; !sentAway.IsError || !strings.Contains(textOf(t, sentAway), "too many calls are waiting") {
				t.Fatal(textOf(t, sentAway))
			}
			approved := call(t, client, "required", `{}`)
			if text := textOf(t, approved); !approved.IsError || !strings.Contains(text, "too many calls are waiting") {
				t.Fatal(text)
			}
			holds.Store(false)
			close(release)
			<-results
			<-results
			if again := call(t, client, "required", `{}`); again.IsError || asked.Load() != 1 {
				t.Errorf("asked %d times: %s", asked.Load(), textOf(t, again))
			}
			if third := call(t, client, "required", `{}`); third.IsError || asked.Load() != 2 {
				t.Errorf("the yes counted twice: asked %d times", asked.Load())
			}
			outcomes := map[audit.Outcome]int{}
			for _, r := range f.records(t) {
				outcomes[r.Outcome]++
			}
			if outcomes[audit.Refused] != 2 || outcomes[audit.OK] != 4 {
				t.Errorf("%v", outcomes)
			}
		})
	}
}

// TestRefusalsBeforeTheQueueAreOnRecord: over the rate limit, and during a drain.
func TestRefusalsBeforeTheQueueAreOnRecord(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Rate: 0.01, Burst: 1}}, add)
	client := f.stdio(t, sessions, nil)
	if first := call(t, client, "add", `{"a":1,"b":1}`); first.IsError {
		t.Fatal(textOf(t, first))
	}
	if second := call(t, client, "add", `{"a":1,"b":1}`); !second.IsError || !strings.Contains(textOf(t, second), "too many messages") {
		t.Error(textOf(t, second))
	}
	got := f.records(t)
	if len(got) != 2 || got[1].Outcome != audit.Refused || got[1].Cause.Kind != string(governed.Throttled) || got[1].Fuel != 0 {
		t.Errorf("%+v", got)
	}
}

// TestContractCallsAreGoverned: they are recorded, take their turn, and are not
// made while the server drains.
func TestContractCallsAreGoverned(t *testing.T) {
	text, err := os.ReadFile("../testdata/contract/mcp-tool-risk-contract.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	entered, release := make(chan struct{}, 1), make(chan struct{})
	f := newFixture(t, mcpserver.Config{Contract: c, Limits: admission.Limits{Parallel: 1, PerPrincipal: 1}, Calls: governed.Config{
		Lend: func(string, *host.World) (func(), error) {
			entered <- struct{}{}
			<-release
			return nil, nil
		},
	}})
	client := f.stdio(t, stateless, nil)
	result := make(chan *mcp.CallToolResult, 1)
	go func() { result <- call(t, client, "tool_risk_contract", `{}`) }()
	<-entered
	drained := make(chan struct{})
	go func() {
		f.server.Drain(context.Background())
		close(drained)
	}()
	for !f.server.Draining() {
	}
	late := call(t, client, "tool_risk_contract", `{}`)
	if text := textOf(t, late); !late.IsError || !strings.Contains(text, `"allowed":false`) || !strings.Contains(text, "the server is stopping") {
		t.Error(text)
	}
	select {
	case <-drained:
		t.Error("the drain does not wait for the call")
	default:
	}
	close(release)
	if got := <-result; got.IsError {
		t.Error(textOf(t, got))
	}
	<-drained
	got := f.records(t)
	if len(got) != 2 || got[0].Outcome != audit.Refused || got[0].Cause.Kind != string(governed.Stopping) || got[1].Outcome != audit.OK || got[1].Tool != "tool_risk_contract" || got[1].RiskLevel != "L0" {
		t.Errorf("%+v", got)
	}
}

// frames is a source of randomness that records the stack of its caller.
type frames struct{ files []string }

func (f *frames) Read(p []byte) (int, error) {
	pcs := make([]uintptr, 256)
	all := goruntime.CallersFrames(pcs[:goruntime.Callers(1, pcs)])
	for {
		frame, more := all.Next()
		if _, file, ours := strings.Cut(frame.Function, "glovebox-run/glovebox/"); ours && !strings.HasSuffix(frame.File, "_test.go") {
			dir, _, _ := strings.Cut(path.Base(file), ".")
			f.files = append(f.files, path.Join(path.Dir(file), dir, path.Base(frame.File)))
		}
		if !more {
			return len(p), nil
		}
	}
}

// TestTheWayOfOneCall looks at the stack of a real call from inside a host call: it
// goes down through the layers and never up, and its files are those of
// docs/why/one-call.md in that order.
func TestTheWayOfOneCall(t *testing.T) {
	seen := &frames{}
	f := newFixture(t, mcpserver.Config{Calls: governed.Config{Terms: governed.Terms{World: host.World{Random: seen}}}},
		tool("dice", "return crypto.getRandomValues(new Uint8Array(1)).length;", ""))
	if got := textOf(t, call(t, f.stdio(t, stateless, nil), "dice", `{}`)); got != "1" {
		t.Fatal(got)
	}
	text, err := os.ReadFile("../docs/why/one-call.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := regexp.MustCompile("(?m)^\\| \\d+ \\| `([^`]+)`").FindAllStringSubmatch(string(text), -1)
	if len(listed) > 14 {
		t.Errorf("%d files are listed", len(listed))
	}
	place := map[string]int{}
	for i, row := range listed {
		place[row[1]] = i
		if _, err := os.Stat("../" + row[1]); err != nil {
			t.Error(err)
		}
	}
	layers := []string{"mcpserver/", "runtime/", "jsengine/", "host/"} // jsengine calls the table of host
	layer, last, met := 0, -1, map[string]bool{}
	for _, file := range slices.Backward(seen.files) {
		now := slices.IndexFunc(layers, func(l string) bool { return strings.HasPrefix(file, l) })
		if now < layer {
			t.Errorf("%s is of a higher layer than what calls it", file)
		}
		layer = max(layer, now)
		if at, ok := place[file]; ok {
			if at < last && file != "host/grants.go" { // which is met twice: the grants are made, then asked
				t.Errorf("%s is listed before what calls it", file)
			}
			last = at
			met[file] = true
		}
	}
	for _, file := range []string{"mcpserver/convert.go", "mcpserver/call.go", "runtime/governed/call.go", "runtime/call.go", "jsengine/call.go", "jsengine/hostcall.go"} {
		if !met[file] {
			t.Errorf("the call did not meet %s: %v", file, seen.files)
		}
	}
}
