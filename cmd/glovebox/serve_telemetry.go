package main

import (
	"context"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
)

// observe starts telemetry; stop sends what is waiting. When log lines are JSON,
// so is everything else that is said on standard error from now on.
func (c *serveCommand) observe(cmd *cobra.Command) (t *telemetry.Telemetry, stop func(), err error) {
	stderr := cmd.ErrOrStderr()
	if t, err = telemetry.Open(cmd.Context(), c.counts.Telemetry, readBuildInfo().Version, stderr); err != nil {
		return nil, nil, err
	}
	if c.counts.Telemetry.LogFormat == "json" {
		cmd.SetErr(saidAsJSON{slog.New(slog.NewJSONHandler(stderr, nil))})
	}
	return t, func() {
		if err := t.Close(context.Background()); err != nil {
			t.Logger().Warn("not all spans were sent", "cause", err)
		}
	}, nil
}

// saidAsJSON makes a JSON line of each line for people. They are not cleaned: one
// of them shows a new token.
type saidAsJSON struct{ log *slog.Logger }

func (s saidAsJSON) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		s.log.Info(strings.TrimSuffix(line, "\n"))
	}
	return len(p), nil
}
