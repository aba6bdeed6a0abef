package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// libraryCommand holds what all verbs of library share: the bundle they work on.
type libraryCommand struct {
	settings
	asJSON bool
}

func newLibrary() *cobra.Command {
	var c libraryCommand
	cmd := &cobra.Command{
		Use:   "library",
		Short: "Keep specs in a bundle of your own, which serve offers",
		Long: `Keep specs in a bundle of your own, which serve offers.

The bundle is one file: the one that specs.bundle or --bundle names, else
library/bundle.json in the state folder. It is replaced whole or not at all. A
spec keeps its toolId and the time it was created, and gets the time of each
change; one that does something else than before is a draft again until it has
its Local Pass (glovebox test). A bundle that cannot be read is kept aside under
another name, and no tool is written until that was said.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.bindIn(cmd, cmd.PersistentFlags(), "specs.bundle")
	cmd.AddCommand(c.newAdd(), c.newImport(), c.newExport(), c.newRemove(), c.newList())
	return cmd
}

// libraryBundle is the bundle that library writes and serve reads by default.
func libraryBundle(l *config.Loaded) (string, error) {
	p, err := place()
	if l.Specs.Bundle != "" {
		err = nil // no place is needed
	}
	return p.Bundle(l), err
}

// open reads the bundle. An unreadable bundle ends the command: the file was moved
// aside, and the next command begins a new one. Single specs that cannot be used
// are reported, and stay in the bundle.
func (c *libraryCommand) open(cmd *cobra.Command) (*library.Library, *library.Passes, error) {
	loaded, err := c.load(cmd)
	if err != nil {
		return nil, nil, err
	}
	path, err := libraryBundle(loaded)
	if err != nil {
		return nil, nil, exitWith(exitUsage, err)
	}
	specs, err := library.Open(library.Config{Bundle: path})
	if err != nil {
		return nil, nil, exitWith(exitUsage, err)
	}
	for _, t := range specs.Trouble() {
		if t.Err != nil {
			return nil, nil, exitWith(exitUsage, fmt.Errorf("%w; nothing was changed: repair that file and put it back, or run the command again to begin a new bundle", t))
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %v\n", t)
	}
	dir, err := stateDir()
	if err != nil {
		return nil, nil, exitWith(exitUsage, err)
	}
	passes, err := library.OpenPasses(filepath.Join(dir, "passes.json"))
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %v\n", err) // kept aside; the specs are drafts until they pass again
	}
	return specs, passes, nil
}

func (c *libraryCommand) newAdd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add SPEC...",
		Short: "Put specs into the bundle, in the place of those with their toolId",
		Long: `Put specs into the bundle, all or none, each in the place of the one with its
toolId. A SPEC is a file, a folder (every .json file in it), - for standard input
or the name of a bundled tool, whose place it then takes.`,
		Example: `  glovebox test --write greet.json
  glovebox library add greet.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var read []*catalog.Spec
			for _, arg := range args {
				files, err := specFiles(arg)
				if err != nil {
					files = []string{arg} // standard input, or the name of a bundled tool
				}
				for _, file := range files {
					text, err := readSpec(cmd, file)
					if err != nil {
						return exitWith(exitUsage, fmt.Errorf("%s: %w", file, err))
					}
					spec, problems := catalog.Parse(text)
					if problems.Err() != nil {
						return exitWith(exitNo, fmt.Errorf("%s: %w", file, problems.Err()))
					}
					read = append(read, spec)
				}
			}
			return c.save(cmd, read)
		},
	}
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "print what was stored")
	return cmd
}

func (c *libraryCommand) newImport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import BUNDLE",
		Short: "Put all specs of another bundle into this one",
		Long: `Put all specs of another bundle into this one. Specs with problems are left out
and said, the others are stored together. The settings of the other bundle's
server are not taken over. BUNDLE may be - for standard input.`,
		Example: `  glovebox library import toolSpecsMcpSetting.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			read := func() ([]byte, error) { return library.Read(args[0]) }
			if args[0] == "-" {
				read = func() ([]byte, error) { return readDocument(cmd.InOrStdin()) }
			}
			text, err := read()
			if err != nil {
				return exitWith(exitUsage, err)
			}
			if !catalog.IsBundle(text) {
				return exitWith(exitUsage, fmt.Errorf("%s is no bundle of specs; glovebox library add takes single ones", args[0]))
			}
			b, problems := catalog.ParseBundle(text)
			for _, ignored := range b.Ignored {
				fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s: %s is left out\n", args[0], ignored)
			}
			if b.Server != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s: /toolMcpServerSetting is left out\n", args[0])
			}
			if len(b.Specs) > 0 {
				if err := c.save(cmd, b.Specs); err != nil {
					return err
				}
			}
			if problems.Err() != nil {
				return exitWith(exitNo, fmt.Errorf("%s: left out: %w", args[0], problems.Err()))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "print what was stored")
	return cmd
}

func (c *libraryCommand) save(cmd *cobra.Command, read []*catalog.Spec) error {
	specs, passes, err := c.open(cmd)
	if err != nil {
		return err
	}
	stored, err := specs.SaveAll(read, time.Now(), passes)
	if err != nil {
		return exitWith(exitIncomplete, err)
	}
	for i, s := range stored {
		if s.Draft() && !read[i].Draft() {
			fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: %s is a draft again, because it does something else than before; run glovebox test on its file and add it once more\n", s.Name())
		}
	}
	if c.asJSON {
		return printLibrary(cmd, specs, passes, func(t library.Tool) bool {
			return slices.ContainsFunc(stored, func(s *catalog.Spec) bool { return s.ToolID() == t.Spec.ToolID() })
		})
	}
	return nil
}

// complete offers the names of the saved specs. It only reads: moving an
// unreadable bundle aside is left to a command that can report it.
func (c *libraryCommand) complete(cmd *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	loaded, err := c.load(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	path, err := libraryBundle(loaded)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	text, err := library.Read(path)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	b, _ := catalog.ParseBundle(text)
	var names []string
	for _, spec := range b.Specs {
		if !slices.Contains(given, spec.Name()) {
			names = append(names, spec.Name())
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (c *libraryCommand) newExport() *cobra.Command {
	return &cobra.Command{
		ValidArgsFunction: c.complete,
		Use:               "export [TOOL...]",
		Short:             "Print the bundle, or one of some of its specs",
		Long: `Print the bundle as it is stored, with its server's settings, or a bundle of
