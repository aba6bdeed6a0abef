package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

func (a *approvalsCommand) rules() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List what was approved for further calls, until when, and by whom",
		Example: `  glovebox approvals rules
  glovebox approvals rules --all --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := a.server()
			if err != nil {
				return err
			}
			rules, err := server.Rules(cmd.Context(), a.of)
			if err != nil {
				return a.failed(err)
			}
			out, now := cmd.OutOrStdout(), time.Now()
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for _, r := range rules {
				if !all && !r.Counts(now) {
					continue
				}
				if a.asJSON {
					if err := json.NewEncoder(out).Encode(r); err != nil {
						return err
					}
					continue
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\tused %d\t%s\n", r.ID, leftOf(r, now), r.Level, r.Tool, glyph.Visible(r.Principal), "by "+glyph.Visible(r.By), r.Used, argumentsOf(r))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also the last ones that no longer count")
	a.bindOf(cmd)
	return cmd
}

// leftOf says how long a rule still counts.
func leftOf(r approve.Rule, now time.Time) string {
	switch {
	case !r.Revoked.IsZero():
		return "revoked"
	case !r.Counts(now):
		return "expired"
	}
	return r.Expires.Sub(now).Round(time.Second).String()
}

// argumentsOf says which arguments a rule is for.
func argumentsOf(r approve.Rule) string {
	if r.Arguments == nil {
		return "any arguments"
	}
	return glyph.Visible(string(r.Arguments))
}

func (a *approvalsCommand) revoke() *cobra.Command {
	return &cobra.Command{
		Use:     "revoke RULE...",
		Short:   "End a rule: further calls are asked about again",
		Example: `  glovebox approvals revoke R7QK2M4XA3F`,
		Args:    cobra.MinimumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, begun string) (ids []string, _ cobra.ShellCompDirective) {
			if server, err := a.server(); err == nil {
				rules, _ := server.Rules(cmd.Context(), a.of)
				for _, r := range rules {
					if r.Counts(time.Now()) && strings.HasPrefix(strings.ToLower(r.ID), strings.ToLower(begun)) {
						ids = append(ids, cobra.CompletionWithDesc(r.ID, r.Tool+" for "+r.Principal))
					}
				}
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := a.server()
			if err != nil {
				return err
			}
			return a.each(cmd, args, func(id string) (any, error) { return server.RevokeRule(cmd.Context(), id) })
		},
	}
}

// each does something for several ids, and reports the worst of what became of it.
func (a *approvalsCommand) each(cmd *cobra.Command, ids []string, do func(id string) (any, error)) error {
	var worst error
	for _, id := range ids {
		made, err := do(id)
		if err != nil {
			err = a.failed(err)
			if len(ids) > 1 {
				fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s: %v\n", id, err)
				err = exitWith(exitCode(err), nil)
			}
			if exitCode(err) > exitCode(worst) {
				worst = err
			}
			continue
		}
		if a.asJSON {
			if err := json.NewEncoder(cmd.OutOrStdout()).Encode(made); err != nil {
				return err
			}
		}
	}
	return worst
}

// onTerminal reports whether a person reads what is written.
func onTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
