package mcpserver

import (
	"context"
	"log/slog"
)

// sdkLogger passes on the SDK's log from level warning. Below that the SDK writes
// three lines for every request, and session ids, which are half of what it takes to
// impersonate a client.
func sdkLogger(to *slog.Logger) *slog.Logger { return slog.New(fromWarning{to.Handler()}) }

type fromWarning struct{ slog.Handler }

func (h fromWarning) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

func (h fromWarning) WithAttrs(attrs []slog.Attr) slog.Handler {
	return fromWarning{h.Handler.WithAttrs(attrs)}
}

func (h fromWarning) WithGroup(name string) slog.Handler {
	return fromWarning{h.Handler.WithGroup(name)}
}
