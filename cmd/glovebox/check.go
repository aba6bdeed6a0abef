package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/report"
)

func newCheck() *cobra.Command {
	var strict, asJSON, schema bool
	var format string
	cmd := &cobra.Command{
		Use:   "check SPEC...",
		Short: "Check Safe Tool Specs without running them",
		Long: `Check Safe Tool Specs without running them.

A SPEC is a file, a folder (every .json file in it) or - for standard input. A
bundle of many specs is checked as well. Documents that are given together are
also checked against each other.`,
		Example: `  glovebox check greet.json
  glovebox check --strict --format sarif ~/tools > check.sarif`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && !schema {
				return fmt.Errorf("which spec? give a file, a folder or -")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema {
				_, err := cmd.OutOrStdout().Write(catalog.Schema())
				return err
			}
			if asJSON {
				format = "json"
			}
			if !slices.Contains([]string{"text", "json", "sarif"}, format) {
				return exitWith(exitUsage, fmt.Errorf("--format %s: want text, json or sarif", format))
			}
			inputs, err := readSpecs(args, cmd.InOrStdin())
			if err != nil {
				return exitWith(exitUsage, err)
			}
			configured, err := new(settings).load(cmd)
			if err != nil {
				return err
			}
			r := report.Check(inputs, configured.Posture.Baseline, configured.Posture.Ceiling, os.LookupEnv)
			switch out := cmd.OutOrStdout(); format {
			case "json":
				err = r.JSON(out)
			case "sarif":
				err = r.SARIF(out, readBuildInfo().Version)
			default:
				err = r.Text(out)
			}
			if err != nil {
				return exitWith(exitIncomplete, err)
			}
			if r.Errors > 0 || strict && r.Warnings > 0 {
				return exitWith(exitNo, nil)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "fail on warnings too")
	cmd.Flags().StringVar(&format, "format", "text", "text, json or sarif")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of a spec instead")
	return cmd
}

// readSpecs loads what the arguments name, folders in name order.
func readSpecs(args []string, stdin io.Reader) ([]report.Input, error) {
	var inputs []report.Input
	add := func(name string, r io.Reader) error {
		// One byte more than the largest bundle, so that the check can say so.
		data, err := io.ReadAll(io.LimitReader(r, catalog.MaxBundleBytes+1))
		inputs = append(inputs, report.Input{Name: filepath.ToSlash(name), Data: data})
		return err
	}
	addFile := func(name string) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return add(name, f)
	}
	for _, arg := range args {
		if arg == "-" {
			if err := add("-", stdin); err != nil {
				return nil, err
			}
			continue
		}
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if err := addFile(arg); err != nil {
				return nil, err
			}
			continue
		}
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.IsDir() || !strings.HasSuffix(entry.Name(), ".json") {
				continue
			}
			if err := addFile(filepath.Join(arg, entry.Name())); err != nil {
				return nil, err
			}
		}
	}
	return inputs, nil
}
