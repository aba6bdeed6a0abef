package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
	"github.com/glovebox-run/glovebox/risk/score"
	"github.com/glovebox-run/glovebox/risk/score/report"
)

func newUpstream() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "upstream",
		Short: "Keep other people's MCP servers, whose tools are served on",
		Long: `Keep other people's MCP servers, whose tools are served on. ` + gatewayHelp + `

A server is known, then tested, its tools are reviewed (glovebox pin) and exposed
(glovebox expose, glovebox composition); before each of these steps nothing of it
reaches a client. Only test and login reach a server; adding, listing and importing start
and contact nothing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newUpstreamAdd(), newUpstreamPreview(), newUpstreamList(), newUpstreamShow(), newUpstreamTest(), newUpstreamScan(),
		newUpstreamState("enable", "Let a server be reached, as after an import", exposure.Enabled),
		newUpstreamState("disable", "End the connection to a server and offer nothing of it", exposure.Disabled),
		newUpstreamLogin(), newUpstreamLogout(), newUpstreamRemove(), newUpstreamImport())
	return cmd
}

func newUpstreamList() *cobra.Command {
	var v gatewayVerbs
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the known servers",
		Example: `  glovebox upstream list
  glovebox upstream list --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all []gateway.Server
			if err := v.do(cmd, "servers", gateway.Name{}, &all); err != nil {
				return err
			}
			if len(all) == 0 {
				v.next(cmd, "glovebox upstream add NAME -- COMMAND, or glovebox upstream import for those that your clients have")
			}
			return v.print(cmd, all, func(out io.Writer) {
				w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
				if len(all) > 0 {
					fmt.Fprintln(w, "NAME\tSTATE\tLEVEL\tTOOLS\tWAITING\tREACHED AT")
				}
				for _, s := range all {
					fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\n", s.Name(), serverState(&s), s.Risk.Level, len(s.Tools), s.Waiting(), oneLine(reachedAt(s.Config)))
				}
				w.Flush()
			})
		},
	}
	v.bindJSON(cmd)
	return cmd
}

// serverState is the state of a server in one or two words.
func serverState(s *gateway.Server) string {
	switch {
	case s.State != exposure.Enabled:
		return string(s.State)
	case s.Failed != "":
		return "unreachable"
	case s.Health != nil && s.Health.Connected:
		return "connected"
	}
	return string(s.State)
}

func reachedAt(c upstream.Config) string {
	if c.URL != "" {
		return c.URL
	}
	return strings.Join(c.Command, " ")
}

func newUpstreamShow() *cobra.Command {
	var v gatewayVerbs
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a server: how it is reached, its level, its tools and what is offered of them",
		Example:           `  glovebox upstream show files`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			var all []gateway.Server
			if err := v.do(cmd, "servers", gateway.Name{Name: args[0]}, &all); err != nil {
				return err
			}
			return v.print(cmd, all[0], func(out io.Writer) { writeServer(out, &all[0]) })
		},
	}
	v.bindJSON(cmd)
	return cmd
}

func writeServer(out io.Writer, s *gateway.Server) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, value)
		}
	}
	c := s.Config
	row("name", s.Name())
	row("state", serverState(s))
	row("from", fmt.Sprint(s.Origin))
	row("reached at", oneLine(reachedAt(c)))
	for _, group := range []struct {
		name   string
		values map[string]string
	}{{"env", c.Env}, {"header", c.Headers}} {
		for _, name := range sortedNames(group.values) {
			row(group.name, oneLine(name+": "+group.values[name]))
		}
	}
	row("sandbox", c.Sandbox)
	row("auth", oneLine(c.Auth.Grant))
	if s.SignIn != nil {
		row("sign-in", oneLine(signedIn(s.SignIn)))
	}
	row("level", s.Risk.Chip+matched(s.Risk))
	row("scan", oneLine(lastScan(s)))
	for _, axis := range sortedNames(s.Risk.Rationale) {
		row("  "+axis, oneLine(s.Risk.Rationale[axis]))
	}
	if len(s.Unset) > 0 {
		row("not set", strings.Join(s.Unset, ", ")+": put them into the environment or the file of world.secrets")
	}
	row("failed", oneLine(s.Failed))
	if !s.Listed.IsZero() {
		row("listed", s.Listed.Local().Format(time.RFC3339))
	}
	if !s.LastUsed.IsZero() {
		row("last used", s.LastUsed.Local().Format(time.RFC3339))
	}
	for _, t := range s.Truncated {
		row("cut off", oneLine(t))
	}
	w.Flush()
	writeTools(out, s)
	for _, f := range s.Faults {
		fmt.Fprintf(out, "not offered %s: %s\n", oneLine(f.Tool), oneLine(f.Why))
	}
	for _, held := range s.Withheld {
		fmt.Fprintf(out, "withheld %s: %s; %s\n", oneLine(cmp.Or(held.Tool, held.Upstream)), oneLine(held.Why), oneLine(held.WayOut))
	}
}

// lastScan says how the last scan of a server ended, or how to scan it.
func lastScan(s *gateway.Server) string {
	last := s.Scan
	if last == nil {
		return "none: " + s.ScanWith
	}
	at := last.Seen.Local().Format("2006-01-02 15:04")
	if last.Grade == "" {
		return at + ": nothing proved that it is an MCP server"
	}
	return fmt.Sprintf("%s %d, %s, %s", last.Grade, last.Score, strings.Join(append([]string{string(last.Verdict)}, last.HardFails...), " "), at)
}

func matched(r gateway.Risk) string {
	if r.Matched == "" {
		return ", in no catalog"
	}
	return ", catalog entry " + r.Matched
}

