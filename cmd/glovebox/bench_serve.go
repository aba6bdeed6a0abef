package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/internal/osfile"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/load"
)

// cheapTool is called if no tool is named: every server with the bundled tools has it, and
// it reads no file and no network.
const cheapTool = "getCurrentTime"

// benchServe is what glovebox bench serve was told.
type benchServe struct {
	plan               load.Plan
	anywhere, asJSON   bool
	token, agents, era string
	calls, approvals   []string
	list               int // percent
}

func newBenchServe() *cobra.Command {
	var b benchServe
	cmd := &cobra.Command{
		Use:   "serve URL...",
		Short: "Measure a server, or several, under a load of calls at a fixed rate",
		Long: `Measure servers that run, under a load of calls at a fixed rate. Calls begin at
moments that were drawn before, and their time counts from there, however late they
begin: a server that stalls does not hide the calls that its clients would have made.
Messages go to the next URL in turn, as behind a balancer without stickiness.

The token is that of the server, from --token-file or GLOVEBOX_TOKEN. With it the
metrics of each server are read before and after, and what a call cost there is
printed; what others did meanwhile counts, too. One client may send as many messages
as limits.rate allows, so give the tokens of several with --agents for more.

It calls ` + cheapTool + ` unless --call names other tools: name nothing whose calls do
harm, since they are really made. --ask calls a tool that asks a person, and says
yes. {n} in arguments is another number in each call: calls that are the same share
one question, and a yes counts for one of them. Questions of --hold get no answer, and stay until they expire.

Only servers on this machine are called; --anywhere is for others of your own. After an
interrupt it prints what was measured so far. Exit code 1 means that calls failed, or
that the servers answered less than 95 % of the rate; 3 that it could not begin, was
interrupted, or may have been the limit itself.`,
		Example: `  glovebox bench serve http://127.0.0.1:8282/mcp
  glovebox bench serve http://127.0.0.1:8282/mcp http://127.0.0.1:8283/mcp --rate 500 --duration 60s --json
  glovebox bench serve http://127.0.0.1:8282/mcp --call 'hash={"text":"hello"}' --sessions 1000 --era 2025-11-25
  glovebox bench serve http://127.0.0.1:8282/mcp --ask 'tidy={"n":{n}}' --list 0 --rate 10
  glovebox bench serve https://tools.example.com/mcp --anywhere --agents tokens.txt`,
		Args: cobra.MinimumNArgs(1),
		RunE: b.run,
	}
	f := cmd.Flags()
	f.Float64Var(&b.plan.Rate, "rate", 100, "calls a second, over all URLs")
	f.DurationVar(&b.plan.Duration, "duration", 10*time.Second, "how long calls begin, such as 60s")
	f.BoolVar(&b.plan.Constant, "constant", false, "calls begin at equal distances instead of at random (a Poisson process)")
	f.Uint64Var(&b.plan.Seed, "seed", 1, "the same number draws the same moments and kinds of calls")
	f.IntVar(&b.plan.Sessions, "sessions", 16, "open sessions, in the era that has them")
	f.IntVar(&b.plan.Hold, "hold", 0, "questions that are left open before calls begin; with --ask")
	f.IntVar(&b.plan.InFlight, "in-flight", 1000, "calls under way at one time; later ones wait, which counts")
	f.DurationVar(&b.plan.Timeout, "each", 30*time.Second, "the longest that one request may take")
	f.StringVar(&b.era, "era", bothEras, "the protocol: "+load.Sessions+" with sessions, "+load.Stateless+" without, or "+bothEras+" by turns")
	f.IntVar(&b.list, "list", 10, "how many of 100 calls ask for the list of tools")
	f.StringArrayVar(&b.calls, "call", nil, "call this `TOOL[=JSON]`; several share the calls")
	f.StringArrayVar(&b.approvals, "ask", nil, "call this `TOOL[=JSON]`, which asks a person, and say yes")
	f.StringVar(&b.token, "token-file", "", "the `FILE` of the server's token, mode 0600 (default what "+tokenVariable+" holds)")
	f.StringVar(&b.agents, "agents", "", "a `FILE` of clients' tokens, one a line, mode 0600; they make the calls in turn")
	f.BoolVar(&b.anywhere, "anywhere", false, "also servers that are not on this machine")
	f.BoolVar(&b.asJSON, "json", false, "print one JSON object")
	oneOf(cmd, "era", load.Sessions, load.Stateless, bothEras)
	return cmd
}

const (
	bothEras      = "both"
	tokenVariable = "GLOVEBOX_TOKEN"
	// enoughOfRate is the share of the intended rate from which it counts as achieved.
	enoughOfRate = .95
)

