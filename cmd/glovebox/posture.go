package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/guest/prelude"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/risk"
)

// postureReport is what a tool is granted and what that is worth.
type postureReport struct {
	Name       string          `json:"name"`
	Posture    catalog.Posture `json:"posture"`
	Level      risk.Level      `json:"level"`
	Label      string          `json:"label"`
	Operations []string        `json:"operations"`
	Globals    []string        `json:"globals"`
}

func newPosture() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "posture SPEC",
		Short: "Print what a tool is granted, and its Risk Level",
		Long: `Print what a tool is granted, and its Risk Level.

The operations are all the calls that can leave the box, the globals what this
runtime adds to JavaScript for the tool. Both follow from the posture alone.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			document, err := readInput(cmd, args[0])
			if err != nil {
				return exitWith(exitUsage, err)
			}
			r, err := examinePosture(document)
			if err != nil {
				return badSpec(args[0], document, err)
			}
			out := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(r)
			}
			_, err = fmt.Fprintf(out, "%s\nposture     %v\nlevel       %v %s\noperations  %s\nglobals     %s\n",
				r.Name, r.Posture, r.Level, r.Label, orNone(r.Operations), orNone(r.Globals))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func examinePosture(document []byte) (r postureReport, err error) {
	spec, problems := catalog.Parse(document)
	if err := problems.Err(); err != nil {
		return r, err
	}
	posture, _, problems := spec.Resolve(catalog.DefaultBaseline(), catalog.NoCeiling(), catalog.SourceUser)
	if err := problems.Err(); err != nil {
		return r, err
	}
	level := risk.PostureLevel(posture)
	r = postureReport{Name: spec.Name(), Posture: posture, Level: level, Label: level.Label(), Operations: []string{}, Globals: []string{}}
	operations, err := host.Operations(posture)
	if err != nil {
		return r, err
	}
	r.Operations = append(r.Operations, operations...)
	files, err := prelude.Files()
	if err != nil {
		return r, err
	}
	for _, f := range prelude.Granted(files, operations) {
		r.Globals = append(r.Globals, f.Installs...)
	}
	slices.Sort(r.Globals)
	return r, nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " ")
}
