package mcpserver

import (
	"context"
	"log/slog"
)

// sdkLogger passes on what the SDK has to say, from warnings on. Below that it says
// three things of every request, and the id of a session, which is half of what it
// takes to speak for its client.
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
