package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

func newPin() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pin",
		Short: "Review the tools of other servers, and every change of them",
		Long: `Review the tools of other servers, and every change of them. A tool is offered as
long as its server sends the definition that somebody accepted. ` + gatewayHelp,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPinList(), newPinDiff(), newPinApprove(), newPinRevoke(), newPinForget(), newPinExport(), newPinCheck())
	return cmd
}

func newPinList() *cobra.Command {
	var v gatewayVerbs
	cmd := &cobra.Command{
		Use:   "list [SERVER]",
		Short: "List the pins, and what waits for a review",
		Example: `  glovebox pin list
  glovebox pin list files --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			var all []gateway.PinView
			if err := v.do(cmd, "pins", gateway.Name{Name: strings.Join(args, "")}, &all); err != nil {
				return err
			}
			return v.print(cmd, all, func(out io.Writer) {
				w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
				if len(all) > 0 {
					fmt.Fprintln(w, "SERVER\tTOOL\tSTATE\tSHA256\tLAST")
				}
				for _, p := range all {
					last := ""
					if n := len(p.History); n > 0 {
						step := p.History[n-1]
						last = strings.TrimSpace(fmt.Sprintf("%s %s %s", step.Time.Local().Format("2006-01-02 15:04"), step.What, step.By))
					}
					state := string(p.Standing)
					if p.Orders {
						state += ", reads like orders"
					}
					fmt.Fprintf(w, "%s\t%s\t%s\t%.12s\t%s\n", p.Server, oneLine(p.Tool), state, p.Seen.Hash, last)
				}
				w.Flush()
			})
		},
	}
	v.bindJSON(cmd)
	return cmd
}

func newPinDiff() *cobra.Command {
	var v gatewayVerbs
	cmd := &cobra.Command{
		Use:   "diff SERVER [TOOL...]",
		Short: "Show what waits for a review: new tools, and how others changed",
		Long: `Show what waits for a review: new tools, and how others changed, by class. Exit code
1 means that something waits.`,
		Example:           `  glovebox pin diff files`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := v.differences(cmd, args)
			if err != nil {
				return err
			}
			if err := v.print(cmd, all, func(out io.Writer) { writeDifferences(out, all) }); err != nil {
				return err
			}
			for i := range all {
				if all[i].Standing != ledger.Active {
					v.next(cmd, "glovebox pin approve %s", args[0])
					return exitWith(exitNo, nil)
				}
			}
			return nil
		},
	}
	v.bindJSON(cmd)
	return cmd
}

func (v *gatewayVerbs) differences(cmd *cobra.Command, args []string) (all []gateway.Difference, err error) {
	return all, v.do(cmd, "diff", gateway.Tools{Server: args[0], Tools: args[1:]}, &all)
}

// mostShown bounds what is shown of one text, in characters; --json shows all of it.
const mostShown = 2000

func writeDifferences(out io.Writer, all []gateway.Difference) {
	for i := range all {
		d := &all[i]
		fmt.Fprintf(out, "%s/%s: %s", d.Server, oneLine(d.Tool), d.Standing)
		if d.Orders {
			fmt.Fprint(out, ", and reads like orders to a model")
		}
		if d.Grew {
			fmt.Fprint(out, ", and can do more than before")
		}
		fmt.Fprintln(out)
		if d.Before == "" {
			definition := gjson.Parse(d.After)
			writeText(out, "description", definition.Get("description").String())
			definition.Get("inputSchema.properties").ForEach(func(name, value gjson.Result) bool {
				writeText(out, name.String()+" ("+value.Get("type").String()+")", value.Get("description").String())
				return true
			})
			if hints := definition.Get("annotations"); hints.Exists() {
				writeText(out, "annotations", hints.Raw)
			}
		}
		for _, c := range d.Changes {
			fmt.Fprintf(out, "  %s %s: %s\n", c.Class, oneLine(c.Pointer), oneLine(c.Why))
			before, after := gateway.TextAt(d.Before, c.Pointer), gateway.TextAt(d.After, c.Pointer)
			if before != after {
				writeText(out, "-", before)
				writeText(out, "+", after)
			}
		}
	}
}

func writeText(out io.Writer, name, text string) {
	r := []rune(glyph.Visible(strings.TrimSpace(text)))
	cut := ""
	if len(r) > mostShown {
		r, cut = r[:mostShown], fmt.Sprintf(" ... (%d characters; --json shows all)", len([]rune(text)))
	}
	fmt.Fprintf(out, "    %s: %s%s\n", oneLine(name), strings.ReplaceAll(string(r), "\n", "\n      "), cut)
}

func newPinApprove() *cobra.Command {
	var v gatewayVerbs
	var yes, despite bool
	cmd := &cobra.Command{
		Use:   "approve SERVER [TOOL...]",
		Short: "Accept tools as they are, after reading them",
		Long: `Accept tools as they are: the named ones, or all of a server that wait. What is
accepted is shown first, and on a terminal a person is asked; elsewhere --yes says
that it was read. A definition that changes in between is not accepted. One that
reads like orders to a model needs --despite-orders, and has to be named.`,
		Example: `  glovebox pin approve files
  glovebox pin approve files read_file --yes`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := v.differences(cmd, args)
			if err != nil {
				return err
			}
			ask := gateway.Approval{Server: args[0]}
			var orders []string
			for i := range all {
				d := &all[i]
				if d.Orders && (!despite || len(args) == 1) {
					orders = append(orders, d.Tool)
					continue
				}
				ask.Tools = append(ask.Tools, ledger.Reviewed{Tool: d.Tool, Hash: d.Seen.Hash, Despite: d.Orders && despite})
			}
			if len(all) == 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "nothing of %s waits for a review\n", args[0])
				return nil
			}
			if !v.asJSON {
				writeDifferences(cmd.ErrOrStderr(), all)
			}
			for _, tool := range orders {
				fmt.Fprintf(cmd.ErrOrStderr(), "not accepted %s/%s: it reads like orders to a model; if that is what it should say: glovebox pin approve %[1]s %[2]s --despite-orders\n", args[0], oneLine(tool))
			}
			if len(ask.Tools) == 0 {
				return exitWith(exitNo, nil)
			}
			if !yes {
				if err := confirm(cmd, fmt.Sprintf("Accept %s of %s as shown?", counted(len(ask.Tools), "tool"), args[0])); err != nil {
					return err
				}
			}
			var s gateway.Server
			if err := v.do(cmd, "approve", ask, &s); err != nil {
				return err
			}
			if v.asJSON {
				return v.print(cmd, s, nil)
			}
			v.nextFor(cmd, &s)
			if len(orders) > 0 {
				return exitWith(exitNo, nil)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask: it was read")
	cmd.Flags().BoolVar(&despite, "despite-orders", false, "also accept named tools that read like orders to a model")
	v.bindJSON(cmd)
	return cmd
}

var errNobodyHere = exitWith(exitUsage, errors.New("nobody can be asked here; read what is above and say --yes"))

// confirm asks the person at the terminal. Without a terminal nobody can be asked.
func confirm(cmd *cobra.Command, question string) error {
	in, ok := cmd.InOrStdin().(*os.File)
	if info, err := statOf(in, ok); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return errNobodyHere
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if errors.Is(err, io.EOF) && answer == "" { // such as /dev/null, which looks like a terminal
		return errNobodyHere
	} else if err != nil && answer == "" {
		return exitWith(exitUsage, err)
	}
	if word := strings.ToLower(strings.TrimSpace(answer)); word != "y" && word != "yes" {
		return exitWith(exitNo, errors.New("nothing was accepted"))
	}
	return nil
}

func statOf(f *os.File, ok bool) (os.FileInfo, error) {
	if !ok {
		return nil, os.ErrInvalid
	}
	return f.Stat()
}

func newPinRevoke() *cobra.Command {
	var v gatewayVerbs
	var note string
	cmd := &cobra.Command{
		Use:               "revoke SERVER TOOL...",
		Short:             "Withdraw tools, whatever their server sends",
		Long:              "Withdraw tools, whatever their server sends. Only glovebox pin forget undoes it: they are then seen for the first time.",
		Example:           `  glovebox pin revoke files write_file --note "it deleted the wrong one"`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.do(cmd, "revoke", gateway.Tools{Server: args[0], Tools: args[1:], Reason: note}, &struct{}{})
		},
	}
	cmd.Flags().StringVar(&note, "note", "", "a `TEXT` to keep with the answer")
	return cmd
}

func newPinForget() *cobra.Command {
	var v gatewayVerbs
	return &cobra.Command{
		Use:               "forget SERVER [TOOL...]",
		Short:             "Drop pins, so that the tools are seen for the first time again",
		Long:              "Drop pins, so that the tools are seen for the first time again: the named ones, or all of a server, also when they cannot be read. Until somebody accepts them again they are withheld.",
		Example:           `  glovebox pin forget files write_file`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := v.do(cmd, "forget", gateway.Tools{Server: args[0], Tools: args[1:]}, &struct{}{}); err != nil {
				return err
			}
			v.next(cmd, "glovebox upstream test %s, which lists it anew", args[0])
			return nil
		},
	}
}

func newPinExport() *cobra.Command {
	var v gatewayVerbs
	cmd := &cobra.Command{
		Use:               "export [SERVER]",
		Short:             "Print what was accepted, as a lock file",
		Example:           `  glovebox pin export > glovebox.lock`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			var lock ledger.Lock
			if err := v.do(cmd, "lock", gateway.Name{Name: strings.Join(args, "")}, &lock); err != nil {
				return err
			}
			_, err := cmd.OutOrStdout().Write(lock.Bytes())
			return err
		},
	}
	cmd.Flags().Bool("json", false, "print JSON, as without it")
	return cmd
}

func newPinCheck() *cobra.Command {
	var v gatewayVerbs
	cmd := &cobra.Command{
		Use:   "check LOCKFILE",
		Short: "Compare what the servers listed last with a lock file",
		Long: `Compare what the servers listed last with a lock file, as in a build; - is standard
input. Exit code 1 means that something differs. glovebox upstream test lists a
server anew first.`,
		Example: `  glovebox pin check glovebox.lock`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readInput(cmd, args[0])
			if err != nil {
				return exitWith(exitUsage, err)
			}
			var breaches []ledger.Breach
			if err := v.do(cmd, "check", gateway.LockFile{Text: string(text)}, &breaches); err != nil {
				return err
			}
			if err := v.print(cmd, breaches, func(out io.Writer) {
				for _, b := range breaches {
					fmt.Fprintf(out, "%s/%s: %s\n", oneLine(b.Server), oneLine(b.Tool), b.Why)
				}
			}); err != nil {
				return err
			}
			if len(breaches) > 0 {
				return exitWith(exitNo, nil)
			}
			return nil
		},
	}
	v.bindJSON(cmd)
	return cmd
}
