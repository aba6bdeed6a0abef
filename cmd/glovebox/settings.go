package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/mcpserver/config"
)

// settings holds the configuration flags of one command. The flags are made from
// the table of keys, so that each has the same name and meaning everywhere.
type settings struct {
	typed map[string][]string // by the path of the key
}

// bind gives a command the flags of keys.
func (s *settings) bind(cmd *cobra.Command, paths ...string) { s.bindIn(cmd, cmd.Flags(), paths...) }

// bindIn is bind for one set of a command's flags, such as the flags inherited by
// its sub-commands.
func (s *settings) bindIn(cmd *cobra.Command, flags *pflag.FlagSet, paths ...string) {
	if s.typed == nil {
		s.typed = map[string][]string{}
	}
	defaults := config.Default()
	for _, path := range paths {
		key, ok := config.Find(path)
		if !ok || key.Flag == "" {
			panic("no flag for " + path) // every test sees it
		}
		flag := flags.VarPF(&settingFlag{key: key, into: s.typed}, key.Flag, "", key.Usage())
		if shown := key.Show(&defaults); shown != "[]" && shown != `""` {
			flag.DefValue = shown
		}
		if key.IsSwitch() {
			flag.NoOptDefVal = "true"
		}
		if complete := completion(key); complete != nil {
			if err := cmd.RegisterFlagCompletionFunc(key.Flag, complete); err != nil {
				panic(err) // the flag is there
			}
		}
	}
}

// completion offers the values of a key; nil leaves completion to the shell, which
// offers files.
func completion(k config.Key) cobra.CompletionFunc {
	switch {
	case k.Path == "specs.preset":
		return func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
			presets, err := tools.Presets()
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			for _, p := range presets {
				names = append(names, p.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		}
	case k.Values() != nil:
		return cobra.FixedCompletions(k.Values(), cobra.ShellCompDirectiveNoFileComp)
	case !k.IsPath():
		return cobra.NoFileCompletions
	}
	return nil
}

// oneOf completes the values of a flag that is not a setting.
func oneOf(cmd *cobra.Command, flag string, values ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // there is no such flag, or twice; every test sees it
	}
}

// settingFlag is one flag. Its value is read together with all other settings,
// because its errors are reported in the same way.
type settingFlag struct {
	key  config.Key
	into map[string][]string
}

func (f *settingFlag) Set(text string) error {
	f.into[f.key.Path] = append(f.into[f.key.Path], text)
	return nil
}

func (f *settingFlag) String() string { return strings.Join(f.into[f.key.Path], ",") }

func (f *settingFlag) Type() string { return f.key.TypeName() }

// load reads the settings in effect: flags over the environment over the file over
// defaults.
func (s *settings) load(cmd *cobra.Command) (*config.Loaded, error) {
	sources, err := s.sources(cmd)
	if err != nil {
		return nil, exitWith(exitUsage, err)
	}
	loaded, err := config.Load(sources)
	if err != nil {
		return nil, exitWith(exitUsage, err)
	}
	return loaded, nil
}

// sources are the places that this command's settings come from.
func (s *settings) sources(cmd *cobra.Command) (config.Sources, error) {
	named, err := cmd.Flags().GetString("config")
	if err != nil {
		return config.Sources{}, err
	}
	file, err := config.FindFile(named, os.LookupEnv, configDir())
	if err != nil {
		return config.Sources{}, err
	}
	home, _ := os.UserHomeDir() // without one, ~/ is refused where it is used
	dir, err := os.Getwd()
	if err != nil {
		return config.Sources{}, err
	}
	return config.Sources{File: file, Lookup: os.LookupEnv, Flags: s.typed, Home: home, Dir: dir}, nil
}
