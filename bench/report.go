package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"
)

// report is everything that one run measured.
type report struct {
	Machine  machine   `json:"machine"`
	Health   health    `json:"health"`
	LeftOut  []string  `json:"left_out,omitempty"` // what was not measured, and why
	Sections []section `json:"sections"`
	Bars     []bar     `json:"bars"`
}

// machine is what a reader needs to judge a number.
type machine struct {
	CPU      string            `json:"cpu"`
	Cores    int               `json:"cores"`
	Kernel   string            `json:"kernel"`
	Go       string            `json:"go"`
	Commit   string            `json:"commit,omitempty"` // of Glovebox; says so when files were changed
	Node     string            `json:"node,omitempty"`
	Time     time.Time         `json:"time"`
	Versions map[string]string `json:"versions"`
}

// section is one table.
type section struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Note    string     `json:"note,omitempty"`
	Bars    []int      `json:"bars,omitempty"`  // columns that the page draws as bars, a row each
	Curve   *curve     `json:"curve,omitempty"` // what it draws as lines
	// Logarithmic draws the bars so, from 1 on: for values that lie far apart.
	Logarithmic bool `json:"logarithmic,omitempty"`
}

// curve says which columns of a table are lines over which.
type curve struct {
	X      int    `json:"x"`
	Y      []int  `json:"y"`
	Across string `json:"across"`
	Up     string `json:"up"`
}

// bar is a figure that this project promises.
type bar struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Most  float64 `json:"most"`
	Unit  string  `json:"unit"` // "x" for ratios
}

func (b bar) met() bool { return b.Value <= b.Most }

func (r *report) bar(what string, value, most float64, unit string) {
	r.Bars = append(r.Bars, bar{what, value, most, unit})
}

func describeMachine(root string) machine {
	m := machine{
		CPU: cpuName(), Cores: runtime.NumCPU(), Kernel: firstWords("/proc/sys/kernel/osrelease", 1), Go: runtime.Version(),
		Time: time.Now().UTC(), Versions: map[string]string{},
	}
	if out, err := exec.Command("git", "-C", root, "rev-parse", "--short=12", "HEAD").Output(); err == nil {
		m.Commit = strings.TrimSpace(string(out))
		if out, err := exec.Command("git", "-C", root, "status", "--porcelain").Output(); err != nil || len(out) > 0 {
			m.Commit += " with changes"
		}
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		m.modules(info, "")
	}
	return m
}

// modules notes which versions of engines a command was built with; users says which peer
// the command is, where it has its own wazero.
func (m *machine) modules(info *debug.BuildInfo, users string) {
	for _, dep := range info.Deps {
		switch dep.Path {
		case "github.com/tetratelabs/wazero", "github.com/dop251/goja", "modernc.org/quickjs", "github.com/aperturerobotics/go-quickjs-wasi-reactor",
			"github.com/fastschema/qjs", "github.com/bytecodealliance/wasmtime-go/v39":
			name := dep.Path
			if _, known := m.Versions[name]; known && m.Versions[name] != dep.Version {
				name += users
			}
			m.Versions[name] = dep.Version
		}
	}
}

// built notes what a peer's command was built with.
func (m *machine) built(command string) {
	if info, err := buildinfo.ReadFile(command); err == nil {
		m.modules(info, " of "+filepath.Base(command))
	}
}

// installed notes the Node that the peers in node/ run on, and their versions.
func (m *machine) installed(o options) error {
	out, err := exec.Command(o.node, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", o.node, err)
	}
	m.Node = strings.TrimSpace(string(out))
	text, err := os.ReadFile(filepath.Join(o.root, "bench", "node", "package.json"))
	if err != nil {
		return err
	}
	var manifest struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		return err
	}
	maps.Copy(m.Versions, manifest.Dependencies)
	return nil
}

func cpuName() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func firstWords(path string, n int) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	words := strings.Fields(string(text))
	return strings.Join(words[:min(n, len(words))], " ")
}

func (r *report) write(w io.Writer) error {
	m := r.Machine
	fmt.Fprintf(w, "%s, %d cores, Linux %s, %s, commit %s\n%s\n", m.CPU, m.Cores, m.Kernel, m.Go, m.Commit, r.Health)
	for _, what := range r.LeftOut {
		fmt.Fprintln(w, "left out:", what)
	}
	for _, s := range r.Sections {
		fmt.Fprintf(w, "\n%s\n", s.Title)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, strings.Join(s.Columns, "\t")+"\t")
		for _, row := range s.Rows {
			fmt.Fprintln(t, strings.Join(row, "\t")+"\t")
		}
		if err := t.Flush(); err != nil {
			return err
		}
		if s.Note != "" {
			fmt.Fprintln(w, s.Note)
		}
	}
	fmt.Fprintln(w, "\nBars")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, b := range r.Bars {
		verdict := "met"
		if !b.met() {
			verdict = "MISSED"
		}
		fmt.Fprintf(t, "%s\t%s\t%.3g%s\tat most %.3g%s\n", verdict, b.What, b.Value, b.Unit, b.Most, b.Unit)
	}
	return t.Flush()
}

// store keeps the run as JSON and as a page in dir and returns the JSON file's name.
func (r *report) store(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, r.Machine.Time.Format("20060102-150405"))
	if err := os.WriteFile(name+".json", append(text, '\n'), 0o644); err != nil {
		return "", err
	}
	var page bytes.Buffer
	if err := r.page(&page); err != nil {
		return "", err
	}
	return name + ".json", os.WriteFile(name+".html", page.Bytes(), 0o644)
}

func micros(d time.Duration) string {
	us := float64(d.Nanoseconds()) / 1000
	if us >= 10_000 {
		return fmt.Sprintf("%.0f", us)
	}
	return fmt.Sprintf("%.1f", us)
}
func millis(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Nanoseconds())/1e6) }
