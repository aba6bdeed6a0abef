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

	"github.com/glovebox-run/glovebox/risk"
)

// Config is what an operator says about an authorization server.
type Config struct {
	// Issuer is the authorization server, to the letter as its tokens name it.
	Issuer string
	// Resource is the URL under which clients reach the MCP endpoint, such as
	// https://tools.example.com/mcp. A token must be made for it: its audience is
	// the resource of RFC 8707.
	Resource string
	// Audiences are further audiences that mean this server, for issuers that know
	// no resources.
	Audiences []string
	// Algorithms are the signatures that are accepted, of those that
	// [Algorithms] lists; default all of them.
	Algorithms []string
	// Skew is how far the clocks of issuer and server may be apart; default 30 s,
	// at most 5 minutes.
	Skew time.Duration
	// Introspect asks the issuer about every token (RFC 7662) instead of checking
	// its signature. A token that was revoked then ends within Cache.
	Introspect bool
	// ClientID is this server's name with the issuer, for introspection.
	ClientID string
	// SecretFile holds the secret that goes with ClientID, mode 0600.
	SecretFile string
	// Cache is how long an answer of the issuer about a token holds; default 15 s,
	// at most 5 minutes. Negative asks every time.
	Cache time.Duration
	// Timeout bounds one request to the issuer; default 5 s.
	Timeout time.Duration
	// Scopes say which tools need which scopes. Without any, a token that is valid
	// may call every tool.
	Scopes []Rule
	// Roots are the certificate authorities of the issuer; nil for the system's.
	Roots *x509.CertPool
}

// ParseRule reads a rule such as "mail_*=mail:send": the tools, and the scopes with
// spaces between. "L4=danger" is for tools at that level and above, "*=tools" for
// all.
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

// Rule wants scopes for some tools. A tool needs what all rules that match it
// want.
type Rule struct {
	// Tool is a name in which * stands for any characters; empty for every tool.
	Tool string
	// Level matches tools at this risk level or above; Unrated for all.
	Level risk.Level
	// Scopes must all be among the token's.
	Scopes []string
}

func (r Rule) matches(tool string, level risk.Level) bool {
	if r.Tool != "" && !glob(r.Tool, tool) {
		return false
	}
	// What nobody scored may be anything.
	return level == risk.Unrated || level >= r.Level
}

// glob reports whether name fits a pattern in which * is any run of characters,
// in time linear in each part.
func glob(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[last])
}

// algorithms are the signatures that can be accepted. Symmetric ones are not
// among them: with a public key as the secret, anybody can make those.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// Algorithms lists the signatures that can be accepted.
func Algorithms() []string {
	var names []string
	for _, a := range algorithms {
		names = append(names, string(a))
	}
	return names
}

// plainPath are paths that mean the same in a URL, a header and a route.
var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*/?$`)

// Check says what is wrong with the configuration, as far as that shows without
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
	for _, a := range c.Algorithms {
		if !slices.Contains(algorithms, jose.SignatureAlgorithm(a)) {
			return fmt.Errorf("algorithm %q: want one of %s", a, strings.Join(Algorithms(), ", "))
		}
	}
	if c.Skew < 0 || c.Skew > 5*time.Minute {
		return fmt.Errorf("skew %v: want at most 5 minutes", c.Skew)
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

// validScope checks for the characters of RFC 6749, section 3.3, which are also
// those that need no escaping in a challenge.
func validScope(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

// secure refuses a URL whose answers others can change on the way.
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

// secret reads the file. One that others may read is refused.
func (c Config) secret() (string, error) {
	if c.SecretFile == "" {
		return "", nil
	}
	info, err := os.Stat(c.SecretFile)
	if err != nil {
		return "", fmt.Errorf("secret: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("secret: %s has mode %04o, so others may read it; run chmod 600 on it", c.SecretFile, info.Mode().Perm())
	}
	text, err := os.ReadFile(c.SecretFile)
	if err != nil {
		return "", fmt.Errorf("secret: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
