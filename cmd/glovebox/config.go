package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/config"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check, show and explain the configuration",
		Long: `Check, show and explain the configuration.

It is one YAML file: the one of --config, else of GLOVEBOX_CONFIG, else
glovebox/config.yaml in XDG_CONFIG_HOME (~/.config) if it is there. A flag counts
over an environment variable, that over the file, that over the default.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigValidate(), newConfigSchema(), newConfigShow(), newConfigInit())
	return cmd
}

// validation is the object that config validate --json prints.
type validation struct {
	File     string          `json:"file"`
	OK       bool            `json:"ok"`
	Problems config.Problems `json:"problems"`
}

func newConfigValidate() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate [FILE]",
		Short: "Report everything that is wrong with a configuration",
		Long: `Report everything that is wrong with a configuration: the file, - for standard
input, or without one what the other commands would read. Environment variables are
read as well, because they count over the file. Nothing is printed when all is well.`,
		Example: `  glovebox config validate
  glovebox config validate --json config.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			sources, err := new(settings).sources(cmd)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			if len(args) > 0 {
				sources.File = args[0]
			}
			if sources.File == "-" {
				text, readErr := io.ReadAll(cmd.InOrStdin())
				if readErr != nil {
					return exitWith(exitUsage, readErr)
				}
				_, err = sources.Parse(text)
			} else {
				_, err = config.Load(sources)
			}
			var problems config.Problems
			if err != nil && !errors.As(err, &problems) {
				return exitWith(exitUsage, err)
			}
			out := cmd.OutOrStdout()
			if asJSON {
				report := validation{File: sources.File, OK: len(problems) == 0, Problems: append(config.Problems{}, problems...)}
				if err := json.NewEncoder(out).Encode(report); err != nil {
					return err
				}
			} else {
				for _, p := range problems {
					if _, err := fmt.Fprintln(out, p); err != nil {
						return err
					}
				}
			}
			switch {
			case len(problems) == 0:
				return nil
			case problems.ReadAtAll():
				return exitWith(exitNo, nil)
			}
			return exitWith(exitUsage, nil)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func newConfigSchema() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of the configuration",
		Long:    "Print the JSON Schema (2020-12) of the configuration. Editors complete and check with it.",
		Example: `  glovebox config schema > configuration.schema.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(config.Schema())
			return err
		},
	}
	cmd.Flags().Bool("json", false, "print JSON, as without it")
	return cmd
}

// urlSecret matches the part before the host that may hold a secret in a URL from
// the environment.
var urlSecret = regexp.MustCompile(`://[^/@ ]*@`)

// shownSetting is one line of config show.
type shownSetting struct {
	Key   string        `json:"key"`
	Value string        `json:"value"`
	From  config.Origin `json:"from"`
	Env   string        `json:"environment,omitempty"`
	Flag  string        `json:"flag,omitempty"`
	Live  bool          `json:"live"` // a change needs no restart
}

func newConfigShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show [WORD]",
		Short: "Print what counts, and where each value came from",
		Example: `  glovebox config show
  glovebox config show policy`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			loaded, err := new(settings).load(cmd)
			if err != nil {
				return err
			}
			shown := []shownSetting{}
			for _, k := range config.Keys {
				if len(args) == 0 || strings.Contains(k.Path, args[0]) {
					shown = append(shown, shownSetting{k.Path, urlSecret.ReplaceAllString(k.Show(&loaded.Config), "://***@"), loaded.Origins[k.Path], k.Env(), k.Flag, k.Live})
				}
			}
			for _, m := range config.Members(&loaded.Config) {
				if len(args) == 0 || strings.Contains(m.Path, args[0]) {
					shown = append(shown, shownSetting{Key: m.Path, Value: m.Value, From: config.FromFile, Live: true})
				}
			}
			out := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(shown)
			}
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for _, s := range shown {
				fmt.Fprintf(w, "%s\t%s\t%s\n", s.Key, s.From, s.Value)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			if len(shown) == 0 {
				return exitWith(exitNo, fmt.Errorf("no setting is called %s; glovebox config show lists all", args[0]))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newConfigInit() *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a configuration with every setting, explained and commented out",
		Long: `Write a configuration with every setting, explained and commented out: to FILE, to
standard output for -, or else to where it is looked for. A file that is there is
left alone.`,
		Example: `  glovebox config init
  glovebox config init - | less`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if folder := configDir(); folder != "" {
				name = filepath.Join(folder, "config.yaml")
			}
			if len(args) > 0 {
				name = args[0]
			}
			if name == "-" {
				_, err := fmt.Fprint(cmd.OutOrStdout(), config.Example())
				return err
			}
			if name == "" {
				return exitWith(exitUsage, errors.New("there is no place for the configuration: name a FILE, or set HOME or XDG_CONFIG_HOME"))
			}
			err := writeNewFile(name, config.Example())
			if errors.Is(err, fs.ErrExist) {
				err = fmt.Errorf("%s exists and stays as it is: edit it and check it with glovebox config validate, or print a new one with glovebox config init -", name)
			}
			if err != nil {
				return exitWith(exitUsage, err)
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s\n", name)
			return nil
		},
	}
}

// writeNewFile never writes over a file.
func writeNewFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
