package mcpserver_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// BenchmarkFlood is an honest client beside one in another process that calls a tool
// which does not exist, with 4 MiB of arguments, over many connections at once. The
// server and its honest client share this process, and all share the processors.
// x-alone is the honest median over that of the same client alone, failed its calls
// that were not answered, peak-MiB what this process took of the system beyond what
// it had before.
func BenchmarkFlood(b *testing.B) {
	for _, kind := range []string{"text", "brackets"} {
		for _, connections := range []int{24, 128, 1024} {
			b.Run(fmt.Sprintf("%s-%d", kind, connections), func(b *testing.B) { flood(b, kind, connections) })
		}
	}
}

func flood(b *testing.B, kind string, connections int) {
	f := newFixture(b, mcpserver.Config{Limits: admission.Limits{Rate: -1, Bytes: 64 << 20}}, add)
	i := newIssuer(b)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr, stop := f.listenOn(b, listener, mcpserver.HTTP{OAuth: i.guard(b)})
	defer stop()
	url := "http://" + addr + "/mcp"
	modest := "Bearer " + i.token(b, "modest", "", nil)
	honest := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: 30 * time.Second}
	failed := 0
	median := func(n int) float64 {
		var took []float64
		for range n {
			started := time.Now()
			if post(honest, url, modest, "add", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},`+meta+`}}`) != 200 {
				failed++
			}
			took = append(took, microseconds(started))
		}
		slices.Sort(took)
		return took[len(took)/2]
	}
	median(50)
	alone := median(300)
	runtime.GC()
	before, peak := taken(), atomic.Uint64{}

	attack := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestFloodOfAnotherProcess$")
	attack.Env = append(os.Environ(), "FLOOD="+strings.Join([]string{url, "Bearer " + i.token(b, "greedy", "", nil), kind, fmt.Sprint(connections)}, "\n"))
	said, err := attack.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	tell, err := attack.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := attack.Start(); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	lines.Scan() // it has begun
	watching, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-watching:
				return
			case <-time.After(time.Millisecond):
				peak.Store(max(peak.Load(), taken()))
			}
		}
	}()
	var beside []float64
	for b.Loop() {
		beside = append(beside, median(50))
	}
	close(watching)
	<-stopped
	tell.Close()
	lines.Scan()
	var read, refused, other float64
	fmt.Sscan(lines.Text(), &read, &refused, &other)
	_, _ = io.Copy(io.Discard, said)
	if err := attack.Wait(); err != nil {
		b.Error(err)
	}
	slices.Sort(beside)
	for unit, value := range map[string]float64{
		"alone-us": alone, "x-alone": beside[len(beside)/2] / alone, "failed": float64(failed), "peak-MiB": float64(max(peak.Load(), before)-before) / (1 << 20),
		"attacks-read": read, "attacks-refused": refused, "attacks-other": other,
	} {
		b.ReportMetric(value, unit)
	}
}

// TestFloodOfAnotherProcess is that process, if it is told whom to flood: until its
// input ends.
func TestFloodOfAnotherProcess(t *testing.T) {
	told := strings.Split(os.Getenv("FLOOD"), "\n")
	if len(told) != 4 {
		return
	}
	filler := `"` + strings.Repeat("x", 4<<20-1000) + `"`
	if told[2] == "brackets" {
		filler = "[" + strings.Repeat("[],", (4<<20-1000)/3) + "[]]"
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"absent",` + meta + `,"arguments":{"x":` + filler + `}}}`
	connections, err := strconv.Atoi(told[3])
	if err != nil {
		t.Fatal(err)
	}
	var counts [3]atomic.Int64 // that were read, refused, and whatever else
	for range connections {
		go func() {
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: 30 * time.Second}
			for {
				switch post(client, told[0], told[1], "absent", body) {
				case 200, 400: // the latter is the protocol's error
					counts[0].Add(1)
				case 429:
					counts[1].Add(1)
				default:
					counts[2].Add(1)
				}
			}
		}()
	}
	for counts[0].Load()+counts[1].Load()+counts[2].Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("begun")
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Println(counts[0].Load(), counts[1].Load(), counts[2].Load())
}

// post sends a call; 0 is no answer.
func post(client *http.Client, url, authorization, tool, body string) (status int) {
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		return 0
	}
	r.Header = http.Header{"Authorization": {authorization}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {stateless}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {tool}}
	answer, err := client.Do(r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// taken is the memory that Go has of the system.
func taken() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
