package main

import (
	"context"
	"io"

	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
)

// observe starts telemetry; stop sends what is waiting.
func (c *serveCommand) observe(ctx context.Context, stderr io.Writer) (t *telemetry.Telemetry, stop func(), err error) {
	if t, err = telemetry.Open(ctx, c.counts.Telemetry, readBuildInfo().Version, stderr); err != nil {
		return nil, nil, err
	}
	return t, func() {
		if err := t.Close(context.Background()); err != nil {
			t.Logger().Warn("not all spans were sent", "cause", err)
		}
	}, nil
}
