package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/approve/answers"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

// approvalsCommand holds what the sub-commands of approvals share.
type approvalsCommand struct {
	asJSON bool
	of     answers.Of
	url    string // of the server; empty asks the one of this machine
	token  string // the file of the approver's token
}

// bindOf gives a command the flags that narrow a list.
func (a *approvalsCommand) bindOf(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.of.Tool, "tool", "", "only of tools whose name is like this `PATTERN`; * is any characters")
	cmd.Flags().StringVar(&a.of.Principal, "principal", "", "only of principals like this `PATTERN`, such as named:ci")
}

func newApprovals() *cobra.Command {
	var a approvalsCommand
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "Answer the questions of calls whose client cannot ask anybody",
		Long: `Answer the questions that calls wait for: those that need a person's approval and
whose client cannot ask one. The server that owns the state folder is asked over its
socket. A yes counts once, for the same caller and the very same call.

With --server a server on another machine is asked, with the token of an approver
(glovebox token create NAME --approver), and with --token-file or
GLOVEBOX_APPROVER_TOKEN. The answer is on record under that name.

Exit code 1 means that there is no such question, or that it needs no answer any
more; 3 that no server is running.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&a.url, "server", "", "ask the server at this `URL`, with an approver's token, instead of the one of this machine")
	cmd.PersistentFlags().StringVar(&a.token, "token-file", "", "with --server: the `FILE` of the token, mode 0600 (default what "+approverVariable+" holds)")
	cmd.PersistentFlags().BoolVar(&a.asJSON, "json", false, "print one JSON object a line")
	cmd.AddCommand(a.list(), a.show(), a.review(), a.resolve(true), a.resolve(false), a.rules(), a.revoke())
	return cmd
}

// owner finds the process that has the state folder.
func (a *approvalsCommand) owner() (*local.Peer, error) {
	state, err := stateDir()
	if err != nil {
		return nil, exitWith(exitUsage, err)
	}
	peer, err := local.Find(state)
	if err != nil {
		return nil, a.failed(err)
	}
	return peer, nil
}

// server finds the server to ask.
func (a *approvalsCommand) server() (answers.Client, error) {
	if a.url != "" {
		return a.remote()
	}
	if a.token != "" {
		return answers.Client{}, exitWith(exitUsage, errors.New("--token-file goes with --server"))
	}
	peer, err := a.owner()
	if err != nil {
		return answers.Client{}, err
	}
	return peer.Questions(), nil
}

// approverVariable holds the token of an approver.
const approverVariable = "GLOVEBOX_APPROVER_TOKEN"

// remote reaches a server on another machine.
func (a *approvalsCommand) remote() (c answers.Client, err error) {
	text, there := os.LookupEnv(approverVariable)
	if a.token != "" {
		if _, err := mcpserver.ReadToken(a.token); err != nil {
			return c, exitWith(exitUsage, err)
		}
		file, err := os.ReadFile(a.token)
		if err != nil {
			return c, exitWith(exitUsage, err)
		}
		text, there = string(file), true
	}
	if !there {
		return c, exitWith(exitUsage, fmt.Errorf("--server needs an approver's token, in --token-file or %s; on the server, glovebox token create NAME --approver makes one", approverVariable))
	}
	c, err = answers.Remote(a.url, mcpserver.OperatorPath, strings.TrimSpace(text))
	if err != nil {
		return c, exitWith(exitUsage, fmt.Errorf("--server: %w", err))
	}
	return c, nil
}

// failed gives a server's error its exit code and advice.
func (a *approvalsCommand) failed(err error) error {
	var problem local.Problem
	switch {
	case errors.Is(err, local.ErrNoOwner):
		return exitWith(exitIncomplete, fmt.Errorf("%w for this state folder, so no call waits: start one with glovebox serve, or name its folder with XDG_STATE_HOME", err))
	case !errors.As(err, &problem):
		return exitWith(exitIncomplete, err)
	}
	switch problem.Code {
	case answers.Unknown:
		err = fmt.Errorf("%w; glovebox approvals list shows the questions that are open, and rules the rules", err)
	case answers.Expired:
		err = fmt.Errorf("%w; the client has to make the call again, which asks again", err)
	case answers.Answered, answers.OneCall, answers.Scope, answers.Same:
	default:
		return exitWith(exitIncomplete, err)
	}
	return exitWith(exitNo, err)
}

func (a *approvalsCommand) list() *cobra.Command {
	const all = "all"
	var state string
	var watch bool
	var states []string
	for _, s := range approve.States() {
		states = append(states, string(s))
	}
	choices := strings.Join(states, ", ") + " or " + all
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the open questions",
		Example: `  glovebox approvals list
  glovebox approvals list --tool 'files_*' --watch
  glovebox approvals list --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			only := approve.State(state)
			if state == all {
				only = ""
			} else if !slices.Contains(states, state) {
				return exitWith(exitUsage, fmt.Errorf("--state: there is no such state: %q; take %s", state, choices))
			}
			if watch {
				ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
				defer stop()
				return a.watch(ctx, cmd.OutOrStdout(), only)
			}
			questions, err := a.questions(cmd.Context(), only)
			if err != nil {
				return err
			}
			return a.print(cmd.OutOrStdout(), questions)
		},
	}
	cmd.Flags().StringVar(&state, "state", string(approve.Open), "only questions in this `STATE`: "+choices)
	cmd.Flags().BoolVar(&watch, "watch", false, "print questions as they come up or change, until interrupted; on a terminal with a bell and the text of each open one")
	a.bindOf(cmd)
	oneOf(cmd, "state", append(states, all)...)
	return cmd
}

