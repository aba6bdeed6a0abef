// Command servers has glovebox scan real MCP servers of npm over stdio, those that the
// evaluation of levels names and installs, and prints what it says of each. No tool is
// called.
//
//	go run ./internal/eval/score/servers -glovebox bin/glovebox -servers internal/eval/levels/servers
//
// It ends with 1 if a server has no score, which is a fault of the scanner or of this
// machine, or if more than 5 % are blocked. What is blocked is printed with its
// evidence, for a person to agree with.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/risk/score"
)

// maxBlocked is how many of these honest servers may be blocked, in percent.
const maxBlocked = 5

// server is a row of servers.json.
type server struct {
	Package string            `json:"package"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

func main() {
	glovebox := flag.String("glovebox", "bin/glovebox", "the program that scans")
	dir := flag.String("servers", "internal/eval/levels/servers", "the folder of servers.json")
	modules := flag.String("modules", "", "the folder of node_modules (default that of servers.json)")
	flag.Parse()
	ok, err := run(os.Stdout, *glovebox, *dir, cmp.Or(*modules, *dir))
	if err != nil {
		fmt.Fprintln(os.Stderr, "servers:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run(out io.Writer, glovebox, dir, modules string) (ok bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "servers.json"))
	if err != nil {
		return false, err
	}
	var all []server
	if err := json.Unmarshal(text, &all); err != nil {
		return false, err
	}
	scratch, err := os.MkdirTemp("", "eval-score-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(scratch)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SERVER\tSCORE\tVERDICT\tTOOLS\tFAILED")
	ok = true
	blocked := 0
	for _, s := range all {
		r, err := s.scan(glovebox, modules, scratch)
		if err != nil {
			fmt.Fprintf(w, "%s\t-\t-\t-\t%v\n", s.Package, err)
			ok = false
			continue
		}
		row(w, s.Package, r)
		if r.Verdict == score.Block {
			blocked++
		}
	}
	return ok && blocked*100 <= maxBlocked*len(all), w.Flush()
}

// row prints one server: what failed with a severity of medium or more, and what blocks.
func row(w io.Writer, name string, r score.Report) {
	var failed []string
	for _, f := range r.Failing() {
		if f.Severity >= score.Medium {
			failed = append(failed, f.ID)
		}
	}
	fmt.Fprintf(w, "%s\t%s %d\t%s\t%d\t%s\n", name, r.Grade, r.Score, r.Verdict, len(r.Tools), strings.Join(failed, " "))
	if r.Verdict != score.Block {
		return
	}
	for _, f := range r.Failing() {
		if f.Blocks() {
			for _, e := range f.Evidence {
				if e.Confidence != score.Certain {
					continue
				}
				fmt.Fprintf(w, "\t\t\t\tblocks: %s: %s\n", e.Place, e.Text)
			}
		}
	}
}

// scan runs glovebox scan as an operator would. The server gets a home folder of its
// own and what servers.json says.
func (s server) scan(glovebox, dir, scratch string) (r score.Report, err error) {
	script, err := program(filepath.Join(dir, "node_modules", filepath.FromSlash(s.Package)))
	if err != nil {
		return r, err
	}
	args := []string{"scan", "--start", "--no-history", "--fail-on", "none", "--format", "json"}
	environment := append(os.Environ(), "HOME="+scratch)
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		args = append(args, "--pass-env", name)
		environment = append(environment, name+"="+s.Env[name])
	}
	args = append(args, "--", "node", script)
	for _, a := range s.Args {
		args = append(args, strings.ReplaceAll(a, "$SCRATCH", scratch))
	}
	var said bytes.Buffer
	cmd := exec.Command(glovebox, args...)
	cmd.Env, cmd.Stderr = environment, &said
	text, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err == nil && !r.Scored {
		err = errors.New("nothing proved that it is an MCP server")
	}
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return r, fmt.Errorf("%w: %s", err, cmp.Or(first, "it said nothing"))
	}
	return r, nil
}

// program returns the script of an installed package, the first that it names.
func program(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return "", err
	}
	bin := gjson.GetBytes(text, "bin")
	script := bin.Str
	bin.ForEach(func(_, first gjson.Result) bool {
		script = first.Str
		return false
	})
	if !gjson.ValidBytes(text) || script == "" {
		return "", fmt.Errorf("%s has no program", root)
	}
	return filepath.Abs(filepath.Join(root, filepath.FromSlash(script)))
}
