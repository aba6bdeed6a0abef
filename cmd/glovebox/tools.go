package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/risk"
)

// readSpec reads a spec from a file, from standard input for "-", or from the
// bundled tools for a bare name.
func readSpec(cmd *cobra.Command, name string) ([]byte, error) {
	if bundled := tools.Find(name); bundled != nil {
		if _, err := os.Stat(name); err != nil {
			return bundled.Raw(), nil
		}
	}
	text, err := readInput(cmd, name)
	if os.IsNotExist(err) && filepath.Base(name) == name && filepath.Ext(name) == "" {
		return nil, fmt.Errorf("%w; glovebox catalog list shows the bundled tools%s", err, didYouMean(nearest(name, bundledNames()), ""))
	}
	if err == nil {
		err = notABundle(text)
	}
	return text, err
}

func notABundle(text []byte) error {
	if catalog.IsBundle(text) {
		return errors.New("this is a bundle of specs, and one is wanted: put one of its toolSpecs into a file of its own (check, test, serve and library import read bundles)")
	}
	return nil
}

// toolEntry is a bundled tool as catalog list and show print it.
type toolEntry struct {
	Name         string               `json:"name"`
	Category     string               `json:"category"`
	Tags         []string             `json:"tags"`
	RiskLevel    risk.Level           `json:"riskLevel"`
	Requirements []string             `json:"requirements"`
	Description  string               `json:"description"`
	InputSchema  json.RawMessage      `json:"inputSchema"`
	ToolSafety   catalog.ToolSafety   `json:"toolSafety"`
	ContentHash  string               `json:"contentHash"`
	Integrity    string               `json:"integrity"`
	Code         string               `json:"code,omitempty"`
	Approval     catalog.ApprovalMode `json:"approval"`

	posture catalog.Posture
}

func entryOf(spec *catalog.Spec, pins catalog.Pins) (toolEntry, error) {
	posture, safety, problems := spec.Resolve(catalog.DefaultBaseline(), catalog.NoCeiling(), catalog.SourceBuiltin)
	if err := problems.Err(); err != nil {
		return toolEntry{}, err
	}
	return toolEntry{
		Name: spec.Name(), Category: spec.Category(), Tags: spec.Tags(), RiskLevel: risk.PostureLevel(posture),
		Requirements: append([]string{}, spec.Requirements()...), Description: spec.Description(), InputSchema: spec.InputSchema(),
		ToolSafety: safety, ContentHash: spec.Hash().String(), Integrity: pins.Check(spec).String(), Approval: spec.HumanInTheLoop().Mode, posture: posture,
	}, nil
}

