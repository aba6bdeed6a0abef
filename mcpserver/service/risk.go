package service

import (
	"encoding/json"
	"log/slog"

	"github.com/glovebox-run/glovebox/risk/event"
)

// tellRisk returns what writes the events of the risk engine to the log. What is merely
// computed, once for each of perhaps thousands of tools, is for those who debug. The text
// that was taken for an attack stays out: a log is read by models, too.
func tellRisk(log *slog.Logger) func(event.Event) {
	return func(e event.Event) {
		if hit, ok := e.(event.PoisoningHit); ok {
			hit.Text = ""
			e = hit
		}
		text, err := json.Marshal(e)
		if err != nil {
			text = nil // cannot fail: strings and numbers
		}
		fields := []any{"type", e.Type(), "event", string(text)}
		switch e.(type) {
		case event.ServerRiskComputed, event.ToolPublishRiskComputed:
			log.Debug("risk.event", fields...)
			return
		}
		if e.Severity() == event.Info {
			log.Info("risk.event", fields...)
			return
		}
		log.Warn("risk.event", fields...)
	}
}
