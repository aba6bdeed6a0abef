package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

func newExplain() *cobra.Command {
	var a auditCommand
	asJSON := false
	cmd := &cobra.Command{
		Use:   "explain CALL-ID",
		Short: "Tell the story of one call in plain words",
		Long: `Tell the story of one call in plain words: who called what, what was decided and why,
which passages it rests on, what a person said, and what came of it. CALL-ID is the
reference that the caller was given. glovebox audit show has everything, as JSON.`,
		Example: `  glovebox explain IIA7U5RO`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := a.file(cmd)
			if err != nil {
				return err
			}
			found := false
			err = audit.Find(path, args[0], func(e audit.Entry) error {
				found = true
				if asJSON {
					return json.NewEncoder(cmd.OutOrStdout()).Encode(storyJSON{e.ID, e.Seq, story(e)})
				}
				_, err := fmt.Fprint(cmd.OutOrStdout(), story(e))
				return err
			})
			if err != nil {
				return exitWith(exitUsage, err)
			}
			if !found {
				return exitWith(exitNo, fmt.Errorf("no call with the id %s on record; glovebox audit tail shows the last ones", args[0]))
			}
			return nil
		},
	}
	a.bindIn(cmd, cmd.Flags(), "audit.file")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a record")
	return cmd
}

// storyJSON is the story of one record for a program that shows it to a person.
type storyJSON struct {
	ID    string `json:"id"`
	Seq   uint64 `json:"seq"`
	Story string `json:"story"`
}

// outcomes say what came of a call.
var outcomes = map[audit.Outcome]string{
	audit.OK: "The call was made.", audit.Error: "The call was made and failed.",
	audit.Refused: "The call was not made.", audit.Asked: "A person was asked.",
}

// story tells one record.
func story(e audit.Entry) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("On %s %s called %s (level %s).", e.Time.Local().Format(time.DateTime), glyph.Visible(e.Caller), glyph.Visible(e.Tool), e.RiskLevel)
	line("Arguments: %s", glyph.Visible(string(e.Parameters)))
	line("Decision: %s", glyph.Visible(e.Decision))
	var flow labels.Flow
	if len(e.Flow) > 0 && json.Unmarshal(e.Flow, &flow) == nil {
		tellFlow(&b, &flow)
	}
	if a := e.Approval; a != nil {
		by := ""
		if a.By != "" {
			by = " by " + glyph.Visible(a.By)
		}
		line("A person was asked: %s%s.", a.Outcome, by)
	}
	line("%s", outcomes[e.Outcome])
	if e.Cause != nil {
		line("Why: %s (%s).", glyph.Visible(e.Cause.Message), e.Cause.Kind)
	}
	return b.String()
}

// tellFlow says what a decision by the session rests on.
func tellFlow(b *strings.Builder, f *labels.Flow) {
	fmt.Fprintf(b, "Before the call the session was %s.\n", f.Session)
	switch {
	case len(f.Fired) == 0:
		fmt.Fprintf(b, "By what the session had met, nothing spoke against the call.\n")
	case f.Mode == "observe" && f.Verdict != "allow":
		fmt.Fprintf(b, "By what the session had met, the verdict is %s; it was only observed.\n", f.Verdict)
	default:
		fmt.Fprintf(b, "By what the session had met, the verdict is %s.\n", f.Verdict)
	}
	for _, fired := range f.Fired {
		fmt.Fprintf(b, "  %s (%s): %s\n", fired.Rule, fired.Does, fired.Why)
		for _, e := range fired.Evidence {
			about := "Read"
			if e.Argument != "" {
				about = "The argument " + glyph.Visible(e.Argument) + " stood in what was read"
			}
			fmt.Fprintf(b, "    %s from %s", about, glyph.Visible(e.Source))
			if e.Call != "" {
				fmt.Fprintf(b, " (call %s)", e.Call)
			}
			if e.Passage != "" {
				fmt.Fprintf(b, ": %q", glyph.Visible(e.Passage))
			}
			fmt.Fprintln(b)
		}
	}
	if l := f.Leave; l != nil {
		fmt.Fprintf(b, "The person allowed as well: %s.\n", l)
	}
	if f.Kill != "" {
		fmt.Fprintf(b, "The session was stopped: %s. glovebox session reset releases it.\n", f.Kill)
	}
	if r := f.Result; r.Untrusted || r.Private || r.Secret {
		fmt.Fprintf(b, "What came back is %s.\n", r)
	}
}