func newCatalogList() *cobra.Command {
	var asJSON bool
	var category, tag, preset string
	cmd := &cobra.Command{
		Use:   "list [WORD...]",
		Short: "List the bundled tools, all or those that mention every word",
		Example: `  glovebox catalog list
  glovebox catalog list search --tag web`,
		RunE: func(cmd *cobra.Command, words []string) error {
			entries, err := bundledEntries(preset)
			if err != nil {
				return err
			}
			var found []toolEntry
			for _, e := range entries {
				if (category == "" || strings.EqualFold(e.Category, category)) && (tag == "" || slices.ContainsFunc(e.Tags, func(t string) bool { return strings.EqualFold(t, tag) })) && mentionsAll(e, words) {
					found = append(found, e)
				}
			}
			out := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(append([]toolEntry{}, found...))
			}
			if err := printEntries(out, found); err != nil {
				return err
			}
			if len(found) == 0 {
				return exitWith(exitNo, fmt.Errorf("no bundled tool mentions %s", strings.Join(words, " and ")))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&category, "category", "", "only this category, such as WEB")
	cmd.Flags().StringVar(&tag, "tag", "", "only this tag, such as github")
	cmd.Flags().StringVar(&preset, "preset", "", "only the tools of this preset")
	return cmd
}

// bundledEntries returns the bundled tools, or those of a preset.
func bundledEntries(preset string) ([]toolEntry, error) {
	pins, err := tools.Pins()
	if err != nil {
		return nil, exitWith(exitBug, err)
	}
	specs, err := tools.Specs()
	if err != nil {
		return nil, exitWith(exitBug, err)
	}
	if preset != "" {
		p, err := tools.PresetNamed(preset)
		if err != nil {
			return nil, exitWith(exitUsage, err)
		}
		specs = specs[:0:0]
		for _, name := range p.Tools {
			specs = append(specs, tools.Find(name))
		}
	}
	var entries []toolEntry
	for _, s := range specs {
		e, err := entryOf(s, pins)
		if err != nil {
			return nil, exitWith(exitBug, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func mentionsAll(e toolEntry, words []string) bool {
	text := strings.ToLower(strings.Join(append([]string{e.Name, e.Category, e.Description}, append(e.Tags, e.ToolSafety.Capabilities.Network.Hosts...)...), " "))
	for _, w := range words {
		if !strings.Contains(text, strings.ToLower(w)) {
			return false
		}
	}
	return true
}

func printEntries(out io.Writer, entries []toolEntry) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range entries {
		does, _, _ := strings.Cut(e.Description, ". ")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.Name, e.RiskLevel, e.Category, strings.TrimSuffix(does, "."))
	}
	return w.Flush()
}

func newCatalogShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show one bundled tool: what it does, what it may touch, and its code",
		Example:           `  glovebox catalog show hash`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeTools,
		RunE: func(cmd *cobra.Command, args []string) error {
			spec := tools.Find(args[0])
			if spec == nil {
				return exitWith(exitNo, fmt.Errorf("no bundled tool %s; glovebox catalog list shows all%s", args[0], didYouMean(nearest(args[0], bundledNames()), "")))
			}
			pins, err := tools.Pins()
			if err != nil {
				return exitWith(exitBug, err)
			}
			e, err := entryOf(spec, pins)
			if err != nil {
				return exitWith(exitBug, err)
			}
			e.Code = spec.Code()
			out := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(e)
			}
			return showEntry(out, spec, e)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func showEntry(out io.Writer, spec *catalog.Spec, e toolEntry) error {
	fmt.Fprintf(out, "%s  %s %s  %s\n\n%s\n", e.Name, e.RiskLevel, e.RiskLevel.Label(), e.Category, e.Description)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w)
	for _, p := range spec.Params() {
		optional := ""
		if !p.Required {
			optional = "optional"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", p.Name, p.Type, optional, p.Description)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nposture: %v\n", e.posture)
	if len(e.Requirements) > 0 {
		fmt.Fprintf(out, "needs: %s\n", strings.Join(e.Requirements, ", "))
	}
	fmt.Fprintf(out, "hash: %s (%s)\n\n", e.ContentHash, e.Integrity)
	_, err := fmt.Fprint(out, spec.Code())
	return err
}

// completeTools offers the names of the bundled tools.
func completeTools(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names := bundledNames()
	if names == nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveDefault
}

// bundledNames returns the names of the bundled tools; nil if they cannot be read,
// which the commands that use them report.
func bundledNames() []string {
	specs, err := tools.Specs()
	if err != nil {
		return nil
	}
	var names []string
	for _, s := range specs {
		names = append(names, s.Name())
	}
	return names
}

func newPreset() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "preset",
		Short: "Sets of bundled tools that are published together",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var asJSON bool
	list := &cobra.Command{
		Use:     "list",
		Short:   "List the presets and their tools",
		Example: `  glovebox preset list`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			presets, err := tools.Presets()
			if err != nil {
				return exitWith(exitBug, err)
			}
			out := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(presets)
			}
			for _, p := range presets {
				fmt.Fprintf(out, "%s: %s (%d)\n  %s\n", p.Name, p.Description, len(p.Tools), strings.Join(p.Tools, ", "))
			}
			return nil
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(list)
	return cmd
}
