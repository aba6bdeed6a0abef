package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// behind is the real program with servers of other people behind it.
type behind struct {
	b       testing.TB
	program string
	cmd     *exec.Cmd
	env     []string
	took    time.Duration // until it served
}

func build(b testing.TB) (program string) {
	program = filepath.Join(b.TempDir(), "glovebox")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%s\n%v", out, err)
	}
	return program
}

// serveUpstreams starts a gateway with n servers over standard streams, which run a command.
func serveUpstreams(b testing.TB, program string, n int, command string, env ...string) *behind {
	b.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	var config strings.Builder
	config.WriteString("gateway: {mode: both}\npolicy: {ceiling: L5, unasked: L5}\nupstreams:\n")
	for i := range n {
		fmt.Fprintf(&config, "  s%d: {command: %s, first_sight: trust, expose: [count=count%d]}\n", i, command, i)
	}
	put(b, filepath.Join(dir, "config.yaml"), config.String())
	g := &behind{b: b, program: program, env: []string{"HOME=" + dir, "XDG_CACHE_HOME=" + cache, "PATH=" + os.Getenv("PATH"), "GLOVEBOX_TOKEN=t"}}
	g.env = append(g.env, env...)
	g.cmd = exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--config", filepath.Join(dir, "config.yaml"))
	g.cmd.Env = g.env
	stderr, err := g.cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	if err := g.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "next: ") {
			g.took = time.Since(began)
			go func() {
				for lines.Scan() {
				}
			}()
			return g
		}
	}
	b.Fatal("it did not start")
	return nil
}

func (g *behind) close() {
	g.cmd.Process.Signal(os.Interrupt)
	g.cmd.Wait()
}

// connected is how many servers are.
func (g *behind) connected() (n int) {
	cmd := exec.Command(g.program, "upstream", "list", "--json")
	cmd.Env = g.env
	out, err := cmd.Output()
	if err != nil {
		g.b.Fatal(err)
	}
	var list []struct{ Health struct{ Connected bool } }
	if err := json.Unmarshal(out, &list); err != nil {
		g.b.Fatalf("%v: %s", err, out)
	}
	for _, u := range list {
		if u.Health.Connected {
			n++
		}
	}
	return n
}

// private is what the gateway and its supervisors have written to and share with nobody, in KiB.
func (g *behind) private() (gateway, supervisors float64) {
	gateway = privateDirty(g.b, g.cmd.Process.Pid)
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", g.cmd.Process.Pid))
	if err != nil {
		g.b.Fatal(err)
	}
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, pid := range strings.Fields(string(text)) {
			var n int
			fmt.Sscan(pid, &n)
			supervisors += privateDirty(g.b, n)
		}
	}
	return gateway, supervisors
}

func privateDirty(b testing.TB, pid int) (kib float64) {
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(rollup)) {
		var n float64
		if _, err := fmt.Sscanf(line, "Private_Dirty: %f kB", &n); err == nil {
			kib += n
		}
	}
	return kib
}

// BenchmarkIdleUpstreams reports what fifty connected servers over standard streams that
// nobody uses cost, by the kernel's count of memory that is written to and shared with
// nobody: in all processes that Glovebox adds, the servers themselves left out. What the
// gateway has without them is taken off; so that this is not the difference of two heaps
// full of garbage, the collector runs at every 5 %. The bar is 512 KiB for each, beside its
// definitions, of which there is one here.
func BenchmarkIdleUpstreams(b *testing.B) {
	const n = 50
	server, err := exec.LookPath("storm-server")
	if err != nil {
		b.Fatal(err)
	}
	program := build(b)
	command := fmt.Sprintf("[%q, %q]", server, filepath.Join(b.TempDir(), "effects"))
	settled := func(g *behind) (gateway, supervisors float64) {
		const pause = 20 * time.Second // memory that is free is given back slowly
		time.Sleep(pause)
		return g.private()
	}
	const often = "GOGC=5"
	var of, at, all []float64
	for b.Loop() {
		none := serveUpstreams(b, program, 0, command, often)
		before, _ := settled(none)
		none.close()
		g := serveUpstreams(b, program, n, command, often)
		for started := time.Now(); g.connected() < n; time.Sleep(100 * time.Millisecond) {
			if time.Since(started) > 2*time.Minute {
				b.Fatalf("%d of %d are connected", g.connected(), n)
			}
		}
		gateway, supervisors := settled(g)
		g.close()
		of, at = append(of, supervisors/n), append(at, (gateway-before)/n)
		all = append(all, (supervisors+gateway-before)/n)
	}
	median := func(all []float64) float64 { slices.Sort(all); return all[len(all)/2] }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(of), "supervisor-KiB/server")
	b.ReportMetric(median(at), "gateway-KiB/server")
	b.ReportMetric(median(all), "KiB/server")
}

// BenchmarkStartWithUpstreams lets starts of a gateway without servers take turns with those of
// one with fifty that never answer, and reports the medians and how often as long the second
// takes until it serves.
func BenchmarkStartWithUpstreams(b *testing.B) {
	const n = 50
	program := build(b)
	var took [2][]float64
	for b.Loop() {
		for i, servers := range []int{0, n} {
			g := serveUpstreams(b, program, servers, "[sleep, '600']")
			took[i] = append(took[i], float64(g.took.Microseconds())/1000)
			g.cmd.Process.Kill()
			g.cmd.Wait()
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	without, with := took[0][len(took[0])/2], took[1][len(took[1])/2]
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(without, "p50-ms-without")
	b.ReportMetric(with, "p50-ms-with")
	b.ReportMetric(with/without, "x-without")
}
