package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/scans"
)

func newScanForget(kept *scanStore) *cobra.Command {
	var keep int
	var until string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "forget SCAN... | [URL] --keep N | [URL] --before TIME",
		Short: "Remove scans from the history, with their later scores",
		Long: `Removes scans that were named, or old ones: all but the newest N of each server, those
made before a time, or with both flags those that are both.
The newest scan of a server stays unless it is named: the next one is compared with it.
What was said with scan feedback stays, and so do the grades that compositions look at.
The history takes 512 MiB and then keeps no further scan. In a cluster (--nats) they are
removed for all servers.`,
		Example: `  glovebox scan forget --keep 5
  glovebox scan forget https://mcp.example.com/mcp --before 90d
  glovebox scan forget 3f2a9c01d4e5f607-20261123T060000`,
		RunE: func(cmd *cobra.Command, args []string) error {
			old := cmd.Flags().Changed("keep") || until != ""
			before, err := parseWhen(until, time.Now())
			switch {
			case err != nil:
				return exitWith(exitUsage, fmt.Errorf("--before: %w", err))
			case keep < 1:
				return exitWith(exitUsage, fmt.Errorf("--keep %d: one scan of a server stays; name the last one to remove it, too", keep))
			case !old && len(args) == 0:
				return exitWith(exitUsage, errors.New("say which: scans by their ids, or old ones with --keep or --before"))
			case old && len(args) > 1:
				return exitWith(exitUsage, errors.New("--keep and --before take one server, or none for all"))
			}
			return kept.with(cmd, false, func(h *scans.History) error {
				var gone []scans.Row
				if old {
					all, err := h.Rows(cmd.Context())
					if err != nil {
						return err
					}
					if len(args) > 0 {
						all = slices.DeleteFunc(all, func(r scans.Row) bool { return !isOf(r, args[0]) })
						if len(all) == 0 {
							return fmt.Errorf("%w of %s", scans.ErrNone, args[0])
						}
					}
					gone = scans.Old(all, keep, before)
				} else if gone, err = chosen(cmd.Context(), h, args); err != nil {
					return err
				}
				for _, r := range gone {
					if err := h.Forget(cmd.Context(), r); err != nil {
						return err
					}
					if asJSON {
						err = json.NewEncoder(cmd.OutOrStdout()).Encode(keptOf(r))
					} else {
						_, err = fmt.Fprintln(cmd.OutOrStdout(), r.ID)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().IntVar(&keep, "keep", 1, "keep the newest N scans of each server")
	cmd.Flags().StringVar(&until, "before", "", "remove what was scanned before this time, such as 2026-01-02T15:04:05Z, or so long ago, such as 90d or 36h")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was removed, one JSON object a line")
	return cmd
}
