package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/approve/answers"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
)

// choice is one answer of a review.
type choice struct {
	key, does string
	yes       bool
	how       answers.Yes
}

// choices are the answers that a person is offered. "These arguments" are approved for as
// long as a rule can live.
var choices = []choice{
	{"y", "yes, this call", true, answers.Yes{}},
	{"n", "no", false, answers.Yes{}},
	{"h", "yes, and this tool with any arguments for an hour", true, answers.Yes{For: time.Hour}},
	{"a", "yes, and these arguments for a week", true, answers.Yes{For: approve.MaxRule, Same: true}},
	{"r", "yes, and what is said under rest, for the rest of the task", true, answers.Yes{Rest: true}},
	{"s", "skip it", false, answers.Yes{}},
	{"q", "quit", false, answers.Yes{}},
}

const skip, quit = "s", "q"

// fits reports whether a choice can be made about a question. The server decides the same.
func (c choice) fits(e approve.Entry) bool {
	switch c.key {
	case "h":
		return e.Level < risk.L5 && e.Need <= 1
	case "a":
		return e.Need <= 1
	case "r":
		return e.Rest != ""
	}
	return true
}

func (a *approvalsCommand) review() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "review",
		Short: "Go through the open questions one by one",
		Long: `Go through the open questions one by one, the most dangerous first. Each is shown whole, and
one letter answers it: y and n for this call, h for an hour, a for these arguments; s skips it
and q ends. Nothing is answered without a letter.`,
		Example: `  glovebox approvals review
  glovebox approvals review --principal named:ci`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.asJSON {
				return exitWith(exitUsage, errors.New("a review is a conversation; glovebox approvals list --json has the questions"))
			}
			open, err := a.questions(cmd.Context(), approve.Open)
			if err != nil {
				return err
			}
			slices.SortStableFunc(open, func(x, y approve.Entry) int { return int(y.Level) - int(x.Level) })
			in := bufio.NewReader(cmd.InOrStdin())
			for i, e := range open {
				c, err := a.askAbout(cmd, in, e, fmt.Sprintf("%d of %d", i+1, len(open)))
				if err != nil || c.key == quit {
					return err
				}
				if c.key == skip {
					continue
				}
				if err := a.answer(cmd, e, c); err != nil {
					// Somebody was first, or it expired: the others wait.
					fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %v\n", err)
				}
			}
			return nil
		},
	}
	a.bindOf(cmd)
	return cmd
}

// askAbout shows a question until a person chooses; at the end of the input it quits.
func (a *approvalsCommand) askAbout(cmd *cobra.Command, in *bufio.Reader, e approve.Entry, place string) (choice, error) {
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s: %s  %s  %s  for %s, %s left\n%s\n", place, e.ID, e.Level, glyph.Visible(e.Tool), callerOf(e), until(e), indented(e.Question))
	if e.Rest != "" {
		fmt.Fprintf(out, "  rest: %s\n", oneLine(e.Rest))
	}
	if e.Need > 1 {
		fmt.Fprintf(out, "  people: %s\n", peopleOf(e))
	}
	for _, c := range choices {
		if c.fits(e) {
			fmt.Fprintf(out, "  %s  %s\n", c.key, c.does)
		}
	}
	for {
		fmt.Fprint(out, "> ")
		line, err := in.ReadString('\n')
		said := strings.ToLower(strings.TrimSpace(line))
		at := slices.IndexFunc(choices, func(c choice) bool { return c.key == said && c.fits(e) })
		switch {
		case at >= 0:
			return choices[at], nil
		case errors.Is(err, io.EOF):
			return choice{key: quit}, nil
		case err != nil:
			return choice{}, exitWith(exitIncomplete, err)
		}
		fmt.Fprintln(out, "one of the letters above")
	}
}

// answer gives the answer that a person chose.
func (a *approvalsCommand) answer(cmd *cobra.Command, e approve.Entry, c choice) error {
	server, err := a.server()
	if err != nil {
		return err
	}
	if !c.yes {
		e, err = server.Deny(cmd.Context(), e.ID, "")
	} else {
		e, err = server.Approve(cmd.Context(), e.ID, c.how, "")
	}
	if err != nil {
		return a.failed(err)
	}
	said := string(e.State)
	if e.Rule != "" {
		said += ", rule " + e.Rule
	}
	if e.State == approve.Open {
		said = "one yes of " + fmt.Sprint(e.Need)
	}
	fmt.Fprintln(cmd.OutOrStdout(), said)
	return nil
}
