package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/glovebox-run/glovebox/runtime"
)

// runCommand holds the flags of run.
type runCommand struct {
	settings
	args     []string
	argsJSON string
	asJSON   bool
}

func newRun() *cobra.Command {
	var r runCommand
	cmd := &cobra.Command{
		Use:   "run SPEC",
		Short: "Run one tool once and print its result",
		Long: `Run one tool once and print its result.

SPEC is a Safe Tool Spec file, - for standard input, or the name of a bundled
tool (see glovebox catalog list). The result goes to
standard output; log lines and one line of what it took go to standard error.`,
		ValidArgsFunction: completeTools,
		Example: `  glovebox run hash --arg text=hello
  glovebox run stats.json --args '{"numbers":[1,2,3]}' --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&r.args, "arg", nil, "one argument as `NAME=VALUE`; the value is read in the parameter's type")
	f.StringVar(&r.argsJSON, "args", "", "all arguments as a `JSON` object, @FILE, or - for standard input")
	f.BoolVar(&r.asJSON, "json", false, "print one JSON object")
	r.bind(cmd, "limits.timeout", "limits.statements", "limits.fuel", "limits.memory", "world.workspace", "world.read_roots", "world.secrets", "audit.file")
	return cmd
}

func (r *runCommand) run(cmd *cobra.Command, path string) error {
	stderr := cmd.ErrOrStderr()
	if path == "-" && r.argsJSON == "-" {
		return exitWith(exitUsage, errors.New("standard input is the spec or the arguments, not both; give one of them as a file"))
	}
	document, err := readSpec(cmd, path)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	spec, problems := catalog.Parse(document)
	if err := problems.Err(); err != nil {
		return badSpec(path, document, err)
	}
	arguments, err := r.arguments(cmd, spec)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	configured, err := r.load(cmd)
	if err != nil {
		return err
	}
	runConfig, closeAudit, err := openRuntimeConfig(configured, stderr)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	defer closeAudit()
	rt, err := runtime.Open(cmd.Context(), runConfig)
	if err != nil {
		return exitWith(exitIncomplete, err)
	}
	defer rt.Close()
	tool, problems := rt.Prepare(spec, catalog.SourceUser)
	if err := problems.Err(); err != nil {
		return badSpec(path, document, err)
	}
	world, closeWorld, err := r.world(configured, tool.Posture(), stderr)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	defer closeWorld()

	tightenCollector(int64(configured.Limits.Memory))
	decision := tool.Decide(risk.Allow, "run by the operator", arguments)
	result := tool.Call(cmd.Context(), runtime.Invocation{
		Arguments: arguments, World: world, Caller: "local",
		Decision: decision.Verdict().String() + ": " + decision.Reason(),
		// A local run is cleared for this one call, whatever it requires.
		Clearance: decision.Clear(time.Now().Add(time.Minute)),
	})
	if err := r.print(cmd, tool, result); err != nil {
		return err
	}
	switch {
	case result.Failure == nil:
		return nil
	case result.Failure.Kind == jsengine.Internal:
		return exitWith(exitBug, fmt.Errorf("a bug of ours (%s): please send this line with the spec: %w", result.ID, result.Failure.Cause))
	}
	return exitWith(exitNo, nil)
}

// tightenCollector keeps the process near what the call may hold: by default Go
// lets the heap double before it collects, so 64 MiB for a call could take 128.
// The memory limit is soft; in addition, garbage may reach half the size of the
// data. Settings of the environment take precedence.
func tightenCollector(memory int64) {
	const garbage = 50 // percent
	const slack = 8 << 20
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(garbage)
	}
	if _, set := os.LookupEnv("GOMEMLIMIT"); !set {
		var now goruntime.MemStats
		goruntime.ReadMemStats(&now)
		debug.SetMemoryLimit(int64(now.Sys-now.HeapReleased) + cmp.Or(memory, int64(jsengine.DefaultLimits.Memory)) + slack)
	}
}

// badSpec is the error for a document that cannot be run: exit 2 when it is not
// JSON, exit 1 when it was read and is wrong.
func badSpec(path string, document []byte, err error) error {
	code := exitNo
	if !json.Valid(document) {
		code = exitUsage
	}
	return exitWith(code, fmt.Errorf("%s: not a valid spec\n%w", path, err))
}

// arguments joins --args and --arg; --arg wins.
func (r *runCommand) arguments(cmd *cobra.Command, spec *catalog.Spec) ([]byte, error) {
	text := []byte(r.argsJSON)
	if name, isFile := strings.CutPrefix(r.argsJSON, "@"); isFile || r.argsJSON == "-" {
		var err error
		if text, err = readInput(cmd, name); err != nil {
			return nil, fmt.Errorf("--args: %w", err)
		}
	}
	if len(r.args) == 0 {
		if len(text) > 0 && !json.Valid(text) {
			return nil, errors.New("--args: not JSON")
		}
		return text, nil
	}
	all := map[string]json.RawMessage{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, fmt.Errorf("--args: %w", err)
		}
	}
	types := map[string]catalog.ParamType{}
	for _, p := range spec.Params() {
		types[p.Name] = p.Type
	}
	for _, pair := range r.args {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("--arg %s: want NAME=VALUE", pair)
		}
		all[name] = typedValue(types[name], value)
	}
	return json.Marshal(all)
}

// typedValue reads a value as the parameter's type; a value that does not fit
// stays a string, and the check of the arguments reports it.
func typedValue(t catalog.ParamType, value string) json.RawMessage {
	if t != catalog.String && json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // a string is always JSON
	}
	return text
}

// world grants the machine's network and the named directories. Only a tool with
// file access gets a workspace.
func (r *runCommand) world(l *config.Loaded, p catalog.Posture, stderr io.Writer) (w host.World, closeWorld func(), err error) {
	w = systemWorld()
	w.AllowOpen = true // the operator runs this very tool
	if !host.NeedsFiles(p) {
		return w, func() {}, nil
	}
	// A workspace of the configuration belongs to the server, which may be running.
	dir := string(l.World.Workspace)
	if l.Origins["world.workspace"] != config.FromFlag {
		if dir, err = os.MkdirTemp("", "glovebox-workspace-"); err != nil {
			return w, nil, err
		}
		fmt.Fprintf(stderr, "workspace: %s\n", dir)
	}
	closeWorld, err = service.LendFolders(&w, dir, l.World.ReadRoots)
	return w, closeWorld, err
}

// sensitive returns the kinds of secrets and personal data that were found, each
// once. The positions of a tool's own errors in its script do not count.
func sensitive(findings []egress.Finding) (kinds []string) {
	for _, f := range findings {
		if f.Class != string(rules.Internal) && !slices.Contains(kinds, f.Rule) {
			kinds = append(kinds, f.Rule)
		}
	}
	return kinds
}

// runReport is the object that --json prints.
type runReport struct {
	OK      bool             `json:"ok"`
	ID      string           `json:"id"`
	Result  json.RawMessage  `json:"result"`
	Failure *runtime.Failure `json:"failure,omitempty"`
	Logs    []string         `json:"logs"`
	// LogsDropped are lines over the limit.
	LogsDropped int                   `json:"logsDropped,omitempty"`
	Warnings    catalog.Problems      `json:"warnings,omitempty"`
	Usage       usageReport           `json:"usage"`
	HostCalls   map[string]host.Usage `json:"hostCalls,omitempty"`
	Redactions  []egress.Finding      `json:"redactions,omitempty"`
	ToolSafety  catalog.ToolSafety    `json:"toolSafety"`
	RiskLevel   risk.Level            `json:"riskLevel"`
}

type usageReport struct {
	Fuel       uint64 `json:"fuel"`
	Statements uint64 `json:"statements"`
	ElapsedUs  int64  `json:"elapsedUs"`
	PeakMemory uint64 `json:"peakMemory"`
	HostCalls  int    `json:"hostCalls"`
}

func (r *runCommand) print(cmd *cobra.Command, tool *runtime.Tool, result *runtime.Result) error {
	out, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	logs := make([]string, 0, len(result.Logs))
	for _, line := range result.Logs {
		logs = append(logs, fmt.Sprintf("[%s] %s", strings.ToUpper(line.Level), line.Text))
	}
	u := result.Usage
	if r.asJSON {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		return enc.Encode(runReport{
			OK: result.Failure == nil, ID: result.ID, Result: result.Value, Failure: result.Failure,
			Logs: logs, LogsDropped: result.LogsDropped, Warnings: result.Warnings,
			Usage:     usageReport{u.Fuel, u.Statements, u.Elapsed.Microseconds(), u.PeakMemory, u.HostCalls},
			HostCalls: result.HostCalls, Redactions: result.Redactions, ToolSafety: tool.Safety(), RiskLevel: tool.Level(),
		})
	}
	for _, line := range logs {
		fmt.Fprintln(stderr, line)
	}
	if found := sensitive(result.Redactions); len(found) > 0 {
		fmt.Fprintf(stderr, "(looks like secrets or personal data: %s; see --json)\n", strings.Join(found, ", "))
	}
	if result.LogsDropped > 0 {
		fmt.Fprintf(stderr, "(%d more log lines)\n", result.LogsDropped)
	}
	for _, w := range result.Warnings {
		fmt.Fprintf(stderr, "warning: %s: %s\n", w.Pointer, w.Message)
	}
	if f := result.Failure; f != nil {
		fmt.Fprintf(stderr, "failed: %v\n", f)
		if f.Kind == runtime.InvalidArguments {
			fmt.Fprintln(stderr, "pass arguments with --arg NAME=VALUE, or all of them with --args JSON")
		}
		if f.Stack != "" {
			fmt.Fprintln(stderr, strings.TrimRight(f.Stack, "\n"))
		}
	} else if _, err := fmt.Fprintln(out, tool.Text(result)); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%s %s, %s, %s fuel, %s statements, %s at most, call %s\n",
		tool.Level(), tool.Level().Label(), u.Elapsed.Round(time.Microsecond), humanize.Comma(int64(u.Fuel)),
		humanize.Comma(int64(u.Statements)), humanize.IBytes(u.PeakMemory), result.ID)
	return nil
}
