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
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/risk"
)

// postureReport is what a tool is granted and the level of that grant.
type postureReport struct {
	Name       string          `json:"name"`
	Posture    catalog.Posture `json:"posture"`
	Level      risk.Level      `json:"level"`
	Label      string          `json:"label"`
	Operations []string        `json:"operations"`
	Globals    []string        `json:"globals"`
	// Always is what every tool has, whatever it requests.
	Always struct {
		Operations []string `json:"operations"`
		Globals    []string `json:"globals"`
	} `json:"always"`
}

func newPosture() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "posture SPEC",
		Short: "Print what a tool is granted, and its Risk Level",
		Long: `Print what a tool is granted, and its Risk Level.

The operations are all the calls that can leave the box, the globals what this
runtime adds to JavaScript for the tool. Both follow from the posture alone.
What every tool has, whatever it asks for, is listed apart. The baseline and the
ceiling are those of the configuration.`,
		Example: `  glovebox posture tool.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			document, err := readInput(cmd, args[0])
			if err != nil {
				return exitWith(exitUsage, err)
			}
			configured, err := new(settings).load(cmd)
			if err != nil {
				return err
			}
			r, err := examinePosture(document, configured.Posture)
			if err != nil {
				return badSpec(args[0], document, err)
			}
			out := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(r)
			}
			_, err = fmt.Fprintf(out, "%s\nposture     %v\nlevel       %v %s\noperations  %s\nglobals     %s\nand, as every tool:\noperations  %s\nglobals     %s\n",
				r.Name, r.Posture, r.Level, r.Label, orNone(r.Operations), orNone(r.Globals), orNone(r.Always.Operations), orNone(r.Always.Globals))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func examinePosture(document []byte, o config.Posture) (r postureReport, err error) {
	spec, problems := catalog.Parse(document)
	if err := problems.Err(); err != nil {
		return r, err
	}
	posture, _, problems := spec.Resolve(o.Baseline, o.Ceiling, catalog.SourceUser)
	if err := problems.Err(); err != nil {
		return r, err
	}
	level := risk.PostureLevel(posture)
	r = postureReport{Name: spec.Name(), Posture: posture, Level: level, Label: level.Label()}
	if r.Always.Operations, r.Always.Globals, err = granted(catalog.Posture{}); err != nil {
		return r, err
	}
	if r.Operations, r.Globals, err = granted(posture); err != nil {
		return r, err
	}
	r.Operations = without(r.Operations, r.Always.Operations)
	r.Globals = without(r.Globals, r.Always.Globals)
	return r, nil
}

// granted returns the sorted names of the operations and globals of a posture.
func granted(p catalog.Posture) (operations, globals []string, err error) {
	if operations, err = host.Operations(p); err != nil {
		return nil, nil, err
	}
	files, err := prelude.Files()
	if err != nil {
		return nil, nil, err
	}
	for _, f := range prelude.Granted(files, operations) {
		globals = append(globals, f.Installs...)
	}
	slices.Sort(globals)
	return operations, globals, nil
}

// without returns the names that are not in taken, and never nil.
func without(names, taken []string) []string {
	left := []string{}
	for _, name := range names {
		if !slices.Contains(taken, name) {
			left = append(left, name)
		}
	}
	return left
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " ")
}
