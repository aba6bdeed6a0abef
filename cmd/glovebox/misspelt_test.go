package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// misspellings of a word: a letter left out, doubled, changed, and two that
// changed places.
func misspellings(word string) []string {
	var all []string
	for i := range len(word) {
		all = append(all, word[:i]+word[i+1:], word[:i]+word[i:i+1]+word[i:], word[:i]+"q"+word[i+1:])
		if i > 0 {
			all = append(all, word[:i-1]+word[i:i+1]+word[i-1:i]+word[i+1:])
		}
	}
	return all
}

// refused runs a command line that must not start and returns what it complains
// of.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(args, strings.NewReader(""), &out, &errs); code != exitUsage || out.Len() > 0 {
		t.Errorf("%q: exit %d, output %q", args, code, out.String())
	}
	return errs.String()
}

func TestMisspeltVerbsAtEveryDepth(t *testing.T) {
	everyCommand(func(parent *cobra.Command) {
		var names []string
		for _, below := range parent.Commands() {
			names = append(names, append(below.Aliases, below.Name())...)
		}
		path := strings.Fields(parent.CommandPath())[1:]
		for _, name := range names {
			for _, wrong := range misspellings(name) {
				// Two letters are too few to tell one verb from another.
				if len(wrong) < 3 || slices.Contains(names, wrong) {
					continue
				}
				said := refused(t, append(slices.Clone(path), wrong)...)
				if len(name) > 3 && (!strings.Contains(said, "did you mean") || !strings.Contains(said, name)) {
					t.Errorf("%s %s: %s", parent.CommandPath(), wrong, said)
				}
			}
		}
	})
}

func TestMisspeltFlagsAtEveryDepth(t *testing.T) {
	everyCommand(func(cmd *cobra.Command) {
		if cmd.DisableFlagParsing {
			return
		}
		var names []string
		cmd.InheritedFlags()
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		path := strings.Fields(cmd.CommandPath())[1:]
		for _, name := range names {
			// One misspelling of each flag; every kind of them occurs.
			all := misspellings(name)
			wrong := all[(len(name)*7+len(path))%len(all)]
			if len(name) < 4 || len(wrong) < 3 || slices.Contains(names, wrong) {
				continue
			}
			for _, form := range []string{"--" + wrong, "--" + wrong + "=x"} {
				if said := refused(t, append(slices.Clone(path), form)...); !strings.Contains(said, "did you mean --") || !strings.Contains(said, name) {
					t.Errorf("%s %s: %s", cmd.CommandPath(), form, said)
				}
			}
		}
	})
}

func TestTheVerbIsNamedBeforeItsFlags(t *testing.T) {
	for _, tc := range []struct {
		line, want string
	}{
		{"audit tial", `unknown command "tial" for "glovebox audit"; did you mean tail?`},
		{"audit tial --json", `unknown command "tial" for "glovebox audit"; did you mean tail?`},
		{"audit --config x.yaml tial --json --since 1h", "did you mean tail?"},
		{"--config x.yaml adit tail", "did you mean audit?"},
		{"audit --jsn", "unknown flag: --jsn"},
		{"help audit tial", "did you mean tail?"},
		{"completion bahs", "did you mean bash?"},
		{"xyzzy", `unknown command "xyzzy" for "glovebox"` + "\n"},
		{"version --xyzzy", "unknown flag: --xyzzy\n"},
	} {
		if said := refused(t, strings.Fields(tc.line)...); !strings.Contains(said, tc.want) {
			t.Errorf("%s: %s", tc.line, said)
		}
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("tial", "tail")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, word, name string) {
		if d := distance(word, name); d != distance(name, word) || (word == name) != (d == 0) && len(word) < 64 && strings.ToLower(word) == word && strings.ToLower(name) == name {
			t.Errorf("distance(%q, %q) = %d", word, name, d)
		}
		if found := nearest(word, []string{name, "tail"}); len(found) > 2 {
			t.Errorf("%q", found)
		}
	})
}
