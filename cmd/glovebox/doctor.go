package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/service/doctor"
)

func newDoctor() *cobra.Command {
	var asJSON bool
	var flags settings
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that serving needs",
		Long:  "Check everything that serving needs. Nothing is changed. Exit code 1 means that something is wrong; the codes are stable.",
		Example: `  glovebox doctor
  glovebox doctor --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var p doctor.Patient
			var err error
			if p.Place, err = place(); err != nil {
				return exitWith(exitUsage, err)
			}
			p.Configuration, p.Unusable = flags.load(cmd)
			p.Processes = systemProcesses()
			sick := false
			for f := range doctor.Examine(cmd.Context(), p) {
				sick = sick || !f.OK
				if err := printFinding(cmd, f, asJSON); err != nil {
					return err
				}
			}
			if sick {
				return exitWith(exitNo, nil)
			}
			return nil
		},
	}
	flags.bind(cmd, "listen", "tls.plain", "token.file")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func printFinding(cmd *cobra.Command, f doctor.Finding, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		return json.NewEncoder(out).Encode(f)
	}
	verdict := "ok  "
	if !f.OK {
		verdict = "FAIL"
	}
	_, err := fmt.Fprintf(out, "%s  %s  %-13s  %s\n", verdict, f.Code, f.What, oneLine(f.Found))
	return err
}
