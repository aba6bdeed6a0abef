package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/service"
	"github.com/glovebox-run/glovebox/mcpserver/service/doctor"
)

func newConsole() *cobra.Command {
	var a approvalsCommand
	var role string
	var open bool
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Open the running server's console in a browser",
		Long: `Print an address that signs you in to the console of the running server, and with
--open start a browser on it. The address holds once and for a minute; the session that
it begins ends after twelve hours. The server that owns the state folder is asked over its
socket, and the record names the person who asked.

Exit code 1 means that the server has no console; 3 that no server is running.`,
		Example: `  glovebox console
  glovebox console --open
  glovebox console --role answer`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			peer, err := a.owner()
			if err != nil {
				return err
			}
			url, err := peer.Console(cmd.Context(), role)
			var problem local.Problem
			if errors.As(err, &problem) {
				return exitWith(exitNo, err)
			} else if err != nil {
				return a.failed(err)
			}
			if a.asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(local.Entry{URL: url})
			}
			if open {
				if err := startBrowser(url); err == nil {
					return nil
				}
				fmt.Fprintln(cmd.ErrOrStderr(), "glovebox: no browser could be started; open this within a minute:")
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), url)
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&a.asJSON, "json", false, "print one JSON object")
	f.BoolVar(&open, "open", false, "start a browser on it")
	f.StringVar(&role, "role", "manage", "what the `ROLE` may do: look, answer questions too, or manage everything")
	oneOf(cmd, "role", "look", "answer", "manage")
	return cmd
}

// startBrowser starts the user's browser.
func startBrowser(url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(name, args...)
	cmd.Env = os.Environ()
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

// examine runs doctor's checks for the console.
func examine(p service.Place, l *config.Loaded) func(context.Context) iter.Seq[console.Check] {
	return func(ctx context.Context) iter.Seq[console.Check] {
		return func(yield func(console.Check) bool) {
			for f := range doctor.Examine(ctx, doctor.Patient{Place: p, Configuration: l}) {
				if !yield(console.Check(f)) {
					return
				}
			}
		}
	}
}
