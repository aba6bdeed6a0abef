package mcpserver_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/jsengine/linear"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

var soakCalls = flag.Int("soak", 1000, "the number of calls of TestSoak; the release is measured with 50000")

// soakIdle is how soon an abandoned session expires.
const soakIdle = 2 * time.Second

// TestSoak lets clients of both eras come, call and go, some of them in the middle
// of a call, and then counts what is left.
func TestSoak(t *testing.T) {
	const atOnce = 50
	slow := tool("slow", "await new Promise(done => setTimeout(done, 5)); return 1;", "")
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Rate: -1}}, add, slow)
	token, err := mcpserver.NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	addr, stop := f.listen(t, mcpserver.HTTP{Token: token, SessionTimeout: soakIdle})
	defer stop()
	warm := f.overHTTP(t, "http://"+addr, stateless, nil)
	call(t, warm, "add", `{"a":1,"b":1}`)
	call(t, warm, "slow", `{}`)
	before := left(t, f)
	perInstance := before.mappings / before.instances

	var wg sync.WaitGroup
	work := make(chan uint64)
	for range atOnce {
		wg.Go(func() {
			for seed := range work {
				visit(t, addr, rand.New(rand.NewPCG(seed, 1)))
			}
		})
	}
	for n := range *soakCalls / callsOfVisit {
		work <- uint64(n)
	}
	close(work)
	wg.Wait()

	var after counts
	for start := time.Now(); time.Since(start) < 2*time.Minute; time.Sleep(100 * time.Millisecond) {
		// A few of each are the runtime's and the HTTP client's own, and instances
		// are kept for the next call; what is mapped must be one that is kept.
		after = left(t, f)
		if after.goroutines <= before.goroutines+10 && after.files <= before.files+5 &&
			after.mappings <= after.instances*perInstance && after.heap <= before.heap+maxGrowth &&
			// Half, because with the race detector all memory has a shadow.
			after.resident <= before.resident+max(maxGrowth, before.resident/2) {
			t.Logf("%d calls\nbefore %+v\nafter  %+v", *soakCalls, before, after)
			return
		}
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("before %+v, after %+v\n%s", before, after, stacks[:goruntime.Stack(stacks, true)])
}

const callsOfVisit = 10

// visit is one client: it connects, calls, and leaves in one of several ways.
func visit(t *testing.T, addr string, random *rand.Rand) {
	version := []string{sessions, stateless}[random.IntN(2)]
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	client := mcp.NewClient(&mcp.Implementation{Name: "soak", Version: "1"}, nil)
	transport := &mcp.StreamableClientTransport{Endpoint: "http://" + addr + "/mcp", HTTPClient: guest(random.IntN(3) == 0), MaxRetries: -1}
	came := time.Now()
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil && version == sessions && time.Since(came) >= soakIdle {
		return // it expired before this client, on a busy machine, had finished saying hello
	}
	if err != nil {
		t.Error(err)
		return
	}
	// A session expires that long after the server's end of a request, which may come
	// long before this client hears of it. A bound of that is how long ago it sent one.
	spoke, silent := came, time.Duration(0)
	for n := range callsOfVisit {
		name, arguments := "add", map[string]any{"a": n, "b": 1}
		callCtx, hangUp := ctx, func() {}
		if random.IntN(4) == 0 {
			name, arguments = "slow", nil
			var cancel context.CancelFunc
			callCtx, cancel = context.WithTimeout(ctx, time.Duration(random.IntN(8))*time.Millisecond)
			hangUp = cancel
		}
		sent := time.Now()
		result, err := session.CallTool(callCtx, &mcp.CallToolParams{Name: name, Arguments: arguments})
		silent = max(silent, time.Since(spoke))
		if err != nil && version == sessions && silent >= soakIdle {
			hangUp()
			break // a busy machine kept this client silent for so long that its session expired
		}
		spoke = sent
		if callCtx.Err() == nil && (err != nil || result.IsError) {
			t.Errorf("%s: %v, %v", name, result, err)
		}
		hangUp()
	}
	session.Close()
}

// guest is a client's HTTP. A rude one disconnects without ending its session, which
// then has to expire.
func guest(rude bool) *http.Client {
	return &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		if rude && r.Method == http.MethodDelete {
			return nil, errors.New("no word")
		}
		return bearer(secret).RoundTrip(r)
	})}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// maxGrowth bounds what may be left in memory, in bytes: room for the instances that
// are kept, and for what the allocator keeps of the peak.
const maxGrowth = 64 << 20

type counts struct {
	goroutines, files   int
	instances, mappings int    // that wait for a call; of all instances' memory
	heap                uint64 // bytes of objects after a collection
	resident            uint64 // bytes of the process in memory
}

func left(t *testing.T, f *fixture) counts {
	t.Helper()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	debug.FreeOSMemory()
	c := counts{goroutines: goruntime.NumGoroutine(), instances: f.rt.Idle()}
	objects := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(objects)
	c.heap = objects[0].Value.Uint64()
	if open, err := os.ReadDir("/proc/self/fd"); err == nil { // else another system than Linux
		c.files = len(open)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
		c.mappings = bytes.Count(maps, []byte(linear.FileName))
	}
	if pages, err := os.ReadFile("/proc/self/statm"); err == nil {
		var size, resident uint64
		fmt.Sscan(string(pages), &size, &resident)
		c.resident = resident * uint64(os.Getpagesize())
	}
	return c
}
