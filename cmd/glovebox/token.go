package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/mcpserver/tokens"
	"github.com/glovebox-run/glovebox/risk"
)

func newToken() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Give each person or agent a bearer token of its own",
		Long: `Give each person or agent a bearer token of its own, beside the first one: with its own
record, workspace, limits and approvals, for some of the tools, until a time. A token is
shown once; its hash is kept. ` + gatewayHelp,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTokenCreate(), newTokenList(), newTokenRotate(), newTokenRevoke())
	return cmd
}

// tokenVerbs is what the verbs of tokens share.
type tokenVerbs struct{ gatewayVerbs }

// do has a verb done by the server that runs, or else here.
func (v *tokenVerbs) do(cmd *cobra.Command, verb string, ask, answer any) error {
	ctx := cmd.Context()
	p, err := place()
	if err != nil {
		return exitWith(exitUsage, err)
	}
	peer, err := ownerOf(ctx, p.State, func() error {
		loaded, err := v.load(cmd)
		if err != nil {
			return err
		}
		book, done, err := service.OperateTokens(ctx, service.Options{Configuration: loaded, Place: p}, cmd.CommandPath())
		if err != nil {
			return exitOf(err)
		}
		defer done()
		return tokenFailed(here(ctx, book, tokens.Code, verb, ask, answer))
	})
	if err != nil || peer == nil {
		return err
	}
	err = peer.Tokens(ctx, verb, ask, answer)
	if errors.Is(err, local.ErrNoOwner) { // it stopped before it heard anything
		return v.do(cmd, verb, ask, answer)
	}
	return tokenFailed(err)
}

// tokenFailed gives an error its exit code.
func tokenFailed(err error) error {
	var problem local.Problem
	switch {
	case err == nil:
		return nil
	case errors.As(err, &problem) && problem.Code == tokens.CodeInput:
		return exitWith(exitUsage, problem)
	case errors.As(err, &problem) && problem.Code == tokens.CodeRefused:
		return exitWith(exitNo, fmt.Errorf("%w; glovebox token list shows them", problem))
	}
	return exitWith(exitIncomplete, err)
}

// show prints a new text, alone on standard output so that a script can take it.
func (v *tokenVerbs) show(cmd *cobra.Command, made tokens.Made) error {
	if err := v.print(cmd, made, func(w io.Writer) { fmt.Fprintln(w, made.Text) }); err != nil {
		return err
	}
	if !v.asJSON {
		fmt.Fprintf(cmd.ErrOrStderr(), "the token of %s, shown this once; its calls are on record as %s\n", made.Name, made.Principal())
	}
	return nil
}

func newTokenCreate() *cobra.Command {
	var v tokenVerbs
	var t tokens.Token
	var highest string
	var expires time.Duration
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Make a token and print it, this once",
		Example: `  glovebox token create ada
  glovebox token create ci --tools "hash,base64" --cap L2 --expires 720h
  glovebox token create grace --approver`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t.Name = args[0]
			if highest != "" {
				level, err := risk.ParseLevel(highest)
				if err != nil {
					return exitWith(exitUsage, fmt.Errorf("--cap: %w", err))
				}
				t.Cap = &level
			}
			if cmd.Flag("expires").Changed {
				if expires <= 0 {
					return exitWith(exitUsage, errors.New("--expires: want a time ahead, such as 720h"))
				}
				t.Expires = time.Now().Add(expires).UTC().Truncate(time.Second)
			}
			var made tokens.Made
			if err := v.do(cmd, "create", t, &made); err != nil {
				return err
			}
			return v.show(cmd, made)
		},
	}
	v.bind(cmd)
	v.bindJSON(cmd)
	cmd.Flags().StringSliceVar(&t.Tools, "tools", nil, "the `NAMES` it sees and calls, with * for any characters (default all)")
	cmd.Flags().StringVar(&highest, "cap", "", "the highest Risk `LEVEL` of a tool that it sees and calls")
	cmd.Flags().BoolVar(&t.Approver, "approver", false, "it answers questions with glovebox approvals --server, and calls nothing")
	cmd.Flags().DurationVar(&expires, "expires", 0, "how `LONG` it is valid, such as 720h (default until revoked)")
	oneOf(cmd, "cap", "L0", "L1", "L2", "L3", "L4", "L5")
	return cmd
}

func newTokenList() *cobra.Command {
	var v tokenVerbs
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the named tokens, without their texts",
		Example: `  glovebox token list
  glovebox token list --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := []tokens.Token{}
			if err := v.do(cmd, "list", struct{}{}, &all); err != nil {
				return err
			}
			return v.print(cmd, all, func(out io.Writer) {
				w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
				for _, t := range all {
					fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", t.Name, toolsOf(t), capOf(t), endOf(t))
				}
				w.Flush()
			})
		},
	}
	v.bind(cmd)
	v.bindJSON(cmd)
	return cmd
}

func toolsOf(t tokens.Token) string {
	if len(t.Tools) == 0 {
		return "all tools"
	}
	return strings.Join(t.Tools, ",")
}

func capOf(t tokens.Token) string {
	if t.Approver {
		return "answers questions"
	}
	if t.Cap == nil {
		return "any level"
	}
	return "up to " + t.Cap.String()
}

func endOf(t tokens.Token) string {
	switch {
	case t.Expired:
		return "expired " + t.Expires.Format(time.RFC3339)
	case t.Expires.IsZero():
		return "until revoked"
	}
	return "until " + t.Expires.Format(time.RFC3339)
}

func newTokenRotate() *cobra.Command {
	var v tokenVerbs
	cmd := &cobra.Command{
		Use:     "rotate NAME",
		Short:   "Replace the text of a token and print the new one, this once",
		Example: `  glovebox token rotate ada`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var made tokens.Made
			if err := v.do(cmd, "rotate", tokens.Named{Name: args[0]}, &made); err != nil {
				return err
			}
			return v.show(cmd, made)
		},
	}
	v.bind(cmd)
	v.bindJSON(cmd)
	return cmd
}

func newTokenRevoke() *cobra.Command {
	var v tokenVerbs
	cmd := &cobra.Command{
		Use:     "revoke NAME",
		Short:   "End a token at once",
		Example: `  glovebox token revoke ada`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.do(cmd, "revoke", tokens.Named{Name: args[0]}, &tokens.Named{})
		},
	}
	v.bind(cmd)
	return cmd
}
