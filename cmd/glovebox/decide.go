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

// modeCompat is the only mode: exactly the published evaluator.
const modeCompat = "compat"

func newDecide() *cobra.Command {
	var d decideFlags
	d.request.texts, d.request.switches = map[string]*string{}, map[string]*bool{}
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
		Example: `  glovebox decide --contract contract.json --workflow-id triage --agent-id helper`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return d.run(cmd) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&d.mode, "mode", modeCompat, "how to decide")
	f.StringVar(&d.contract, "contract", defaultPack, "the contract: an evidence pack or the exchange format (also --pack)")
	f.StringVar(&d.document, "request", "", "request document, - for standard input")
	f.BoolVar(&d.lines, "jsonl", false, "read requests from standard input, one JSON object a line")
	f.BoolVar(&d.compact, "json", false, "print the answer on one line")
	f.StringVar(&d.expect, "expect-decision", "", "fail unless this is the decision")
	f.BoolVar(&d.failOnDeny, "fail-on-deny", false, "fail unless the call is allowed")
	d.request.add(f)
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "pack" {
			name = "contract"
		}
		return pflag.NormalizedName(name)
	})
	cmd.MarkFlagsMutuallyExclusive("jsonl", "json")
	return cmd
}

type decideFlags struct {
	mode, contract, document, expect string
	lines, compact, failOnDeny       bool
	request                          requestFlags
}

func (d *decideFlags) run(cmd *cobra.Command) error {
	if d.mode != modeCompat {
		return exitWith(exitUsage, fmt.Errorf("--mode %s: the only mode is %s", d.mode, modeCompat))
	}
	var want contract.Decision
	if d.expect != "" {
		var err error
		if want, err = contract.ParseDecision(d.expect); err != nil {
			return exitWith(exitUsage, fmt.Errorf("--expect-decision: %w", err))
		}
	}
	given, err := d.request.arguments(cmd.Flags())
	if err != nil {
		return exitWith(exitBug, err)
	}
	if d.lines && (d.document != "" || string(given) != "{}") {
		return exitWith(exitUsage, errors.New("--jsonl reads its requests from standard input; leave the request flags out"))
	}
	text, err := os.ReadFile(d.contract)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	c, err := contract.Parse(text)
	if err != nil {
		return exitWith(exitUsage, fmt.Errorf("%s: %w", d.contract, err))
	}
	var tally contract.Tally
	if d.lines {
		tally, err = c.DecideLines(cmd.InOrStdin(), cmd.OutOrStdout())
		err = endOfLines(tally, err)
	} else {
		tally, err = d.decideOne(cmd, c, given)
	}
	if err != nil {
		return err
	}
	if others := tally.Rows - tally.Decisions[want]; d.expect != "" && others > 0 {
		return exitWith(exitNo, fmt.Errorf("%d of %d decisions are not %s", others, tally.Rows, want))
	}
	if refused := tally.Refused(); d.failOnDeny && refused > 0 {
		return exitWith(exitNo, fmt.Errorf("%d of %d calls are not allowed", refused, tally.Rows))
	}
	return nil
}

// decideOne decides the call that document and flags describe.
func (d *decideFlags) decideOne(cmd *cobra.Command, c *contract.Contract, given []byte) (tally contract.Tally, err error) {
	document := []byte("{}")
	if d.document != "" {
		if document, err = readInput(cmd, d.document); err != nil {
			return tally, exitWith(exitUsage, err)
		}
	}
	r, err := contract.ParseArguments(document, given)
	if err != nil {
		return tally, exitWith(exitUsage, err)
	}
	answer := c.Decide(&r)
	tally.Rows++
	tally.Decisions[answer.Decision]++
	return tally, writeAnswer(cmd.OutOrStdout(), answer.Report(), d.compact)
}

// requestFlags are the flags that make up a request, one for each argument of the
// contract.
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

// arguments returns the given flags as a JSON object.
func (r requestFlags) arguments(f *pflag.FlagSet) ([]byte, error) {
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
