package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// measured runs bench serve and returns its report and its exit code.
func (r replica) measured(args ...string) (gjson.Result, string, int) {
	r.t.Helper()
	var said strings.Builder
	cmd := r.command(append([]string{"bench", "serve", "--json"}, args...)...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		r.t.Fatal(err)
	}
	return gjson.ParseBytes(out), said.String(), cmd.ProcessState.ExitCode()
}

// TestBenchServe: a load in both eras on two servers of one cluster, with questions that are
// answered, questions that stay open, and agents with tokens of their own.
func TestBenchServe(t *testing.T) {
	t.Parallel()
	all := replicas(t, natstest.One(t, nil).ClientURL(), 2, "--unasked", "L0")
	a, b := all[0], all[1]
	agents := filepath.Join(t.TempDir(), "agents")
	var tokens string
	for _, name := range []string{"ada", "bea"} {
		tokens += gjson.Get(a.does("token", "create", name, "--json"), "token").Str + "\n"
	}
	put(t, agents, tokens)
	for token := range strings.Lines(tokens) {
		b.answers(strings.TrimSpace(token), "add", `{"a":1}`, "2")
	}
	report, said, code := a.measured(a.url+"/mcp", b.url+"/mcp", "--agents", agents, "--call", `add={"a":41}`, "--ask", `tidy={"n":{n}}`, "--list", "20",
		"--rate", "20", "--constant", "--duration", "2s", "--sessions", "4", "--hold", "3")
	if code != exitGood && code != exitNo || report.Get("kinds.#").Int() != 6 { // a slow machine answers less than the rate
		t.Fatalf("exit code %d, %s: %s", code, said, report.Raw)
	}
	good := int64(0)
	for _, row := range report.Get("kinds").Array() {
		if row.Get("errors").Exists() {
			t.Errorf("%s: %s", row.Raw, report.Get("examples").Raw)
		}
		if p50, p99 := row.Get("p50Ms").Float(), row.Get("p99Ms").Float(); p50 <= 0 || p99 < p50 {
			t.Errorf("%s", row.Raw)
		}
		good += row.Get("calls").Int()
	}
	if good != 40 {
		t.Errorf("%d of 40 calls have an answer", good)
	}
	if report.Get("nodes.#").Int() != 2 {
		t.Fatalf("%s: %s", report.Raw, said)
	}
	for _, node := range report.Get("nodes").Array() {
		// A question is kept and read: some messages of some hundred bytes.
		if node.Get("cpuMsPerCall").Float() <= 0 || node.Get("residentMiB").Float() < 10 || node.Get("storeMessages").Float() <= 0 || node.Get("questionMessages").Float() < 1 || node.Get("questionBytes").Float() < 100 {
			t.Errorf("%s", node.Raw)
		}
	}

	// Calls that fail are the answer no, with a code and an example.
	report, said, code = a.measured(a.url+"/mcp", "--call", "nothing", "--duration", "100ms", "--era", "2026-07-28")
	if code != exitNo || !strings.Contains(said, "calls failed, for instance: http 400") || !strings.Contains(report.Get("examples").Raw, "unknown tool") {
		t.Errorf("%d, %s: %s", code, said, report.Raw)
	}
	if _, said, code := a.measured("http://127.0.0.1:1/mcp"); code != exitIncomplete || !strings.Contains(said, "the load cannot begin: connection: ") {
		t.Errorf("%d, %s", code, said)
	}
	for text, args := range map[string][]string{
		"--anywhere calls it":     {"http://192.0.2.1/mcp"},
		"--era 2024: want":        {a.url, "--era", "2024"},
		"mode":                    {a.url, "--agents", readable(t)},
		"want more than 0":        {a.url, "--rate", "0"},
		"arguments of add are no": {a.url, "--call", "add=1"},
	} {
		if _, said, code := a.measured(args...); code != exitUsage || !strings.Contains(said, text) {
			t.Errorf("%v: %d, %s", args, code, said)
		}
	}
}

// readable is a file that others may read.
func readable(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "readable")
	put(t, name, "token")
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestBenchServeIsInterrupted: what was measured until then is printed.
func TestBenchServeIsInterrupted(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	r := replica{m, m.serve(t)}
	p := m.run(t, "bench", "bench", "serve", r.url+"/mcp", "--call", `add={"a":1}`, "--duration", "1h", "--json")
	for started := time.Now(); !strings.Contains(r.counts(), `glovebox_calls_total{outcome="ok",tool="add"} `) || strings.Contains(r.counts(), `glovebox_calls_total{outcome="ok",tool="add"} 0`); time.Sleep(20 * time.Millisecond) {
		if time.Since(started) > patience {
			t.Fatalf("nobody calls: %s", r.counts())
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	report := p.next(`"kinds"`)
	if code := p.exit(); code != exitIncomplete || !report.Get("interrupted").Bool() {
		t.Errorf("%d: %s", code, report.Raw)
	}
}
