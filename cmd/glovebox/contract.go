package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/risk/contract"
)

// defaultPack is the default file that generate writes and decide reads.
const defaultPack = "contract/mcp-tool-risk-contract.json"

func newContract() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "contract",
		Short: "Make a tool risk contract and score connectors",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newContractGenerate(), newContractProfile())
	return cmd
}

func newContractGenerate() *cobra.Command {
	var root, output, date string
	var check bool
	var s contract.Sources
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate the contract from connectors, authorization, workflows and policy",
		Long: `Generate the contract from its five sources. The same sources give the same
bytes. When a source breaks a rule of the contract the pack is written with the
failures in it, and the exit code is 1. With --check nothing is written: the exit
code is 1 when the file is not what would be written.`,
		Example: `  glovebox contract generate --repo-root . --check`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, source := range []*contract.Source{&s.Profile, &s.Connectors, &s.Authorization, &s.Workflows, &s.Policy} {
				var err error
				if source.Text, err = os.ReadFile(under(root, source.Path)); err != nil {
					return exitWith(exitUsage, err)
				}
			}
			text, failures, err := contract.Generate(s, date)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			target := under(root, output)
			if check {
				err = checkPack(target, text)
			} else {
				err = writeWhole(target, text)
			}
			for _, f := range failures {
				fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s\n", f)
			}
			if err == nil && len(failures) > 0 {
				err = exitWith(exitNo, nil)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&root, "repo-root", ".", "folder that relative paths start from")
	f.StringVar(&s.Profile.Path, "profile", "contract/profile.json", "what the contract is for, and its own defaults")
	f.StringVar(&s.Connectors.Path, "connector-trust-pack", "contract/connectors.json", "the connectors")
	f.StringVar(&s.Authorization.Path, "authorization-pack", "contract/authorization.json", "how each connector is authorised")
	f.StringVar(&s.Workflows.Path, "manifest", "contract/workflows.json", "the workflows")
	f.StringVar(&s.Policy.Path, "gateway-policy", "contract/gateway-policy.json", "the gateway's policy for each workflow")
	f.StringVarP(&output, "output", "o", defaultPack, "where the contract goes")
	f.StringVar(&date, "generated-at", "", "date of the contract (default: the profile's last_reviewed)")
	f.BoolVar(&check, "check", false, "write nothing; fail when the file is not up to date")
	return cmd
}

func under(root, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(root, name)
}

func checkPack(name string, want []byte) error {
	got, err := os.ReadFile(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return exitWith(exitNo, fmt.Errorf("%s is not there; run glovebox contract generate without --check", name))
	case err != nil:
		return exitWith(exitUsage, err)
	case !bytes.Equal(got, want):
		return exitWith(exitNo, fmt.Errorf("%s is not what its sources give; run glovebox contract generate without --check and read the difference", name))
	}
	return nil
}

// writeWhole writes a file atomically: a reader finds the old one or the new one,
// never half of one.
func writeWhole(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".contract-*")
	if err != nil {
		return exitWith(exitUsage, err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(0o644)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return exitWith(exitIncomplete, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

func newContractProfile() *cobra.Command {
	var lines, compact bool
	cmd := &cobra.Command{
		Use:   "profile [FILE|-]",
		Short: "Score one connector, or a stream of them",
		Long: `Score one connector: six risk factors with the words that led to them, tier,
suggested hints and default decision. With --jsonl, standard input holds lines
{"id", "connector"}; a line that is no connector is answered with an error.`,
		Example: `  glovebox contract profile connectors.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if lines {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if lines {
				tally, err := contract.ScoreLines(cmd.InOrStdin(), cmd.OutOrStdout())
				return endOfLines(tally, err)
			}
			raw, err := readInput(cmd, args[0])
			if err != nil {
				return exitWith(exitUsage, err)
			}
			connector, err := contract.ParseConnector(raw)
			if err != nil {
				return exitWith(exitUsage, fmt.Errorf("%s: %w", args[0], err))
			}
			return writeAnswer(cmd.OutOrStdout(), connector.Score(), compact)
		},
	}
	cmd.Flags().BoolVar(&lines, "jsonl", false, `read lines {"id", "connector"} from standard input`)
	cmd.Flags().BoolVar(&compact, "json", false, "print the score on one line")
	cmd.MarkFlagsMutuallyExclusive("jsonl", "json")
	return cmd
}

// endOfLines converts the result of a stream to the command's exit.
func endOfLines(tally contract.Tally, err error) error {
	switch {
	case err != nil:
		return exitWith(exitIncomplete, err)
	case tally.Invalid > 0:
		return exitWith(exitUsage, fmt.Errorf("%d of %d rows could not be read; their answers say why", tally.Invalid, tally.Rows))
	}
	return nil
}

// writeAnswer prints an answer as JSON: indented for people, or on one line.
func writeAnswer(w io.Writer, answer any, compact bool) error {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if !compact {
		encoder.SetIndent("", "  ")
	}
	if err := encoder.Encode(answer); err != nil {
		return exitWith(exitBug, err)
	}
	if _, err := io.WriteString(w, text.String()); err != nil {
		return exitWith(exitIncomplete, err)
	}
	return nil
}
