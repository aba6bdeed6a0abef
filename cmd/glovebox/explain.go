package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/story"
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
					return json.NewEncoder(cmd.OutOrStdout()).Encode(storyJSON{e.ID, e.Seq, storyOf(e)})
				}
				_, err := fmt.Fprint(cmd.OutOrStdout(), storyOf(e))
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

// storyOf is the story of one record.
func storyOf(e audit.Entry) string {
	var b strings.Builder
	for _, l := range story.Of(e, glyph.Visible) {
		fmt.Fprintln(&b, l)
	}
	return b.String()
}
