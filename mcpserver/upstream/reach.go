package upstream

import (
	"net/http"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
)

// Reach is how a server of kind http or sse is reached, for who looks at it on a
// connection of their own.
type Reach struct {
	URL          string
	Header       http.Header
	AllowPrivate bool
	// Tokens adds the server's tokens to requests that they are for; nil without auth.
	Tokens func(http.RoundTripper) http.RoundTripper
	// Secrets returns what must not be shown.
	Secrets func() []string
}

// Reach resolves the configuration. It reaches nothing.
func (u *Upstream) Reach() (Reach, error) {
	reached, secrets, err := u.config.resolved(u.options.Lookup)
	if err != nil {
		return Reach{}, err
	}
	client, err := u.signIn(&reached)
	if err != nil {
		return Reach{}, err
	}
	r := Reach{URL: reached.URL, Header: http.Header{}, AllowPrivate: u.config.AllowPrivate, Secrets: func() []string { return withTokens(secrets, client) }}
	for name, value := range reached.Headers {
		r.Header.Set(name, value)
	}
	if client != nil {
		r.Tokens = client.Transport
	}
	return r, nil
}

func withTokens(secrets []string, client *signin.Client) []string {
	if client == nil {
		return secrets
	}
	return append(client.Secrets(), secrets...)
}
