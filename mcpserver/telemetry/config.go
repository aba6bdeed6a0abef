package telemetry

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
)

// Config is what an operator decides. The zero value sends no spans, shows metrics
// to clients with the token, and logs text from level INFO on.
type Config struct {
	// Endpoint is the base URL of an OTLP receiver over HTTP, such as
	// http://127.0.0.1:4318. If it is empty, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or
	// OTEL_EXPORTER_OTLP_ENDPOINT applies; without those no spans are made.
	// Headers, certificates, timeouts, compression and sampling come from the
	// standard OTEL_ variables.
	Endpoint string
	// OpenMetrics shows /metrics to clients without a token, too.
	OpenMetrics bool
	// LogFormat is "text" or "json"; empty means text.
	LogFormat string
	// LogLevel is the lowest level logged.
	LogLevel slog.Level
}

// Check reports what is wrong with a configuration in the current environment.
func (c Config) Check() error {
	if c.LogFormat != "" && c.LogFormat != "text" && c.LogFormat != "json" {
		return fmt.Errorf("log format %q: want text or json", c.LogFormat)
	}
	if _, wanted := c.receiver(); !wanted {
		return nil
	}
	if err := checkURL(c.Endpoint); c.Endpoint != "" && err != nil {
		return fmt.Errorf("telemetry endpoint: %w", err)
	}
	for _, name := range append(endpointVariables, protocolVariables...) {
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
	return nil
}

// The standard variables that configure where and how spans are sent, the specific
// before the general.
var (
	endpointVariables = []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"}
	protocolVariables = []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"}
)

// Receiver returns the address spans are sent to; empty if none are sent.
func (c Config) Receiver() string {
	endpoint, wanted := c.receiver()
	if !wanted || endpoint != "" {
		return endpoint
	}
	return cmp.Or(os.Getenv(endpointVariables[0]), os.Getenv(endpointVariables[1]))
}

// receiver returns the configured endpoint, empty to use the environment's, and
// whether any spans are wanted.
func (c Config) receiver() (endpoint string, wanted bool) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return "", false
	}
	if c.Endpoint != "" {
		return c.Endpoint, true
	}
	for _, name := range endpointVariables {
		if os.Getenv(name) != "" {
			return "", true
		}
	}
	return "", false
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
