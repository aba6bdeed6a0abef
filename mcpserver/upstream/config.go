package upstream

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
)

// Kinds of servers, by how they are reached.
const (
	Stdio = "stdio" // a process of the gateway's
	HTTP  = "http"  // streamable HTTP
	SSE   = "sse"   // HTTP+SSE of 2024-11-05
)

const (
	// DefaultTimeout bounds one request. A tool that drives a browser or builds a program
	// takes minutes; such servers have a longer one in their configuration.
	DefaultTimeout = 2 * time.Minute
	// MaxTimeout is the longest that a call may be configured to take.
	MaxTimeout = 24 * time.Hour
	// DefaultConcurrency is how many requests one server gets at once. Most run on one
	// processor.
	DefaultConcurrency = 16
	// MaxConcurrency is below what a server may keep unwritten.
	MaxConcurrency = 128
)

// Config is how one server is reached. The zero Config reaches nothing. Command, URL,
// Auth and the values of Env and Headers may hold ${VAR}, which are looked up when the server is
// connected.
type Config struct {
	Name string `json:"name"`
	Kind string `json:"kind"`

	// For stdio: a program and its arguments, run without a shell.
	Command []string          `json:"command,omitempty"`
	Dir     string            `json:"dir,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	PassEnv []string          `json:"pass_env,omitempty"` // variables of the gateway that the server gets too
	Sandbox string            `json:"sandbox,omitempty"`  // none, files or files+network; empty is none
	Require bool              `json:"require,omitempty"`  // refuse to start if the sandbox cannot be kept
	Files   Files             `json:"files,omitzero"`
	Limits  Limits            `json:"limits,omitzero"`

	// Singleton has the process run at one server of a cluster at a time.
	Singleton bool `json:"singleton,omitempty"`

	// For http and sse.
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// AllowPrivate permits addresses of this machine and of private networks.
	AllowPrivate bool `json:"allow_private,omitempty"`
	// Auth is how its tokens are got; its ClientID and ClientSecret may hold ${VAR}.
	Auth signin.Config `json:"auth,omitzero"`

	Era         string   `json:"era,omitempty"`         // auto, legacy or modern; empty is auto
	Timeout     Duration `json:"timeout,omitempty"`     // of one request; 0 is [DefaultTimeout]
	Concurrency int      `json:"concurrency,omitempty"` // requests at once; 0 is [DefaultConcurrency]
	// Offer is what the server may ask of clients during a call.
	Offer Offer `json:"offer,omitzero"`
}

// Files are what a sandboxed process may read and write beside its own folder.
type Files struct {
	Read  []string `json:"read,omitempty"`
	Write []string `json:"write,omitempty"`
}

// Limits of a process; zero fields are the defaults of package process.
type Limits struct {
	Memory    int64    `json:"memory,omitempty"`    // bytes
	CPU       Duration `json:"cpu,omitempty"`       // processor time
	Files     int      `json:"files,omitempty"`     // open at once
	Processes int      `json:"processes,omitempty"` // and threads
}

// Offer is what a server may ask of clients during a call.
type Offer struct {
	Elicitation bool `json:"elicitation,omitempty"`
	Sampling    bool `json:"sampling,omitempty"`
	Roots       bool `json:"roots,omitempty"`
}

// Duration is a time.Duration that is written like 1m30s.
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// ValidName reports whether a server may have this name: it is part of paths.
func ValidName(name string) bool { return namePattern.MatchString(name) }

// Check reports everything that is wrong with the configuration, without reaching
// anything.
func (c *Config) Check() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !ValidName(c.Name) {
		wrong("name: %q is not 1 to 63 small letters, digits and hyphens, beginning with a letter or digit", c.Name)
	}
	switch c.Kind {
	case Stdio:
		if err := c.process().Check(); err != nil {
			errs = append(errs, err)
		}
		if c.URL != "" || len(c.Headers) > 0 || c.AllowPrivate || !c.Auth.IsZero() {
			wrong("url: a server of kind stdio has no url, headers, allow_private and auth; use kind http")
		}
	case HTTP, SSE:
		if _, err := c.url(); err != nil {
			wrong("url: %w", err)
		}
		if len(c.Command)+len(c.Env)+len(c.PassEnv)+len(c.Files.Read)+len(c.Files.Write) > 0 || c.Dir != "" || c.Sandbox != "" || c.Require || c.Singleton || c.Limits != (Limits{}) {
			wrong("command: a server of kind %s is no process of ours; leave command, dir, env, pass_env, sandbox, require, files, limits and singleton out", c.Kind)
		}
	default:
		wrong("kind: %q is none of stdio, http and sse", c.Kind)
	}
	for name, value := range c.Headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			wrong("headers: %q cannot be sent", name)
		} else if ours := http.CanonicalHeaderKey(name); strings.HasPrefix(ours, "Mcp-") || reserved[ours] {
			wrong("headers: %s is set by the protocol; leave it out", ours)
		}
	}
	if err := c.checkAuth(); err != nil {
		errs = append(errs, err)
	}
	if _, ok := eras[c.Era]; !ok {
		wrong("era: %q is none of auto, legacy and modern", c.Era)
	}
	if c.Timeout < 0 || time.Duration(c.Timeout) > MaxTimeout {
		wrong("timeout: %v is not between 0 and %v", time.Duration(c.Timeout), MaxTimeout)
	}
	if c.Concurrency < 0 || c.Concurrency > MaxConcurrency {
		wrong("concurrency: %d is not between 0 and %d", c.Concurrency, MaxConcurrency)
	}
	return errors.Join(errs...)
}

func (c *Config) checkAuth() error {
	if c.Auth.IsZero() {
		return nil
	}
	var errs []error
	if err := c.Auth.Check(); err != nil {
		errs = append(errs, fmt.Errorf("auth: %w", err))
	}
	if c.Auth.ClientSecret != "" && len(catalog.References(c.Auth.ClientSecret)) == 0 {
		errs = append(errs, errors.New("auth.client_secret: no secret is kept here; put it into the environment of the gateway or the file of world.secrets, and write ${NAME} in its place"))
	}
	for name := range c.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			errs = append(errs, errors.New("auth: its token is sent in the header Authorization; take that out of headers, or leave auth out"))
		}
	}
	return errors.Join(errs...)
}

// reserved are headers that the transport or the protocol sets.
var reserved = map[string]bool{"Accept": true, "Accept-Encoding": true, "Connection": true, "Content-Length": true, "Content-Type": true, "Host": true, "Last-Event-Id": true, "Transfer-Encoding": true}

var eras = map[string]session.Era{"": session.Auto, "auto": session.Auto, "legacy": session.Legacy, "modern": session.Modern}

func (c *Config) url() (*url.URL, error) {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return nil, errors.New("it is no URL") // the error would quote a password
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return nil, fmt.Errorf("%.200q is no address with https or http and a host", c.URL)
	case u.User != nil:
		return nil, errors.New("it holds a name or password; use headers with ${VAR}")
	}
	u.Fragment = ""
	return u, nil
}

func (c *Config) timeout() time.Duration { return cmp.Or(time.Duration(c.Timeout), DefaultTimeout) }
func (c *Config) concurrency() int       { return cmp.Or(c.Concurrency, DefaultConcurrency) }
