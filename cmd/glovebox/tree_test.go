package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/glovebox-run/glovebox/mcpserver/config"
)

// everyCommand walks the tree, with what cobra adds.
func everyCommand(visit func(cmd *cobra.Command)) {
	root := newRoot()
	root.InitDefaultCompletionCmd()
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		visit(cmd)
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(root)
}

// silent are the commands whose output is no answer to read: they perform an
// action, or print a text in a format of its own.
var silent = []string{
	"glovebox serve", "glovebox man", "glovebox new", "glovebox sanitise", "glovebox config init", "glovebox contract generate", "glovebox labels init",
	"glovebox library export", "glovebox library remove",
	"glovebox upstream remove", "glovebox composition delete", "glovebox pin revoke", "glovebox pin forget",
	"glovebox session reset", "glovebox token revoke", "glovebox session met",
}

func TestEveryVerbIsExplained(t *testing.T) {
	everyCommand(func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short text %q", path, cmd.Short)
		}
		if cmd.HasSubCommands() || strings.HasPrefix(path, "glovebox completion") || path == "glovebox help" {
			return
		}
		if !strings.Contains(cmd.Example, path) {
			t.Errorf("%s has no example", path)
		}
		if asJSON := cmd.Flag("json"); (asJSON == nil) != slices.Contains(silent, path) {
			t.Errorf("%s: --json is there: %v", path, asJSON != nil)
		}
	})
}

// ofTheirOwn are flags that say the same to a command that reads no configuration, or asks a
// server of another machine.
var ofTheirOwn = []string{"glovebox catalog list --preset", "glovebox decide --contract", "glovebox approvals --token-file", "glovebox bench serve --token-file"}

// TestExamplesParse: what an example shows is a command with flags that it has.
func TestExamplesParse(t *testing.T) {
	everyCommand(func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			_, line, found := strings.Cut(line, "glovebox ")
			if !found {
				continue
			}
			line, _, _ = strings.Cut(line, "|")
			line, _, _ = strings.Cut(line, ">")
			line, _, _ = strings.Cut(line, "<")
			line, _, _ = strings.Cut(line, " -- ")
			root := newRoot()
			root.InitDefaultCompletionCmd()
			shown, rest, err := root.Find(strings.Fields(line))
			if err == nil {
				err = shown.ParseFlags(rest)
			}
			if err == nil && shown.CommandPath() == cmd.CommandPath() && !strings.Contains(line, "\"") && !strings.Contains(line, "$") {
				err = shown.ValidateArgs(shown.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: %q: %v", cmd.CommandPath(), line, err)
			}
		}
	})
}

// twoTypes are flags that are not the same everywhere: scan --tools reads a file of
// definitions, and token create --tools names tools.
var twoTypes = []string{"tools"}

// TestSameFlagSameName: a flag has one type everywhere, and one that sets a key of
// the configuration is made of that key.
func TestSameFlagSameName(t *testing.T) {
	type seen struct{ where, kind, short string }
	flags := map[string]seen{}
	byFlag := map[string]config.Key{}
	for _, k := range config.Keys {
		if k.Flag != "" {
			byFlag[k.Flag] = k
		}
	}
	everyCommand(func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			path := cmd.CommandPath()
			if f.Usage == "" || strings.HasSuffix(f.Usage, ".") {
				t.Errorf("%s --%s: help text %q", path, f.Name, f.Usage)
			}
			now := seen{path, f.Value.Type(), f.Shorthand}
			if before, known := flags[f.Name]; known && !slices.Contains(twoTypes, f.Name) && (before.kind != now.kind || before.short != now.short) {
				t.Errorf("--%s is %v and %v", f.Name, before, now)
			}
			flags[f.Name] = now
			if k, ok := byFlag[f.Name]; ok && !slices.Contains(ofTheirOwn, path+" --"+f.Name) {
				if _, bound := f.Value.(*settingFlag); !bound || f.Usage != k.Usage() {
					t.Errorf("%s --%s is not that of %s", path, f.Name, k.Path)
				}
			}
		})
	})
}
