package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// suggestAtAnyDepth makes every misspelt verb and flag below root a usage error
// that names the nearest ones. args are the words of the command line.
func suggestAtAnyDepth(root *cobra.Command, args []string) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.HasSubCommands() {
			if !cmd.Runnable() {
				// cobra prints the help of a command that does not run, and ignores its
				// words.
				cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			}
			cmd.Args = func(cmd *cobra.Command, words []string) error {
				if len(words) == 0 || ownWord(cmd, words[0]) {
					return nil
				}
				return unknownVerb(cmd, words[0])
			}
		}
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		// Flags are read before words: `audit tial --json` first fails on a flag that
		// audit does not have, although the verb is what is wrong.
		if word := firstWord(root, cmd, args); cmd.HasSubCommands() && word != "" && !ownWord(cmd, word) {
			return unknownVerb(cmd, word)
		}
		return unknownFlag(cmd, err)
	})
}

// takesURLs marks a command that has verbs below it and takes URLs, or a command after
// --, itself.
const takesURLs = "takes-urls"

// ownWord reports whether a word is meant for the command and is no misspelt verb.
func ownWord(cmd *cobra.Command, word string) bool {
	return cmd.Annotations[takesURLs] != "" && (isURL(word) || cmd.ArgsLenAtDash() == 0)
}

// firstWord is the first word after the verbs of cmd that is not a flag.
func firstWord(root, cmd *cobra.Command, args []string) string {
	_, rest, _ := root.Find(args)
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.SetOutput(discard{})
	flags.Usage = func() {}
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.AddFlagSet(cmd.InheritedFlags())
	if flags.Parse(rest) != nil {
		return ""
	}
	return flags.Arg(0)
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func unknownVerb(cmd *cobra.Command, word string) error {
	var names []string
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() || below.Name() == "help" {
			names = append(names, below.Name())
		}
	}
	return fmt.Errorf("unknown command %q for %q%s", word, cmd.CommandPath(), didYouMean(nearest(word, names), ""))
}

// unknownFlag adds the nearest flags to an error about an unknown flag, and leaves
// other errors as they are.
func unknownFlag(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return err
	}
	names := []string{"help"}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			names = append(names, flag.Name)
		}
	})
	return fmt.Errorf("%w%s", err, didYouMean(nearest(missing.GetSpecifiedName(), names), "--"))
}

func didYouMean(names []string, prefix string) string {
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + prefix + strings.Join(names, " or "+prefix) + "?"
}

// nearest returns up to three names that word may be a misspelling of, the nearest
// first.
func nearest(word string, names []string) []string {
	// A third of the letters, and at least two, may be wrong: two swapped neighbours
	// count as two.
	most := max(2, len(word)/3)
	found := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		begins := len(word) > 1 && strings.HasPrefix(name, word)
		return !begins && (distance(word, name) > most || distance(word, name) >= len(name))
	})
	slices.SortStableFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance(word, a), distance(word, b)), cmp.Compare(a, b))
	})
	found = slices.Compact(found)
	return found[:min(3, len(found))]
}

// distance is the number of letters to add, drop or change to make b of a
// (Levenshtein). Words of a command line are short; longer ones are cut.
func distance(a, b string) int {
	const longest = 64 // bytes
	a, b = strings.ToLower(a[:min(len(a), longest)]), strings.ToLower(b[:min(len(b), longest)])
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