func (b *benchServe) run(cmd *cobra.Command, urls []string) error {
	b.plan.URLs = urls
	if err := b.complete(); err != nil {
		return exitWith(exitUsage, err)
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := load.Run(ctx, b.plan)
	if err != nil {
		return exitWith(exitIncomplete, fmt.Errorf("the load cannot begin: %w", err))
	}
	if b.asJSON {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(report)
	} else {
		err = printLoad(cmd.OutOrStdout(), report)
	}
	if err != nil {
		return err
	}
	return judgeLoad(report)
}

// complete reads what the flags name.
func (b *benchServe) complete() error {
	for _, url := range b.plan.URLs {
		if here, err := load.Loopback(url); err != nil {
			return err
		} else if !here && !b.anywhere {
			return fmt.Errorf("%s is not on this machine: --anywhere calls it, if it is yours", url)
		}
	}
	switch b.era {
	case bothEras:
		b.plan.Eras = []string{load.Sessions, load.Stateless}
	case load.Sessions, load.Stateless:
		b.plan.Eras = []string{b.era}
	default:
		return fmt.Errorf("--era %s: want %s, %s or %s", b.era, load.Sessions, load.Stateless, bothEras)
	}
	if b.list < 0 || b.list > 100 {
		return fmt.Errorf("--list %d: want 0 to 100", b.list)
	}
	if len(b.calls)+len(b.approvals) == 0 {
		b.calls = []string{cheapTool}
	}
	if b.list > 0 {
		b.plan.Kinds = append(b.plan.Kinds, load.Kind{Name: "list of tools", Share: float64(b.list)})
	}
	if b.list < 100 {
		each := float64(100-b.list) / float64(len(b.calls)+len(b.approvals))
		for i, text := range append(slices.Clone(b.calls), b.approvals...) {
			name, arguments, _ := strings.Cut(text, "=")
			b.plan.Kinds = append(b.plan.Kinds, load.Kind{Name: name, Tool: name, Arguments: json.RawMessage(arguments), Asks: i >= len(b.calls), Share: each})
		}
	}
	b.plan.Token = os.Getenv(tokenVariable)
	if b.token != "" {
		tokens, err := readTokens(b.token)
		if err != nil {
			return err
		}
		b.plan.Token = tokens[0]
	}
	if b.agents != "" {
		var err error
		if b.plan.Agents, err = readTokens(b.agents); err != nil {
			return err
		}
	}
	return b.plan.Check()
}

// readTokens reads a file of tokens, one a line, which nobody else may read.
func readTokens(path string) (all []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := osfile.Private(path, info); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if _, err := mcpserver.NewToken(line); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, len(all)+1, err)
		}
		all = append(all, line)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no token", path)
	}
	return all, nil
}

// judgeLoad is the exit code of a report.
func judgeLoad(r *load.Report) error {
	failed, good := r.Failed(), r.Achieved >= enoughOfRate*r.Rate
	switch {
	case r.Interrupted:
		return exitWith(exitIncomplete, fmt.Errorf("interrupted after %.1f s", r.Seconds))
	case failed > 0:
		code := slices.Sorted(maps.Keys(r.Examples))[0]
		advice := ""
		if r.Examples["http 429"] != nil {
			advice = "; 429 is a limit for one client: --agents calls as several, and limits.rate and limits.sessions of the server raise it"
		}
		return exitWith(exitNo, fmt.Errorf("%d calls failed, for instance: %v%s", failed, r.Examples[code], advice))
	case len(r.Generator.Limits) > 0 && !good:
		return exitWith(exitIncomplete, fmt.Errorf("the generator may have been the limit (%s): use a lower --rate, or several machines", strings.Join(r.Generator.Limits, ", ")))
	case !good:
		return exitWith(exitNo, fmt.Errorf("%.1f calls a second were answered, of %g", r.Achieved, r.Rate))
	}
	return nil
}

func printLoad(out io.Writer, r *load.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "kind\tera\tcalls\tp50 ms\tp99 ms\tp99.9 ms\tmax ms\terrors\t")
	for _, k := range r.Kinds {
		var failed []string
		for _, code := range slices.Sorted(maps.Keys(k.Errors)) {
			failed = append(failed, fmt.Sprintf("%s: %d", code, k.Errors[code]))
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%s\t\n", k.Kind, k.Era, k.Calls, k.P50, k.P99, k.P999, k.Max, strings.Join(failed, ", "))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%.1f calls a second for %.1f s, of %g\n", r.Achieved, r.Seconds, r.Rate)
	g := r.Generator
	fmt.Fprintf(out, "generator: %.2f of %d processors, late by %.2f ms at p99", g.Processors, g.Of, g.LateP99)
	if len(g.Limits) > 0 {
		fmt.Fprintf(out, "; it may have been the limit: %s", strings.Join(g.Limits, ", "))
	}
	fmt.Fprintln(out)
	if len(r.Nodes) == 0 {
		return nil
	}
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nserver\tcpu ms a call\tMiB\tstore messages a call\tbytes a call\tmessages a session\tKiB a session\tmessages a question\tbytes\tKiB\t")
	for _, n := range r.Nodes {
		fmt.Fprintf(w, "%s\t%.3f\t%.1f\t%.2f\t%.0f\t%.2f\t%s\t%s\t%s\t%s\t\n", n.URL, n.Processors, n.Resident, n.StoreMessages, n.StoreBytes, n.SessionMessages,
			known(n.PerSession), known(n.QuestionMsgs), known(n.QuestionBytes), known(n.PerQuestion))
	}
	return w.Flush()
}

// known is a number that was measured.
func known(n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", n)
}
