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

// metadataPath is where the metadata of a protected resource lies (RFC 9728, 3).
const metadataPath = "/.well-known/oauth-protected-resource"

// MetadataPaths are the paths at which the metadata is to be served: that of the
// resource, and that of the whole host, where some clients look.
func (g *Guard) MetadataPaths() []string {
	resource, _ := url.Parse(g.config.Resource) // Check has parsed it
	if path := strings.TrimSuffix(resource.Path, "/"); path != "" {
		return []string{metadataPath + path, metadataPath}
	}
	return []string{metadataPath}
}

// Resource is the URL that tokens must be made for.
func (g *Guard) Resource() string { return g.config.Resource }

// Host is the name under which clients reach the server.
func (g *Guard) Host() string {
	resource, _ := url.Parse(g.config.Resource)
	return resource.Hostname()
}

// Metadata answers requests for the metadata, which is public.
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

// Challenge is the value of WWW-Authenticate for a request without a token (err
// nil), or with one that is not valid.
func (g *Guard) Challenge(err error) string {
	c := challenge{}
	if invalid := (*Invalid)(nil); errors.As(err, &invalid) {
		c.add("error", "invalid_token")
		c.add("error_description", invalid.Why)
	}
	// What every tool needs; what a single one needs is said when it is called.
	c.add("scope", strings.Join(needs(g.config.Scopes, "", risk.L0), " "))
	c.add("resource_metadata", g.metadataURL())
	return c.String()
}

// Insufficient is the value of WWW-Authenticate for a call whose token lacks
// scopes. It asks for these and for those that the token has and that matter here,
// so that the next token can do what this one could.
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

// challenge is a list of parameters. Their values have no quotes and backslashes:
// they are ours, or checked scopes and URLs.
type challenge []string

func (c *challenge) add(name, value string) {
	if value != "" {
		*c = append(*c, name+`="`+value+`"`)
	}
}

func (c challenge) String() string { return strings.TrimSpace("Bearer " + strings.Join(c, ", ")) }
