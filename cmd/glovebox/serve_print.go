package main

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/service"
)

// tellOn prints events for the operator.
func tellOn(stderr io.Writer) func(service.Event) {
	return func(e service.Event) {
		switch e.(type) {
		case service.Withheld, service.Serving:
			fmt.Fprintf(stderr, "%v\n", e)
		default:
			fmt.Fprintf(stderr, "glovebox: %v\n", e)
		}
	}
}

// tellManager passes events on, and tells the service manager of those that change how the
// service is: the end of a reload, and whether calls are recorded.
func (c *serveCommand) tellManager(next func(service.Event)) func(service.Event) {
	return func(e service.Event) {
		next(e)
		switch e.(type) {
		case service.Applied, service.Kept:
			c.manager.Ready(fmt.Sprint(e))
		case service.Unavailable, service.Available:
			c.manager.Status(fmt.Sprint(e))
		}
	}
}

// sayAsJSON makes all further output on standard error JSON, if log lines are.
func sayAsJSON(cmd *cobra.Command, l *config.Loaded) {
	if l.Telemetry.LogFormat == "json" {
		cmd.SetErr(saidAsJSON{slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil))})
	}
}

// saidAsJSON makes a JSON line of each line for people. The lines are not cleaned:
// one of them shows a new token.
type saidAsJSON struct{ log *slog.Logger }

func (s saidAsJSON) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		s.log.Info(strings.TrimSuffix(line, "\n"))
	}
	return len(p), nil
}
