package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/report"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/library"
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
			inputs, unread := readSpecs(args, cmd.InOrStdin())
			if len(inputs) == 0 && unread != nil {
				return exitWith(exitUsage, unread)
			}
			configured, err := new(settings).load(cmd)
			if err != nil {
				return err
			}
			compiler := compiler{ctx: cmd.Context()}
			defer compiler.close()
			passes, err := readPasses(configured, args)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			r := report.Check(inputs, configured.Posture.Baseline, configured.Posture.Ceiling, os.LookupEnv, func(s *catalog.Spec) catalog.Problems {
				return append(compiler.check(s), passes.check(s)...)
			})
			passes.report(&r)
			if compiler.err != nil {
				return exitWith(exitIncomplete, compiler.err)
			}
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
			if unread != nil {
				return exitWith(exitUsage, unread)
			}
			if r.Errors > 0 || strict && r.Warnings > 0 {
				return exitWith(exitNo, nil)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "fail on warnings too")
	cmd.Flags().StringVar(&format, "format", "text", "text, json or sarif")
	oneOf(cmd, "format", "text", "json", "sarif")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of a spec instead")
	return cmd
}

// compiler checks code without running it. The engine is opened for the first spec.
type compiler struct {
	ctx    context.Context
	engine *jsengine.Engine
	err    error // why the engine did not open
}

func (c *compiler) check(s *catalog.Spec) catalog.Problems {
	if c.engine == nil && c.err == nil {
		c.engine, c.err = jsengine.Open(c.ctx, jsengine.Config{CacheDir: cacheDir()})
	}
	if c.err != nil {
		return nil
	}
	return runtime.CheckCode(c.ctx, c.engine, s)
}

func (c *compiler) close() {
	if c.engine != nil {
		c.engine.Close()
	}
}

// readSpecs loads the files that the arguments name, folders in name order. An
// unreadable file does not keep the others from being checked.
func readSpecs(args []string, stdin io.Reader) (inputs []report.Input, unread error) {
	add := func(name string, data []byte, err error) {
		if err != nil {
			unread = errors.Join(unread, err)
			return
		}
		inputs = append(inputs, report.Input{Name: filepath.ToSlash(name), Data: data})
	}
	for _, arg := range args {
		if arg == "-" {
			data, err := readDocument(stdin)
			add(arg, data, err)
			continue
		}
		files, err := specFiles(arg)
		if err != nil {
			add(arg, nil, err)
		}
		for _, file := range files {
			if file != arg {
				data, err := library.Read(file)
				add(file, data, err)
				continue
			}
			f, err := os.Open(file) // may be a pipe, as the shell makes them
			if err != nil {
				add(file, nil, err)
				continue
			}
			data, err := readDocument(f)
			add(file, data, err)
			f.Close()
		}
	}
	return inputs, unread
}

// readDocument reads one byte more than the largest bundle, so that the check can say so.
func readDocument(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, catalog.MaxBundleBytes+1))
}

// specFiles returns the file that an argument names, or the files of a folder.
func specFiles(arg string) ([]string, error) {
	info, err := os.Stat(arg)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return library.Files(arg)
	}
	return []string{arg}, nil
}
