package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is a real one: `glovebox serve` with a folder of specs.
type server struct {
	cmd    *exec.Cmd
	url    string // of /mcp
	ready  time.Duration
	ended  chan error
	client http.Client
}

// readyWithin bounds how long a start is waited for.
const readyWithin = time.Minute

var addressOf = regexp.MustCompile(`tools? at (http://\S+/mcp)`)

// serve starts a server and waits until it is ready.
func (l servedLibrary) serve(cache, folder string) (s *server, err error) {
	s = &server{ended: make(chan error, 1), client: http.Client{Timeout: readyWithin}}
	s.cmd = exec.Command(l.glovebox, "serve", "--folder", filepath.Join(l.dir, folder), "--listen", "127.0.0.1:0", "--no-token", "--console", "off")
	s.cmd.Env = l.environment(cache)
	said, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.cmd.Stderr = s.cmd.Stdout
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	addresses := make(chan string, 1)
	go func() {
		var all strings.Builder
		for lines := bufio.NewScanner(said); lines.Scan(); {
			if found := addressOf.FindStringSubmatch(lines.Text()); found != nil {
				addresses <- found[1]
			}
			if all.Len() < 4096 {
				fmt.Fprintln(&all, lines.Text())
			}
		}
		s.ended <- fmt.Errorf("glovebox serve ended: %w\n%s", s.cmd.Wait(), all.String())
	}()
	select {
	case s.url = <-addresses:
	case err := <-s.ended:
		return nil, err
	case <-time.After(readyWithin):
		return nil, errors.Join(errors.New("glovebox serve does not listen"), s.stop())
	}
	for {
		answer, err := s.client.Get(strings.TrimSuffix(s.url, "/mcp") + "/readyz")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				s.ready = time.Since(began)
				return s, nil
			}
		}
		if time.Since(began) > readyWithin {
			return nil, errors.Join(errors.New("glovebox serve does not get ready"), err, s.stop())
		}
		time.Sleep(time.Millisecond)
	}
}

// stop ends the server and waits for it.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-s.ended
	return nil
}

// connect opens a session as a client.
func (s *server) connect(ctx context.Context) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	return client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.url, DisableStandaloneSSE: true}, nil)
}

// memory returns what the server keeps to itself and all that is resident, in bytes.
func (s *server) memory() (private, resident int64, err error) {
	file := fmt.Sprintf("/proc/%d/smaps_rollup", s.cmd.Process.Pid)
	if private, err = memoryIn(file, "Private_Dirty:"); err != nil {
		return 0, 0, err
	}
	resident, err = memoryIn(file, "Rss:")
	return private, resident, err
}

// servedLibrary is a folder of specs that have their passes, and the state of the
// servers that serve it.
type servedLibrary struct{ glovebox, dir string }

func (l servedLibrary) environment(cache string) []string {
	return append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(l.dir, cache), "XDG_STATE_HOME="+filepath.Join(l.dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(l.dir, "config"))
}

// write makes a folder of the tools' files and gives them their passes.
func (l servedLibrary) write(folder string, many []libraryTool) error {
	folder = filepath.Join(l.dir, folder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for _, t := range many {
		if err := os.WriteFile(filepath.Join(folder, t.spec.Name()+".json"), t.spec.Raw(), 0o600); err != nil {
			return err
		}
	}
	cmd := exec.Command(l.glovebox, "test", folder)
	cmd.Env = l.environment("warm")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("glovebox test: %w\n%.2000s", err, out)
	}
	return nil
}

// measureServed serves all tools, and one for comparison: how long until the server is
// ready, what a client waits for, and what it takes.
func measureServed(o options, r *report, many []libraryTool) error {
	dir, err := os.MkdirTemp("", "glovebox-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	glovebox, err := filepath.Abs(o.glovebox)
	if err != nil {
		return err
	}
	l := servedLibrary{glovebox, dir}
	if err := errors.Join(l.write("one", many[:1]), l.write("many", many)); err != nil {
		return err
	}
	s := section{
		Title: fmt.Sprintf("glovebox serve with %d tools, from the start of the process until it is ready, ms", len(many)), Columns: []string{"start", "p50", "p95", "p99", "starts"},
		Note: "warm has the compiled guest on disk, as after any earlier start; ready is the first 200 of /readyz, asked every millisecond; no image is built before a tool is called",
	}
	for _, row := range []struct {
		name, folder, cache string
		starts              int
	}{
		{"one tool, warm", "one", "warm", o.warm}, {"all tools, cold", "many", "cold", o.cold}, {"all tools, warm", "many", "warm", o.warm},
	} {
		var took sample
		for n := range row.starts {
			cache := row.cache
			if cache == "cold" {
				cache += fmt.Sprint(n)
			}
			server, err := l.serve(cache, row.folder)
			if err != nil {
				return err
			}
			took = append(took, server.ready)
			if err := server.stop(); err != nil {
				return err
			}
		}
		s.Rows = append(s.Rows, []string{row.name, millis(took.percentile(50)), took.tail(95, millis), took.tail(99, millis), fmt.Sprint(len(took))})
		if row.folder == "many" && row.cache == "warm" {
			r.bar(fmt.Sprintf("a server with %d tools ready, warm, p50", len(many)), took.percentile(50).Seconds()*1000, 1000, " ms")
		}
	}
	r.Sections = append(r.Sections, s)
	return measureFirstCalls(r, l, many)
}

// measureFirstCalls calls each tool of one server twice. The first call builds the
// tool's image.
func measureFirstCalls(r *report, l servedLibrary, many []libraryTool) (err error) {
	one, err := l.serve("warm", "one")
	if err != nil {
		return err
	}
	alone, _, err := one.memory()
	if err := errors.Join(err, one.stop()); err != nil {
		return err
	}
	server, err := l.serve("warm", "many")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	s := section{
		Title: fmt.Sprintf("A client of that server with %d tools, ms", len(many)), Columns: []string{"what", "p50", "p95", "p99", "count", "private MiB afterwards", "resident MiB"},
		Note: fmt.Sprintf("one request after the other, over HTTP on this machine, every call recorded; a server with one tool keeps %s MiB to itself before a call", mebi(alone)),
	}
	row := func(what string, took sample) error {
		private, resident, err := server.memory()
		s.Rows = append(s.Rows, []string{what, took.tail(50, millis), took.tail(95, millis), took.tail(99, millis), fmt.Sprint(len(took)), mebi(private), mebi(resident)})
		return err
	}
	if err := row("ready", nil); err != nil {
		return err
	}
	session, err := server.connect(context.Background())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	listed := 0
	began := time.Now()
	for _, err := range session.Tools(context.Background(), nil) {
		if err != nil {
			return err
		}
		listed++
	}
	if listed < len(many) {
		return fmt.Errorf("%d tools are listed, want %d", listed, len(many))
	}
	if err := row("list of all tools", sample{time.Since(began)}); err != nil {
		return err
	}
	for _, what := range []string{"first call of each tool", "second call of each tool"} {
		var took sample
		for _, t := range many {
			began := time.Now()
			answer, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: t.spec.Name(), Arguments: json.RawMessage(t.arguments)})
			if err != nil {
				return fmt.Errorf("%s: %w", t.spec.Name(), err)
			}
			if answer.IsError {
				return fmt.Errorf("%s: %v", t.spec.Name(), answer.Content)
			}
			took = append(took, time.Since(began))
		}
		if err := row(what, took); err != nil {
			return err
		}
	}
	r.Sections = append(r.Sections, s)
	return nil
}

func mebi(bytes int64) string { return fmt.Sprintf("%.0f", float64(bytes)/(1<<20)) }