func writeTools(out io.Writer, s *gateway.Server) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(s.Tools) > 0 {
		fmt.Fprintln(w, "TOOL\tLEVEL\tPIN\tOFFERED IN")
	}
	for _, t := range s.Tools {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", oneLine(t.Name), t.Level, t.Pin, cmp.Or(strings.Join(t.Offered, ","), "-"))
	}
	w.Flush()
}

func newUpstreamTest() *cobra.Command {
	var v gatewayVerbs
	cmd := &cobra.Command{
		Use:   "test NAME",
		Short: "Reach a server, list its tools and say what each needs before it is offered",
		Long: `Reach a server, list its tools and say what each needs before it is offered. No
tool is called. Exit code 3 means that it could not be reached.`,
		Example:           `  glovebox upstream test files`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			var s gateway.Server
			if err := v.do(cmd, "test", gateway.Name{Name: args[0]}, &s); err != nil {
				return err
			}
			if err := v.print(cmd, s, func(out io.Writer) { writeTested(out, &s) }); err != nil {
				return err
			}
			v.nextFor(cmd, &s)
			return nil
		},
	}
	v.bindJSON(cmd)
	return cmd
}

func newUpstreamScan() *cobra.Command {
	var v gatewayVerbs
	cmd := &cobra.Command{
		Use:   "scan NAME",
		Short: "Score a server as the gateway reaches it, and keep the scan",
		Long: `Score a server as the gateway reaches it: with its headers, and with the tokens of
glovebox upstream login or of its own account. Nothing of them is kept. Of a program it
scores what the running process lists. No tool is called; glovebox scan explains more.

A hard fail that the scan before did not have withholds the server's tools, now and
when gateway.rescan has it scanned again. Exit code 1 means that the verdict is block.`,
		Example:           `  glovebox upstream scan files`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			var r score.Report
			if err := v.do(cmd, "scan", gateway.Name{Name: args[0]}, &r); err != nil {
				return err
			}
			if v.asJSON {
				if err := report.JSON(cmd.OutOrStdout(), &r); err != nil {
					return err
				}
			} else if err := report.Text(cmd.OutOrStdout(), &r, r.Failing(), false); err != nil {
				return err
			}
			if r.Verdict == score.Block {
				return exitWith(exitNo, nil)
			}
			return nil
		},
	}
	v.bindJSON(cmd)
	return cmd
}

func writeTested(out io.Writer, s *gateway.Server) {
	protocol := ""
	if s.Health != nil {
		protocol = s.Health.Protocol
	}
	fmt.Fprintf(out, "%s answers (MCP %s): %s, %s\n", s.Name(), protocol, counted(len(s.Tools), "tool"), s.Risk.Chip)
	if s.Scan != nil {
		fmt.Fprintf(out, "scan: %s\n", oneLine(lastScan(s)))
	}
	writeTools(out, s)
	for _, f := range s.Faults {
		fmt.Fprintf(out, "not offered %s: %s\n", oneLine(f.Tool), oneLine(f.Why))
	}
	for _, t := range s.Truncated {
		fmt.Fprintf(out, "cut off: %s\n", oneLine(t))
	}
}

// nextFor says the next step on the way of a server to the clients.
func (v *gatewayVerbs) nextFor(cmd *cobra.Command, s *gateway.Server) {
	offered, active := 0, 0
	for _, t := range s.Tools {
		if len(t.Offered) > 0 {
			offered++
		}
		if t.Pin == ledger.Active {
			active++
		}
	}
	switch {
	case s.State == exposure.Quarantined:
		v.next(cmd, "glovebox upstream show %s, then glovebox upstream enable %[1]s", s.Name())
	case s.State == exposure.Disabled:
		v.next(cmd, "glovebox upstream enable %s", s.Name())
	case len(s.Tools) == 0 && s.SignIn != nil && s.SignIn.Needs != "" && s.Config.Auth.Grant == signin.Code:
		v.next(cmd, "glovebox upstream login %s", s.Name())
	case len(s.Tools) == 0:
		v.next(cmd, "glovebox upstream test %s", s.Name())
	case s.Waiting() > 0:
		v.next(cmd, "glovebox pin approve %s (to review: %s)", s.Name(), counted(s.Waiting(), "tool"))
	case offered == 0 && active > 0:
		v.next(cmd, "glovebox expose %s --all, or the tools that you want by name", s.Name())
	case offered > 0:
		v.next(cmd, "glovebox serve (it offers %s of %s, as does a server that runs)", counted(offered, "tool"), s.Name())
	}
}

func newUpstreamState(verb, short string, to exposure.State) *cobra.Command {
	var v gatewayVerbs
	cmd := &cobra.Command{
		Use:               verb + " NAME",
		Short:             short,
		Example:           `  glovebox upstream ` + verb + ` files`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			var s gateway.Server
			if err := v.do(cmd, "state", gateway.NewState{Name: args[0], State: to}, &s); err != nil {
				return err
			}
			if to == exposure.Enabled {
				v.nextFor(cmd, &s)
			}
			if v.asJSON {
				return v.print(cmd, s, nil)
			}
			return nil
		},
	}
	v.bindJSON(cmd)
	return cmd
}

func newUpstreamRemove() *cobra.Command {
	var v gatewayVerbs
	var pins bool
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Forget a server and what is exposed of it",
		Long: `Forget a server and what is exposed of it. Its pins stay, so that it is no stranger
when it comes back; --pins forgets these too. Compositions keep their members and
say that the server is gone.`,
		Example:           `  glovebox upstream remove files`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.do(cmd, "remove", gateway.Removal{Name: args[0], Pins: pins}, &struct{}{})
		},
	}
	cmd.Flags().BoolVar(&pins, "pins", false, "forget its pins too")
	return cmd
}
