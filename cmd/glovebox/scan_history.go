package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/risk/score"
	"github.com/glovebox-run/glovebox/risk/score/report"
)

// keptScan is what a list of scans shows of one.
type keptScan struct {
	ID      string        `json:"id"`
	Of      string        `json:"of,omitempty"`
	Made    time.Time     `json:"made"`
	Target  string        `json:"target"`
	Profile score.Profile `json:"profile"`
	Score   int           `json:"score"`
	Grade   string        `json:"grade"`
	Verdict score.Verdict `json:"verdict"`
}

func keptOf(r scans.Row) keptScan {
	return keptScan{r.ID, r.Of, r.Made, r.Target.Identity(), r.Profile, r.Score, r.Grade, r.Verdict}
}

func newScanHistory(kept *scanStore) *cobra.Command {
	var asJSON, said bool
	cmd := &cobra.Command{
		Use:   "history [URL]",
		Short: "List the scans that were kept",
		Example: `  glovebox scan history
  glovebox scan history https://mcp.example.com/mcp --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return kept.with(cmd, false, func(h *scans.History) error {
				if said {
					return printSaid(cmd, h)
				}
				all, err := h.Rows(cmd.Context())
				if err != nil {
					return err
				}
				all = slices.DeleteFunc(all, func(r scans.Row) bool { return len(args) > 0 && !isOf(r, args[0]) })
				out := cmd.OutOrStdout()
				w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
				for _, r := range all {
					k := keptOf(r)
					if asJSON {
						if err := json.NewEncoder(out).Encode(k); err != nil {
							return err
						}
						continue
					}
					fmt.Fprintf(w, "%s\t%s\t%s %d\t%s\t%s\t%s\n", k.ID, k.Made.Local().Format("2006-01-02 15:04"), k.Grade, k.Score, k.Verdict, k.Profile, oneLine(k.Target))
				}
				return w.Flush()
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	cmd.Flags().BoolVar(&said, "feedback", false, "list what was said with scan feedback instead")
	return cmd
}

func isOf(r scans.Row, target string) bool {
	return r.Target.URL == target || strings.Join(r.Target.Command, " ") == target
}

func printSaid(cmd *cobra.Command, h *scans.History) error {
	all, err := h.Said(cmd.Context())
	if err != nil {
		return err
	}
	for _, f := range all {
		if err := json.NewEncoder(cmd.OutOrStdout()).Encode(f); err != nil {
			return err
		}
	}
	return nil
}

func newScanDiff(kept *scanStore) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff URL | SCAN SCAN",
		Short: "Say what changed between two scans, or the last two of a server",
		Example: `  glovebox scan diff https://mcp.example.com/mcp
  glovebox scan diff 3f2a9c01d4e5f607-20261123T060000 3f2a9c01d4e5f607-20261124T060000`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return kept.with(cmd, false, func(h *scans.History) error {
				before, after, err := twoScans(cmd.Context(), h, args)
				if err != nil {
					return err
				}
				c := score.Compare(&before.Report, &after.Report, &before.Observation, &after.Observation)
				if asJSON {
					err = json.NewEncoder(cmd.OutOrStdout()).Encode(c)
				} else {
					err = report.Comparison(cmd.OutOrStdout(), c)
				}
				if err == nil && !c.Same() {
					return exitWith(exitNo, nil)
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func twoScans(ctx context.Context, h *scans.History, args []string) (before, after scans.Record, err error) {
	if len(args) == 2 {
		if before, err = h.Get(ctx, args[0]); err == nil {
			after, err = h.Get(ctx, args[1])
		}
		return before, after, err
	}
	all, err := h.Rows(ctx)
	all = slices.DeleteFunc(all, func(r scans.Row) bool { return r.Of != "" || !isOf(r, args[0]) })
	if err == nil && len(all) < 2 {
		err = fmt.Errorf("%w: %d of %s, and it takes two", scans.ErrNone, len(all), args[0])
	}
	if err != nil {
		return before, after, err
	}
	if before, err = h.Get(ctx, all[len(all)-2].ID); err == nil {
		after, err = h.Get(ctx, all[len(all)-1].ID)
	}
	return before, after, err
}

func newScanFeedback(kept *scanStore) *cobra.Command {
	var kind, rule, note string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "feedback SCAN --rule RULE --kind KIND",
		Short:   "Say that a result was right or wrong; it is appended to the history",
		Example: `  glovebox scan feedback 3f2a9c01d4e5f607-20261123T060000 --rule tool_name_safety --kind false-positive`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(scans.Kinds, scans.Kind(kind)) {
				return exitWith(exitUsage, fmt.Errorf("--kind %q: want false-positive, false-negative or confirmed", kind))
			}
			return kept.with(cmd, true, func(h *scans.History) error {
				f, err := h.Say(cmd.Context(), args[0], rule, scans.Kind(kind), note)
				if err == nil && asJSON {
					err = json.NewEncoder(cmd.OutOrStdout()).Encode(f)
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&rule, "rule", "", "the id of the rule")
	cmd.Flags().StringVar(&kind, "kind", "", "false-positive, false-negative or confirmed")
	oneOf(cmd, "kind", string(scans.FalsePositive), string(scans.FalseNegative), string(scans.Confirmed))
	cmd.Flags().StringVar(&note, "note", "", "why")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was kept as a JSON object")
	for _, name := range []string{"rule", "kind"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // there is no such flag; every test sees it
		}
	}
	return cmd
}

func newRescore() *cobra.Command {
	var kept scanStore
	var profile string
	var advisories []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "rescore [SCAN...]",
		Short: "Score kept scans by the rules of this version, without contacting anybody",
		Long: `Score scans of the history again: all of them, or those that are named. Each score is
a new record; the old one stays as it is. Exit code 1 means that a verdict changed.`,
		Example: `  glovebox rescore
  glovebox rescore 3f2a9c01d4e5f607-20261123T060000 --profile classic`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := score.ParseProfile(profile)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			known, err := advisoriesWith(advisories)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			return kept.with(cmd, true, func(h *scans.History) error {
				all, err := chosen(cmd.Context(), h, args)
				if err != nil {
					return err
				}
				out := cmd.OutOrStdout()
				changed := false
				err = h.RescoreAll(cmd.Context(), all, p, known, func(before, after scans.Row) error {
					changed = changed || after.Verdict != before.Verdict
					if asJSON {
						return json.NewEncoder(out).Encode(keptOf(after))
					}
					_, err := fmt.Fprintf(out, "%s  %d %s -> %d %s  %s\n", after.ID, before.Score, before.Verdict, after.Score, after.Verdict, oneLine(after.Target.Identity()))
					return err
				})
				if err != nil {
					return err
				}
				if changed {
					return exitWith(exitNo, nil)
				}
				return nil
			})
		},
	}
	profileFlag(cmd, &profile)
	advisoryFlag(cmd, &advisories)
	kept.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

// chosen returns the named scans, or the original ones of all.
func chosen(ctx context.Context, h *scans.History, ids []string) ([]scans.Row, error) {
	if len(ids) == 0 {
		all, err := h.Rows(ctx)
		return slices.DeleteFunc(all, func(r scans.Row) bool { return r.Of != "" }), err
	}
	var all []scans.Row
	for _, id := range ids {
		r, err := h.Find(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
