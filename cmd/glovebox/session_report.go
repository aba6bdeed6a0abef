package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/poison/glyph"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// newSessionReport says what enforcing would have done to recorded traffic.
func newSessionReport() *cobra.Command {
	var a auditCommand
	var since string
	asJSON := false
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Say what policy.session=enforce would have done to recorded calls",
		Long: `Say what policy.session=enforce would have done to the calls on record, made under any
mode: how many it would have denied or asked about, by rule and by tool, with a call of
each to look at (glovebox explain).`,
		Example: `  glovebox session report --since 168h`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := parseWhen(since, time.Now())
			if err != nil {
				return exitWith(exitUsage, fmt.Errorf("--since: %w", err))
			}
			path, err := a.file(cmd)
			if err != nil {
				return err
			}
			r := foresight{Since: from, ByRule: map[string]*tally{}, ByTool: map[string]*tally{}}
			if err := audit.Read(path, audit.Filter{Since: from}, r.add); err != nil {
				return exitWith(exitUsage, err)
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(r)
			}
			r.print(cmd.OutOrStdout())
			return nil
		},
	}
	a.bindIn(cmd, cmd.Flags(), "audit.file")
	cmd.Flags().StringVar(&since, "since", "168h", "not before this time, or this long ago: 2026-01-02T15:04:05Z or 2h")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// foresight counts decisions.
type foresight struct {
	Since  time.Time         `json:"since"`
	Calls  int               `json:"calls"`
	Denied int               `json:"denied"`
	Asked  int               `json:"asked"`
	ByRule map[string]*tally `json:"rules"`
	ByTool map[string]*tally `json:"tools"`
}

type tally struct {
	Denied int `json:"denied"`
	Asked  int `json:"asked"`
	// Example is the id of a call, and Why what was said of it.
	Example string `json:"example"`
	Why     string `json:"why"`
}

func (r *foresight) add(e audit.Entry) error {
	var flow labels.Flow
	if e.Outcome == audit.Asked || len(e.Flow) == 0 || json.Unmarshal(e.Flow, &flow) != nil {
		return nil
	}
	r.Calls++
	rule, why := "", ""
	for _, f := range flow.Fired {
		if f.Does == flow.Verdict || f.Does == "kill" {
			rule, why = f.Rule, f.Why
			break
		}
	}
	switch flow.Verdict {
	case risk.Deny.String():
		r.Denied++
	case risk.Ask.String():
		r.Asked++
	default:
		return nil
	}
	for key, in := range map[string]map[string]*tally{rule: r.ByRule, e.Tool: r.ByTool} {
		t := in[key]
		if t == nil {
			t = &tally{Example: e.ID, Why: why}
			in[key] = t
		}
		if flow.Verdict == risk.Deny.String() {
			t.Denied++
		} else {
			t.Asked++
		}
	}
	return nil
}

func (r *foresight) print(out io.Writer) {
	fmt.Fprintf(out, "%s since %s: %d would be denied, %d asked about.\n", counted(r.Calls, "call"), r.Since.Local().Format(time.DateTime), r.Denied, r.Asked)
	for _, part := range []struct {
		name string
		of   map[string]*tally
		say  bool
	}{{"rule", r.ByRule, true}, {"tool", r.ByTool, false}} {
		names := slices.SortedFunc(maps.Keys(part.of), func(a, b string) int {
			x, y := part.of[a], part.of[b]
			return cmp.Or(cmp.Compare(y.Denied, x.Denied), cmp.Compare(y.Asked, x.Asked), cmp.Compare(a, b))
		})
		for _, name := range names {
			t := part.of[name]
			fmt.Fprintf(out, "%s %s: %d denied, %d asked, such as %s", part.name, glyph.Visible(name), t.Denied, t.Asked, t.Example)
			if part.say {
				fmt.Fprint(out, ". ", t.Why)
			}
			fmt.Fprintln(out)
		}
	}
	if r.Calls == 0 {
		fmt.Fprintln(out, "No call on record was decided: set policy.session to observe for a while. (", strconv.Quote("glovebox serve --session observe"), ")")
	}
}