the specs that are named, by name or toolId.`,
		Example: `  glovebox library export greet > greet.bundle.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, _, err := c.open(cmd)
			if err != nil {
				return err
			}
			ids, err := savedIDs(specs, args)
			if err != nil {
				return err
			}
			text, err := specs.Export(ids...)
			if err != nil {
				return exitWith(exitIncomplete, err)
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}

func (c *libraryCommand) newRemove() *cobra.Command {
	return &cobra.Command{
		ValidArgsFunction: c.complete,
		Use:               "remove TOOL...",
		Short:             "Take specs out of the bundle, by name or toolId",
		Example:           `  glovebox library remove greet`,
		Args:              cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, _, err := c.open(cmd)
			if err != nil {
				return err
			}
			ids, err := savedIDs(specs, args)
			if err != nil {
				return err
			}
			if err := specs.Remove(ids...); err != nil {
				return exitWith(exitIncomplete, err)
			}
			return nil
		},
	}
}

// savedIDs finds specs of the bundle by name or toolId.
func savedIDs(specs *library.Library, names []string) ([]string, error) {
	var ids, known []string
	var unknown error
	for _, name := range names {
		found := ""
		known = known[:0]
		for _, e := range specs.Entries() {
			known = append(known, e.Spec.Name())
			switch {
			case e.Spec.ToolID() == name, e.Spec.Name() == name && found == "":
				found = e.Spec.ToolID()
			case e.Spec.Name() == name:
				return nil, exitWith(exitUsage, fmt.Errorf("several specs are called %s; give the toolId of one", name))
			}
		}
		if found == "" {
			unknown = errors.Join(unknown, fmt.Errorf("the library has no %s%s", name, didYouMean(nearest(name, known), "")))
			continue
		}
		if !slices.Contains(ids, found) {
			ids = append(ids, found)
		}
	}
	if unknown != nil {
		return nil, exitWith(exitNo, unknown)
	}
	return ids, nil
}

func (c *libraryCommand) newList() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the specs of the bundle and whether they are served",
		Example: `  glovebox library list --json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			specs, passes, err := c.open(cmd)
			if err != nil {
				return err
			}
			all := func(library.Tool) bool { return true }
			if c.asJSON {
				return printLibrary(cmd, specs, passes, all)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, e := range libraryEntries(specs, passes, all) {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Name, e.RiskLevel, e.State, e.Updated.Format(time.RFC3339), e.ToolID)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "print JSON")
	return cmd
}

// libraryEntry is a spec as library list prints it.
type libraryEntry struct {
	Name      string     `json:"name"`
	ToolID    string     `json:"toolId"`
	RiskLevel risk.Level `json:"riskLevel"`
	State     string     `json:"state"`
	Served    bool       `json:"served"`
	Why       []string   `json:"whyNot,omitempty"`
	Created   time.Time  `json:"created"`
	Updated   time.Time  `json:"updated"`
}

func libraryEntries(specs *library.Library, passes *library.Passes, wanted func(library.Tool) bool) []libraryEntry {
	entries := []libraryEntry{}
	for _, t := range specs.Tools(passes, nil, os.LookupEnv) {
		if !wanted(t) {
			continue
		}
		e := libraryEntry{
			Name: t.Spec.Name(), ToolID: t.Spec.ToolID(), State: t.State.String(), Served: t.Published(), Created: t.Spec.Created(), Updated: t.Spec.Updated(),
			RiskLevel: risk.PostureLevel(catalog.Request(t.Spec.Overrides(), catalog.DefaultBaseline())),
		}
		if t.Spec.Draft() {
			e.Why = append(e.Why, "it is a draft")
		} else if t.State == catalog.Draft {
			e.Why = append(e.Why, "it has no Local Pass; run glovebox test on its file")
		}
		if len(t.Missing) > 0 {
			e.Why = append(e.Why, "it needs "+strings.Join(t.Missing, ", "))
		}
		if t.Hidden {
			e.Why = append(e.Why, "the bundle's server settings do not offer it")
		}
		for _, p := range t.Problems {
			e.Why = append(e.Why, p.Message)
		}
		entries = append(entries, e)
	}
	return entries
}

func printLibrary(cmd *cobra.Command, specs *library.Library, passes *library.Passes, wanted func(library.Tool) bool) error {
	return json.NewEncoder(cmd.OutOrStdout()).Encode(libraryEntries(specs, passes, wanted))
}
