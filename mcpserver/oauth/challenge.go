package oauth

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/glovebox-run/glovebox/risk"
)

// metadataPath is the path of a protected resource's metadata (RFC 9728, 3).
const metadataPath = "/.well-known/oauth-protected-resource"

// MetadataPaths returns the paths that must serve the metadata: that of the
// resource, and that of the whole host, where some clients look.
func (g *Guard) MetadataPaths() []string {
	resource, _ := url.Parse(g.config.Resource) // Check has parsed it
	if path := strings.TrimSuffix(resource.Path, "/"); path != "" {
		return []string{metadataPath + path, metadataPath}
	}
	return []string{metadataPath}
}

// Resource is the URL that tokens must be issued for.
func (g *Guard) Resource() string { return g.config.Resource }

// Host is the host name that clients use to reach the server.
func (g *Guard) Host() string {
	resource, _ := url.Parse(g.config.Resource)
	return resource.Hostname()
}

// Metadata serves the metadata, which is public.
func (g *Guard) Metadata() http.Handler {
	var scopes []string
	for _, r := range g.config.Scopes {
		scopes = append(scopes, r.Scopes...)
	}
	slices.Sort(scopes)
	return auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource:               g.config.Resource,
		AuthorizationServers:   []string{g.config.Issuer},
		ScopesSupported:        slices.Compact(scopes),
		BearerMethodsSupported: []string{"header"},
	})
}

// Challenge returns the value of WWW-Authenticate for a request without a token
// (err nil), or with an invalid one.
func (g *Guard) Challenge(err error) string {
	c := challenge{}
	if invalid := (*Invalid)(nil); errors.As(err, &invalid) {
		c.add("error", "invalid_token")
		c.add("error_description", invalid.Why)
	}
	// The scopes every tool needs; those of a single tool are reported when it is
	// called.
	c.add("scope", strings.Join(needs(g.config.Scopes, "", risk.L0), " "))
	c.add("resource_metadata", g.metadataURL())
	return c.String()
}

// Insufficient returns the value of WWW-Authenticate for a call whose token lacks
// scopes. It asks for these and for the relevant ones the token already has, so
// that the next token can do what this one could.
func (g *Guard) Insufficient(grant Grant, lacks []string) string {
	scopes := slices.Clone(lacks)
	for _, r := range g.config.Scopes {
		for _, s := range r.Scopes {
			if slices.Contains(grant.Scopes, s) {
				scopes = append(scopes, s)
			}
		}
	}
	slices.Sort(scopes)
	c := challenge{}
	c.add("error", "insufficient_scope")
	c.add("error_description", "the tool needs the scope "+strings.Join(lacks, " "))
	c.add("scope", strings.Join(slices.Compact(scopes), " "))
	c.add("resource_metadata", g.metadataURL())
	return c.String()
}

func (g *Guard) metadataURL() string {
	resource, _ := url.Parse(g.config.Resource)
	return resource.Scheme + "://" + resource.Host + g.MetadataPaths()[0]
}

// challenge is a list of parameters. Their values contain no quotes or backslashes:
// they are constants of ours, or checked scopes and URLs.
type challenge []string

func (c *challenge) add(name, value string) {
	if value != "" {
		*c = append(*c, name+`="`+value+`"`)
	}
}

func (c challenge) String() string { return strings.TrimSpace("Bearer " + strings.Join(c, ", ")) }
