package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/service/doctor"
)

// health is the answer of glovebox health.
type health struct {
	Healthy bool   `json:"healthy"`
	Reason  string `json:"reason,omitempty"` // why not
	PID     int    `json:"pid,omitempty"`    // of the server
	Address string `json:"address,omitempty"`
	Tools   int    `json:"tools"`
}

func newHealth() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Say whether the server that runs here works",
		Long: `Say whether the server that runs here works: it answers on its socket and, over HTTP,
on its endpoint, can record calls, and is not stopping. It needs no token and no shell,
so it is the health check of the container image. Nothing is printed when all is well.

Exit code 1 means that it does not work, 3 that none runs or that it does not answer.`,
		Example: `  glovebox health
  glovebox health --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := stateDir()
			if err != nil {
				return exitWith(exitUsage, err)
			}
			s, err := doctor.Health(cmd.Context(), state)
			code := exitNo
			switch {
			case errors.Is(err, local.ErrNoOwner):
				code, err = exitIncomplete, fmt.Errorf("%w from %s; start one with glovebox serve", err, state)
			case s.PID == 0:
				code = exitIncomplete
			}
			if asJSON {
				said := health{Healthy: err == nil, PID: s.PID, Address: s.Address, Tools: s.Tools}
				if err != nil {
					said.Reason = err.Error()
				}
				if err := json.NewEncoder(cmd.OutOrStdout()).Encode(said); err != nil {
					return err
				}
			}
			switch {
			case err == nil:
				return nil
			case asJSON:
				return exitWith(code, nil)
			}
			return exitWith(code, err)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
