package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/glovebox-run/glovebox/risk/contract"
)

// modeCompat is the one mode there is: exactly the published evaluator.
const modeCompat = "compat"

func newDecide() *cobra.Command {
	var mode, file, request, expect string
	var lines, compact, failOnDeny bool
	args := requestFlags{texts: map[string]*string{}, switches: map[string]*bool{}}
	cmd := &cobra.Command{
		Use:   "decide --contract FILE",
		Short: "Decide proposed tool calls by a tool risk contract",
		Long: `Decide one proposed tool call, given by flags or by a request document that the
flags are laid over, and print the answer as JSON.

With --jsonl, standard input holds lines {"id", "request"} or {"id", "raw_request"}:
request names the flags below in snake_case, raw_request is a request document. A
line that is no request is answered with an error and never with an allow; the
stream goes on and the exit code is 2.

The exit code is 0 for every decision. It is 1 for a decision other than
--expect-decision and, under --fail-on-deny, for one that does not allow the call.
Mode compat answers exactly as the published evaluator does, its weaknesses
included: among others it believes what the caller says about the session.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if mode != modeCompat {
				return exitWith(exitUsage, fmt.Errorf("--mode %s: the only mode is %s", mode, modeCompat))
			}
			var want contract.Decision
			if expect != "" {
				var err error
				if want, err = contract.ParseDecision(expect); err != nil {
					return exitWith(exitUsage, fmt.Errorf("--expect-decision: %w", err))
				}
			}
			given, err := args.document(cmd.Flags())
			if err != nil {
				return exitWith(exitUsage, err)
			}
			if lines && (request != "" || len(given) > len("{}")) {
				return exitWith(exitUsage, errors.New("--jsonl reads its requests from standard input; leave the request flags out"))
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			c, err := contract.Parse(text)
			if err != nil {
				return exitWith(exitUsage, fmt.Errorf("%s: %w", file, err))
			}
			var tally contract.Tally
			if lines {
				tally, err = c.DecideLines(cmd.InOrStdin(), cmd.OutOrStdout())
				if err = endOfLines(tally, err); err != nil {
					return err
				}
			} else {
				var document []byte
				if request != "" {
					if document, err = readInput(cmd, request); err != nil {
						return exitWith(exitUsage, err)
					}
					if len(document) == 0 {
						return exitWith(exitUsage, fmt.Errorf("%s: the file is empty", request))
					}
				}
				r, err := contract.ParseArguments(document, given)
				if err != nil {
					return exitWith(exitUsage, err)
				}
				answer := c.Decide(&r)
				tally.Rows++
				tally.Decisions[answer.Decision]++
				if err := writeAnswer(cmd.OutOrStdout(), answer.Report(), compact); err != nil {
					return err
				}
			}
			if others := tally.Rows - tally.Decisions[want]; expect != "" && others > 0 {
				return exitWith(exitNo, fmt.Errorf("%d of %d decisions are not %s", others, tally.Rows, want))
			}
			if refused := tally.Refused(); failOnDeny && refused > 0 {
				return exitWith(exitNo, fmt.Errorf("%d of %d calls are not allowed", refused, tally.Rows))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&mode, "mode", modeCompat, "how to decide")
	f.StringVar(&file, "contract", defaultPack, "the contract: an evidence pack or the exchange format (also --pack)")
	f.StringVar(&request, "request", "", "request document, - for standard input")
	f.BoolVar(&lines, "jsonl", false, "read requests from standard input, one JSON object a line")
	f.BoolVar(&compact, "json", false, "print the answer on one line")
	f.StringVar(&expect, "expect-decision", "", "fail unless this is the decision")
	f.BoolVar(&failOnDeny, "fail-on-deny", false, "fail unless the call is allowed")
	args.add(f)
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "pack" {
			name = "contract"
		}
		return pflag.NormalizedName(name)
	})
	cmd.MarkFlagsMutuallyExclusive("jsonl", "json")
	return cmd
}

// requestFlags are the flags that make up a request, one for each argument the
// contract knows.
type requestFlags struct {
	texts    map[string]*string
	switches map[string]*bool
}

func (r requestFlags) add(f *pflag.FlagSet) {
	for _, a := range contract.Arguments() {
		name := strings.ReplaceAll(a.Name, "_", "-")
		if a.Kind == contract.SwitchArgument {
			r.switches[a.Name] = f.Bool(name, false, a.Usage)
		} else {
			r.texts[a.Name] = f.String(name, "", a.Usage)
		}
	}
}

// document returns the flags that were given as a JSON object of arguments.
func (r requestFlags) document(f *pflag.FlagSet) ([]byte, error) {
	given := map[string]any{}
	for name, v := range r.texts {
		if f.Changed(strings.ReplaceAll(name, "_", "-")) {
			given[name] = *v
		}
	}
	for name, v := range r.switches {
		if *v {
			given[name] = true
		}
	}
	return json.Marshal(given)
}