// watchEvery is the polling interval for questions: well below the time a person
// would wait before asking, and a list costs a few hundred microseconds.
const watchEvery = time.Second

// watchOutage is how long a running watch tolerates the absence of a server: a
// replacement server needs less than a second.
const watchOutage = 10 * time.Second

// watch prints each question once for each state it observes.
func (a *approvalsCommand) watch(ctx context.Context, out io.Writer, only approve.State) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var answered time.Time
	seen := map[string]approve.State{}
	for {
		all, err := a.questions(ctx, only)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			answered = time.Now()
			now := map[string]approve.State{}
			for _, e := range all {
				now[e.ID] = e.State
			}
			all = slices.DeleteFunc(all, func(e approve.Entry) bool { return seen[e.ID] == e.State })
			seen = now
			if err := a.print(out, all); err != nil {
				return err
			}
			if onTerminal(out) && !a.asJSON {
				ring(out, all)
			}
		case !errors.Is(err, local.ErrNoOwner) || time.Since(answered) > watchOutage:
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// ring says what is newly asked, with the bell of the terminal.
func ring(out io.Writer, all []approve.Entry) {
	for _, e := range all {
		if e.State == approve.Open {
			fmt.Fprintf(out, "\a%s\n", indented(e.Question))
		}
	}
}

// indented shows the lines of a question so that none of them can look like ours.
func indented(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, "  | "+glyph.Visible(strings.TrimRight(line, "\n")))
	}
	return strings.Join(lines, "\n")
}

// questions asks the server for the questions in a state.
func (a *approvalsCommand) questions(ctx context.Context, only approve.State) ([]approve.Entry, error) {
	server, err := a.server()
	if err != nil {
		return nil, err
	}
	all, err := server.Approvals(ctx, only, a.of)
	if err != nil {
		return nil, a.failed(err)
	}
	return all, nil
}

func (a *approvalsCommand) print(out io.Writer, all []approve.Entry) error {
	if a.asJSON {
		enc := json.NewEncoder(out)
		for _, e := range all {
			if err := enc.Encode(e); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.ID, e.State, until(e), e.Level, e.Tool, glyph.Visible(e.Principal), glyph.Visible(string(e.Arguments)))
	}
	return w.Flush()
}

// until says how long a question, or its approval, is still valid.
func until(e approve.Entry) string {
	left := time.Until(e.Expires).Round(time.Second)
	if e.State != approve.Open && e.State != approve.Approved || left < 0 {
		return "-"
	}
	return left.String()
}

// restOf says what a yes may be for beside the call, or was.
func restOf(e approve.Entry) string {
	switch {
	case e.Rest == "":
		return "nothing but this call"
	case e.ForRest:
		return "allowed: " + oneLine(e.Rest)
	}
	return oneLine(e.Rest)
}

