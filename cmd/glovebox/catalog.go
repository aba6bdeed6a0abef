package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

func newCatalog() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "catalog",
		Short: "Look into the bundled catalogs",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCatalogList(), newCatalogShow(), newCatalogServers())
	return cmd
}

func newCatalogServers() *cobra.Command {
	var asJSON, schema bool
	var file string
	cmd := &cobra.Command{
		Use:   "servers [ID...]",
		Short: "List the known MCP servers and their levels",
		Example: `  glovebox catalog servers
  glovebox catalog servers github --json`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			out := cmd.OutOrStdout()
			if schema {
				_, err := out.Write(servers.Schema())
				return err
			}
			entries, err := serverCatalog(cmd, file)
			if err != nil {
				return err
			}
			if entries, err = pick(entries, ids); err != nil {
				return exitWith(exitUsage, err)
			}
			if asJSON {
				return json.NewEncoder(out).Encode(map[string]any{"version": 1, "servers": entries})
			}
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tLEVEL\tTRUST\tAUTH\tREACHED AT")
			for _, e := range entries {
				t := e.Transports[0]
				at := t.URL
				if at == "" {
					at = strings.Join(append([]string{t.Command}, t.Args...), " ")
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.ID, mcp.FromCatalog(mcp.Default, e).Chip(), strings.Join(e.Trust, ","), t.Auth, at)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the entries as a catalog")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of a catalog instead")
	cmd.Flags().StringVar(&file, "catalog", "", "another catalog of servers instead of the bundled one")
	return cmd
}

// pick returns the entries with the given ids, or all of them without ids.
func pick(entries []servers.Entry, ids []string) ([]servers.Entry, error) {
	if len(ids) == 0 {
		return entries, nil
	}
	var picked []servers.Entry
	for _, id := range ids {
		i := slices.IndexFunc(entries, func(e servers.Entry) bool { return e.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("no server has the id %q; `glovebox catalog servers` lists them", id)
		}
		picked = append(picked, entries[i])
	}
	return picked, nil
}
