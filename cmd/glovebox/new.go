package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/lint"
)

func newNew() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Print a commented starting spec",
		Long: `Print a commented starting spec: a small tool that works, with a note above
every field.`,
		Example: `  glovebox new wordCount > wordCount.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, problems := catalog.Starter(args[0])
			if spec != nil {
				problems = lint.Check(spec, nil)
			}
			if len(problems) > 0 {
				return exitWith(exitUsage, fmt.Errorf("%q: %s", args[0], problems[0].Message))
			}
			if output == "" {
				_, err := cmd.OutOrStdout().Write(spec.Raw())
				return err
			}
			// O_EXCL: an existing tool is never overwritten.
			f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			if _, err := f.Write(spec.Raw()); err != nil {
				f.Close()
				return exitWith(exitIncomplete, err)
			}
			return f.Close()
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE`, which must not exist yet")
	return cmd
}
