package signin

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/glovebox-run/glovebox/host/netguard"
)

// Ways to a token.
const (
	Code              = "code"               // a person signs in, in a browser
	ClientCredentials = "client_credentials" // the gateway's own account
)

// Config is how a server's tokens are got. The zero Config gets none.
type Config struct {
	Grant string `json:"grant"`
	// ClientID and ClientSecret are from the issuer, if it knows us already. With Code they
	// may be empty: then the issuer reads ClientMetadata, or registers us.
	ClientID     string `json:"client_id,omitempty"`
	ClientSecret string `json:"client_secret,omitempty"`
	// ClientMetadata is the https address of a document that describes the client.
	ClientMetadata string `json:"client_metadata,omitempty"`
	// Issuer is the one authorization server to trust; empty is the one the server names.
	// With ClientSecret it is required: the secret is for nobody else.
	Issuer string `json:"issuer,omitempty"`
	// Scopes to ask for; empty is what the server says it needs.
	Scopes []string `json:"scopes,omitempty"`
	// RedirectPort is the loopback port the browser comes back to, for issuers that
	// compare it; 0 is any.
	RedirectPort int `json:"redirect_port,omitempty"`
}

// IsZero reports whether nothing is configured.
func (c Config) IsZero() bool {
	return c.Grant == "" && c.ClientID == "" && c.ClientSecret == "" && c.ClientMetadata == "" && c.Issuer == "" && len(c.Scopes) == 0 && c.RedirectPort == 0
}

// Check reports everything that is wrong with a Config.
func (c Config) Check() error {
	var errs []error
	wrong := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	switch c.Grant {
	case Code:
	case ClientCredentials:
		if c.ClientID == "" || c.ClientSecret == "" {
			wrong("client_credentials: client_id and client_secret are needed")
		}
	default:
		wrong("grant: %q is neither %s nor %s", c.Grant, Code, ClientCredentials)
	}
	if c.ClientSecret != "" && c.ClientID == "" {
		wrong("client_secret: it needs the client_id it belongs to")
	}
	if c.ClientSecret != "" && c.Issuer == "" {
		wrong("issuer: name the one that client_secret is for; without it, the server could choose who gets the secret")
	}
	if c.Issuer != "" && !secure(c.Issuer) {
		wrong("issuer: %.200q is no https address", c.Issuer)
	}
	if u, err := url.Parse(c.ClientMetadata); c.ClientMetadata != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.Path == "" || u.Path == "/") {
		wrong("client_metadata: %.200q is no https address with a path", c.ClientMetadata)
	}
	if len(validScopes(c.Scopes)) != len(c.Scopes) {
		wrong("scopes: at most %d, each of visible characters without quotes", maxScopes)
	}
	if c.RedirectPort < 0 || c.RedirectPort > 65535 {
		wrong("redirect_port: %d is no port", c.RedirectPort)
	}
	return errors.Join(errs...)
}

// secure reports whether an address may be told secrets: https, or this machine.
func secure(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname())
}

func loopback(host string) bool {
	h, err := netguard.ParseHost(host)
	if err != nil {
		return false
	}
	a, isAddress := h.Addr()
	return host == "localhost" || isAddress && a.IsLoopback()
}

const (
	// maxScopes bounds the scopes of one token; the longest list of a large provider that
	// one tool asks for has about 20.
	maxScopes = 64
	// maxScope bounds one scope, in bytes; Google's are addresses of 80.
	maxScope = 256
)

// validScopes leaves out what is no scope (RFC 6749, 3.3), and what is too many.
func validScopes(all []string) []string {
	var valid []string
	for _, s := range all {
		bad := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }
		if s != "" && len(s) <= maxScope && !strings.ContainsFunc(s, bad) && len(valid) < maxScopes {
			valid = append(valid, s)
		}
	}
	return valid
}

// Options are what a [Client] is made of.
type Options struct {
	Name   string // of the upstream
	URL    string // where it is; tokens are for this resource alone
	Config Config // secrets are looked up already
	Vault  *Vault // where a person's tokens are kept; ClientCredentials needs none

	Resolve netguard.Resolve
	Dial    netguard.Dial
	// AllowPrivate permits an issuer on this machine or in a private network.
	AllowPrivate bool
	Roots        *x509.CertPool // nil is the system's
	Now          func() time.Time
}

// authStyle is how a client proves who it is, of what the issuer takes. What it does not say is the
// default of RFC 8414. It is never tried out: a second try sends a refresh token twice.
func authStyle(secret string, methods []string) oauth2.AuthStyle {
	if secret == "" {
		return oauth2.AuthStyleInParams
	}
	for _, m := range methods {
		switch m {
		case "client_secret_post":
			return oauth2.AuthStyleInParams
		case "client_secret_basic":
			return oauth2.AuthStyleInHeader
		}
	}
	return oauth2.AuthStyleInHeader
}
