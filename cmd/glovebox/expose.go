package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// parseCap reads a level for --cap; empty is none.
func parseCap(text string) (level mcp.Level, err error) {
	if text == "" {
		return mcp.Unrated, nil
	}
	if err := level.UnmarshalText([]byte(text)); err != nil || level == mcp.Unrated {
		return level, exitWith(exitUsage, fmt.Errorf("--cap %s: want L0 to L5", text))
	}
	return level, nil
}

func newExpose() *cobra.Command {
	var v gatewayVerbs
	var x gateway.Exposing
	var alias, description, prefix, limit string
	cmd := &cobra.Command{
		Use:   "expose SERVER [TOOL...]",
		Short: "Offer tools of a server to clients",
		Long: `Offer tools of a server to clients, at /mcp: the named ones, or with --all every
tool, also those that the server gets later. What was exposed before stays; a tool
that is named again gets what is said now. A tool is offered when its definition was
accepted (glovebox pin) and its level is within the cap.`,
		Example: `  glovebox expose files --all
  glovebox expose files read_file --alias cat
  glovebox expose github create_issue --approve`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			x.Upstream = args[0]
			if x.Cap, err = parseCap(limit); err != nil {
				return err
			}
			switch {
			case (alias != "" || description != "") && len(args) != 2:
				return exitWith(exitUsage, errors.New("--alias and --description are about one tool; name it"))
			case len(args) == 1 && !x.All && !x.Resources && !x.Prompts && !cmd.Flags().Changed("prefix") && limit == "":
				return exitWith(exitUsage, fmt.Errorf("name the tools of %s, or say --all; glovebox upstream show %[1]s lists them", args[0]))
			}
			if cmd.Flags().Changed("prefix") {
				x.Prefix = &prefix
			}
			for _, tool := range args[1:] {
				x.Tools = append(x.Tools, exposure.Member{Tool: tool, Alias: alias, Description: description, Approve: x.Approve})
			}
			return v.expose(cmd, x)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&x.All, "all", false, "every tool, also later ones")
	f.StringVar(&alias, "alias", "", "offer the tool under this `NAME`")
	f.StringVar(&description, "description", "", "show this `TEXT` instead of the server's")
	f.BoolVar(&x.Approve, "approve", false, "ask a person before every call, which counts one level less")
	f.StringVar(&prefix, "prefix", "", "put this `WORD` and two underscores before the names of all its tools")
	f.BoolVar(&x.Resources, "resources", false, "offer its resources too")
	f.BoolVar(&x.Prompts, "prompts", false, "offer its prompts too")
	f.StringVar(&limit, "cap", "", "offer no tool above this level (default L5)")
	v.bindJSON(cmd)
	return cmd
}

func (v *gatewayVerbs) expose(cmd *cobra.Command, x gateway.Exposing) error {
	var s gateway.Server
	if err := v.do(cmd, "expose", x, &s); err != nil {
		return err
	}
	if err := v.print(cmd, s, func(out io.Writer) {
		for _, w := range s.Withheld {
			fmt.Fprintf(out, "withheld %s/%s: %s; %s\n", s.Name(), oneLine(w.Tool), oneLine(w.Why), oneLine(w.WayOut))
		}
	}); err != nil {
		return err
	}
	if !x.Nothing && len(x.Drop) == 0 {
		v.nextFor(cmd, &s)
	}
	if len(s.Withheld) > 0 && !x.Nothing && len(x.Drop) == 0 && len(s.Withheld) == len(s.Tools) {
		return exitWith(exitNo, nil)
	}
	return nil
}

func newUnexpose() *cobra.Command {
	var v gatewayVerbs
	cmd := &cobra.Command{
		Use:               "unexpose SERVER [TOOL...]",
		Short:             "Offer tools of a server no longer",
		Long:              "Offer tools of a server no longer: the named ones, or without any all of it, its resources and prompts too. Compositions stay as they are.",
		Example:           `  glovebox unexpose files write_file`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: v.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.expose(cmd, gateway.Exposing{Upstream: args[0], Drop: args[1:], Nothing: len(args) == 1})
		},
	}
	v.bindJSON(cmd)
	return cmd
}
