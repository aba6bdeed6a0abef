package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// place is where tokens for a server come from.
type place struct {
	resource string
	issuer   *oauthex.AuthServerMeta
	scopes   []string // that the server says it needs
}

// discover finds the authorization server of a server, by its protected-resource metadata
// (RFC 9728), or by the server's own address, as before 2025-06-18. Endpoints are never guessed.
func (c *Client) discover(ctx context.Context) (place, error) {
	challenged, err := c.challenges(ctx)
	if err != nil {
		return place{}, err
	}
	found := place{resource: c.url.String(), scopes: validScopes(scopesOf(challenged))}
	issuer := (&url.URL{Scheme: c.url.Scheme, Host: c.url.Host}).String()
	metadata, err := c.resourceMetadata(ctx, challenged)
	if err != nil {
		return place{}, err
	}
	if metadata != nil {
		found.resource = metadata.Resource
		if len(metadata.AuthorizationServers) == 0 {
			return place{}, errors.New("its metadata names no authorization server")
		}
		issuer = metadata.AuthorizationServers[0]
		if i := slices.IndexFunc(metadata.AuthorizationServers, c.trusts); c.config.Issuer != "" && i >= 0 {
			issuer = metadata.AuthorizationServers[i]
		}
		if len(found.scopes) == 0 {
			found.scopes = validScopes(metadata.ScopesSupported)
		}
	}
	if c.config.Issuer != "" && !c.trusts(issuer) {
		return place{}, fmt.Errorf("its metadata does not name %s, the issuer of the configuration", c.config.Issuer)
	}
	found.issuer, err = auth.GetAuthServerMetadata(ctx, issuer, c.http)
	switch {
	case err != nil:
		return place{}, fmt.Errorf("metadata of the authorization server: %w", undressed(err))
	case found.issuer == nil:
		return place{}, errors.New("its authorization server has no metadata; ask its operator for an address that has, and name it as issuer")
	case !secure(found.issuer.TokenEndpoint):
		return place{}, errors.New("its authorization server has no token endpoint with https")
	}
	return found, nil
}

func (c *Client) trusts(issuer string) bool {
	return strings.TrimSuffix(issuer, "/") == strings.TrimSuffix(c.config.Issuer, "/")
}

// challenges asks the server without a token; what it answers with 401 may say where its
// metadata is and which scopes it needs.
func (c *Client) challenges(ctx context.Context) ([]oauthex.Challenge, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("the server cannot be asked: %w", err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized {
		return nil, nil
	}
	return challengesOf(answer), nil
}

// challengesOf reads the challenges of an answer; a header that is none is not there.
func challengesOf(answer *http.Response) []oauthex.Challenge {
	all, err := oauthex.ParseWWWAuthenticate(answer.Header.Values("WWW-Authenticate"))
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(c oauthex.Challenge) bool { return c.Scheme != "bearer" })
}

func scopesOf(all []oauthex.Challenge) []string {
	for _, c := range all {
		if s := c.Params["scope"]; s != "" {
			return strings.Fields(s)
		}
	}
	return nil
}

// resourceMetadata looks where the server says, and then at the two places of RFC 9728. Not
// found is nil; metadata that is for another resource is an error.
func (c *Client) resourceMetadata(ctx context.Context, challenged []oauthex.Challenge) (*oauthex.ProtectedResourceMetadata, error) {
	root := &url.URL{Scheme: c.url.Scheme, Host: c.url.Host}
	well := root.JoinPath("/.well-known/oauth-protected-resource")
	places := [][2]string{{well.JoinPath(c.url.Path).String(), c.url.String()}, {well.String(), root.String()}}
	for _, one := range challenged {
		if said := one.Params["resource_metadata"]; said != "" {
			places = [][2]string{{said, c.url.String()}, {said, root.String()}} // it may protect all of its origin
		}
	}
	var errs []error
	for _, p := range places {
		metadata, err := oauthex.GetProtectedResourceMetadata(ctx, p[0], p[1], c.http)
		if err == nil {
			return metadata, nil
		}
		if !strings.Contains(err.Error(), "bad status 404") {
			errs = append(errs, undressed(err))
		}
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("metadata of the server: %w", errs[len(errs)-1])
	}
	return nil, nil
}

// longestSaid bounds what of an error of the SDK is repeated, in bytes; it quotes addresses.
const longestSaid = 300

// undressed keeps an error's type away and quotes its text, parts of which are the server's.
func undressed(err error) error { return fmt.Errorf("%.*q", longestSaid, err.Error()) }