// callerOf names the caller, and what its program calls itself.
func callerOf(e approve.Entry) string {
	if e.Client == "" {
		return glyph.Visible(e.Principal)
	}
	return fmt.Sprintf("%s, which calls itself %q", glyph.Visible(e.Principal), e.Client)
}

// peopleOf says whose yes is needed, and whose is there.
func peopleOf(e approve.Entry) string {
	if e.Need <= 1 {
		return "one"
	}
	return fmt.Sprintf("%d; yes so far: %s", e.Need, cmp.Or(glyph.Visible(strings.Join(e.Yes, ", ")), "nobody"))
}

func (a *approvalsCommand) show() *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "Show a question, the call it is about, and what became of it",
		Example:           `  glovebox approvals show 7QK2M4XA`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.complete(""),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := a.server()
			if err != nil {
				return err
			}
			e, err := server.Approval(cmd.Context(), args[0])
			if err != nil {
				return a.failed(err)
			}
			out := cmd.OutOrStdout()
			if a.asJSON {
				return json.NewEncoder(out).Encode(e)
			}
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for _, row := range [][2]string{
				{"id", e.ID}, {"state", string(e.State)}, {"left", until(e)}, {"question", oneLine(e.Question)}, {"rest", restOf(e)},
				{"people", peopleOf(e)}, {"tool", e.Tool + "  " + e.ToolHash}, {"level", e.Level.String() + " " + e.Level.Label()}, {"caller", callerOf(e)},
				{"arguments", glyph.Visible(string(e.Arguments))}, {"policy", e.Policy},
			} {
				fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
			}
			for _, step := range e.History {
				fmt.Fprintf(w, "%s\t%s %s %s\n", step.Time.Local().Format(time.RFC3339), step.State, step.By, oneLine(step.Note))
			}
			return w.Flush()
		},
	}
}

func (a *approvalsCommand) resolve(yes bool) *cobra.Command {
	var note string
	var how answers.Yes
	cmd := &cobra.Command{
		Use:               "deny ID...",
		Short:             "Say no; also takes back a yes that was not used yet",
		Example:           `  glovebox approvals deny 7QK2M4XA --note "not on a Friday"`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.complete(approve.Open),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := a.server()
			if err != nil {
				return err
			}
			say := server.Deny
			if yes {
				if how.Same && how.For == 0 {
					return exitWith(exitUsage, errors.New("--same is about further calls: say for how long with --for"))
				}
				say = func(ctx context.Context, id, note string) (approve.Entry, error) {
					return server.Approve(ctx, id, how, note)
				}
			}
			return a.each(cmd, args, func(id string) (any, error) { return say(cmd.Context(), id, note) })
		},
	}
	if yes {
		cmd.Use, cmd.Short = "approve ID...", "Say yes: the call that waits runs, or the next one like it by the same caller"
		cmd.Example = `  glovebox approvals approve 7QK2M4XA
  glovebox approvals approve 7QK2M4XA --rest
  glovebox approvals approve 7QK2M4XA --for 1h --same`
		cmd.Flags().DurationVar(&how.For, "for", 0, "also to further calls of this tool by the same caller, for this `TIME`, at most 168h; approvals rules lists them")
		cmd.Flags().BoolVar(&how.Same, "same", false, "with --for: only to those with the same arguments")
		cmd.Flags().BoolVar(&how.Rest, "rest", false, "also for the rest of the task: what show says under rest; session revoke takes it back")
	}
	cmd.Flags().StringVar(&note, "note", "", "a `TEXT` to keep with the answer")
	return cmd
}

// complete offers the ids of questions, with their subjects.
func (a *approvalsCommand) complete(only approve.State) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		all, err := a.questions(cmd.Context(), only)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []string
		for _, e := range all {
			if strings.HasPrefix(strings.ToLower(e.ID), strings.ToLower(begun)) {
				ids = append(ids, cobra.CompletionWithDesc(e.ID, fmt.Sprintf("%s %s for %s", e.State, e.Tool, e.Principal)))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}
