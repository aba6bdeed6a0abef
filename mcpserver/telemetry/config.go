package telemetry

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"
)

// Config is what an operator decides. The zero value sends nothing, shows metrics
// to clients with the token, and logs text from level INFO on.
type Config struct {
	// Endpoint is the base URL of an OTLP receiver over HTTP, such as
	// http://127.0.0.1:4318, for spans, metrics and log lines; one that ends with
	// /v1/traces, /v1/metrics or /v1/logs is for these alone. If it is empty,
	// OTEL_EXPORTER_OTLP_ENDPOINT or the variable of each signal applies; without
	// those nothing is sent. Headers, certificates, timeouts, compression and sampling
	// come from the standard OTEL_ variables.
	Endpoint string
	// OpenMetrics shows /metrics to clients without a token, too.
	OpenMetrics bool
	// LogFormat is "text" or "json"; empty means text.
	LogFormat string
	// LogLevel is the lowest level logged.
	LogLevel slog.Level
	// SlowCall is how long a call takes, without the time of a person, that has a line of
	// its own; 0 is none.
	SlowCall time.Duration
}

// Check reports what is wrong with a configuration in the current environment.
func (c Config) Check() error {
	if c.LogFormat != "" && c.LogFormat != "text" && c.LogFormat != "json" {
		return fmt.Errorf("log format %q: want text or json", c.LogFormat)
	}
	if err := checkURL(c.Endpoint); c.Endpoint != "" && err != nil {
		return fmt.Errorf("telemetry endpoint: %w", err)
	}
	for _, sg := range []signal{traces, metricsSignal, logs} {
		if _, wanted := c.receiver(sg); !wanted {
			continue
		}
		for _, name := range append(sg.variables("ENDPOINT"), sg.variables("PROTOCOL")...) {
			value := os.Getenv(name)
			if value == "" {
				continue
			}
			if strings.HasSuffix(name, "_PROTOCOL") {
				if value != "http/protobuf" {
					return fmt.Errorf("%s: %q is not spoken here, only http/protobuf", name, value)
				}
			} else if err := checkURL(value); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// checkURL does not repeat the URL: it refuses URLs with passwords.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("want a URL such as http://127.0.0.1:4318")
	case u.User != nil:
		return errors.New("credentials belong into OTEL_EXPORTER_OTLP_HEADERS, not into the URL")
	}
	return nil
}
