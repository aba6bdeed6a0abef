package oauth

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/glovebox-run/glovebox/internal/osfile"
	"github.com/glovebox-run/glovebox/mcpserver/internal/wildcard"
	"github.com/glovebox-run/glovebox/risk"
)

// Config is an operator's settings for an authorization server.
type Config struct {
	// Issuer is the authorization server, exactly as its tokens name it.
	Issuer string
	// Resource is the URL that clients use for the MCP endpoint, such as
	// https://tools.example.com/mcp. A token must be issued for it: its audience is
	// the resource of RFC 8707.
	Resource string
	// Audiences are further audiences that mean this server, for issuers without
	// support for resources.
	Audiences []string
	// Algorithms are the accepted signature algorithms, a subset of what
	// [Algorithms] lists; default all of them.
	Algorithms []string
	// Skew is the allowed difference between the clocks of issuer and server;
	// default 30 s, at most 5 minutes.
	Skew time.Duration
	// Introspect asks the issuer about every token (RFC 7662) instead of checking
	// its signature. A revoked token then stops working within Cache.
	Introspect bool
	// ClientID identifies this server to the issuer, for introspection.
	ClientID string
	// SecretFile holds the secret for ClientID, mode 0600.
	SecretFile string
	// Cache is how long the issuer's answer about a token is cached; default 15 s,
	// at most 5 minutes. A negative value disables the cache.
	Cache time.Duration
	// Timeout bounds one request to the issuer; default 5 s.
	Timeout time.Duration
	// Scopes say which tools need which scopes. Without any, a valid token may call
	// every tool.
	Scopes []Rule
	// Roots are the certificate authorities trusted for the issuer; nil for the
	// system's.
	Roots *x509.CertPool
}

// ParseRule parses a rule such as "mail_*=mail:send": the tools, and their scopes
// separated by spaces. "L4=danger" is for tools at that level and above, "*=tools"
// for all.
func ParseRule(text string) (Rule, error) {
	tools, scopes, _ := strings.Cut(text, "=")
	r := Rule{Tool: strings.TrimSpace(tools), Scopes: strings.Fields(scopes)}
	if level, err := risk.ParseLevel(r.Tool); err == nil {
		r.Tool, r.Level = "", level
	} else if r.Tool == "" {
		return r, fmt.Errorf("%q names no tools: want TOOLS=SCOPES, such as mail_*=mail:send", text)
	}
	return r, r.check()
}

func (r Rule) check() error {
	if len(r.Scopes) == 0 {
		return errors.New("a scope rule wants no scope: want TOOLS=SCOPES, such as mail_*=mail:send")
	}
	for _, s := range r.Scopes {
		if !validScope(s) {
			return fmt.Errorf("%q is no scope (RFC 6749, 3.3)", s)
		}
	}
	return nil
}

// Rule requires scopes for some tools. A tool needs the scopes of every rule that
// matches it.
type Rule struct {
	// Tool is a name in which * stands for any characters; empty for every tool.
	Tool string
	// Level matches tools at this risk level or above; Unrated matches all.
	Level risk.Level
	// Scopes must all be in the token.
	Scopes []string
}

func (r Rule) matches(tool string, level risk.Level) bool {
	if r.Tool != "" && !wildcard.Match(r.Tool, tool) {
		return false
	}
	// An unrated tool may be anything.
	return level == risk.Unrated || level >= r.Level
}

// algorithms are the signature algorithms that can be accepted. Symmetric ones are
// excluded: anybody could sign with the public key as the secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// Algorithms lists the signature algorithms that can be accepted.
func Algorithms() []string {
	var names []string
	for _, a := range algorithms {
		names = append(names, string(a))
	}
	return names
}

// plainPath matches paths that mean the same in a URL, a header and a route.
var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*/?$`)

// Check reports what is wrong with the configuration, as far as possible without
// asking the issuer.
func (c Config) Check() error {
	if err := secure(c.Issuer, "issuer"); err != nil {
		return err
	}
	resource, err := url.Parse(c.Resource)
	switch {
	case err != nil:
		return fmt.Errorf("resource: %w", err)
	case resource.Scheme != "https" && resource.Scheme != "http" || resource.Host == "":
		return fmt.Errorf("resource %q: want the URL under which clients reach the server, such as https://tools.example.com/mcp", c.Resource)
	case resource.Fragment != "" || resource.RawQuery != "" || resource.User != nil || !plainPath.MatchString(resource.EscapedPath()):
		return fmt.Errorf("resource %q: want a URL of a host and a plain path alone", c.Resource)
	}
	if err := checkSigned(c.Algorithms, c.Skew); err != nil {
		return err
	}
	if c.Cache > 5*time.Minute {
		return fmt.Errorf("cache %v: want at most 5 minutes, since a revoked token lives on for that long", c.Cache)
	}
	if c.Introspect && c.ClientID == "" {
		return errors.New("introspection needs a client id, by which the issuer knows this server")
	}
	if !c.Introspect && (c.ClientID != "" || c.SecretFile != "") {
		return errors.New("a client id and a secret are for introspection, which is off")
	}
	for _, r := range c.Scopes {
		if err := r.check(); err != nil {
			return err
		}
	}
	return nil
}

// checkSigned checks what decides which signed tokens are accepted.
func checkSigned(names []string, skew time.Duration) error {
	for _, a := range names {
		if !slices.Contains(algorithms, jose.SignatureAlgorithm(a)) {
			return fmt.Errorf("algorithm %q: want one of %s", a, strings.Join(Algorithms(), ", "))
		}
	}
	if skew < 0 || skew > 5*time.Minute {
		return fmt.Errorf("skew %v: want at most 5 minutes", skew)
	}
	return nil
}

// validScope checks for the characters of RFC 6749, section 3.3, none of which need
// escaping in a challenge.
func validScope(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

// secure refuses a URL whose answers others could modify in transit.
func secure(text, what string) error {
	u, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if u.User != nil || u.Fragment != "" || u.Host == "" {
		return fmt.Errorf("%s %q: want a URL of a host and a path", what, text)
	}
	if u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("%s %q: want https, or http on a loopback address", what, text)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// secretIn reads the file of a secret; none has none. It refuses a file that others can
// read.
func secretIn(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("secret: %w", err)
	}
	if err := osfile.Private(file, info); err != nil {
		return "", fmt.Errorf("secret: %w", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("secret: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
