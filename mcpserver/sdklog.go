package mcpserver

import (
	"context"
	"log/slog"
)

// sdkLogger passes on the SDK's log from level warning, as lines of level info: what it
// warns of is what clients do, such as not listening when the list of tools changes.
// Below that the SDK writes three lines for every request, and session ids, which are
// half of what it takes to impersonate a client.
func sdkLogger(to *slog.Logger) *slog.Logger { return slog.New(fromWarning{to.Handler()}) }

type fromWarning struct{ slog.Handler }

func (h fromWarning) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, slog.LevelInfo)
}

// Handle writes the SDK's sentence as a field of an event.
func (h fromWarning) Handle(ctx context.Context, r slog.Record) error {
	event := slog.NewRecord(r.Time, slog.LevelInfo, "mcp.sdk", r.PC)
	event.AddAttrs(slog.String("severity", r.Level.String()), slog.String("says", r.Message))
	r.Attrs(func(a slog.Attr) bool {
		event.AddAttrs(a)
		return true
	})
	return h.Handler.Handle(ctx, event)
}

func (h fromWarning) WithAttrs(attrs []slog.Attr) slog.Handler {
	return fromWarning{h.Handler.WithAttrs(attrs)}
}

func (h fromWarning) WithGroup(name string) slog.Handler {
	return fromWarning{h.Handler.WithGroup(name)}
}
