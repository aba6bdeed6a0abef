package main

import (
	"context"
	"io"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
)

func (c *serveCommand) telemetryFlags(f *pflag.FlagSet) {
	c.telemetry.LogLevel = slog.LevelWarn
	f.StringVar(&c.telemetry.Endpoint, "otlp-endpoint", "", "the `URL` of an OTLP/HTTP receiver of traces (default what OTEL_EXPORTER_OTLP_ENDPOINT says, else none)")
	f.BoolVar(&c.telemetry.OpenMetrics, "open-metrics", false, "show /metrics without a token")
	f.StringVar(&c.telemetry.LogFormat, "log-format", "text", "the `FORMAT` of log lines: text or json")
}

// observe starts telemetry; stop sends what is waiting.
func (c *serveCommand) observe(ctx context.Context, stderr io.Writer) (t *telemetry.Telemetry, stop func(), err error) {
	if c.verbose {
		c.telemetry.LogLevel = slog.LevelInfo
	}
	if t, err = telemetry.Open(ctx, c.telemetry, readBuildInfo().Version, stderr); err != nil {
		return nil, nil, err
	}
	return t, func() {
		if err := t.Close(context.Background()); err != nil {
			t.Logger().Warn("not all spans were sent", "cause", err)
		}
	}, nil
}
