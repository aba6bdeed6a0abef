package signin

import (
	"net/http"
	"slices"
	"strings"
)

// Transport sends requests with the server's token through another one. Requests to another
// origin, as after a redirect, pass without it. A token that the server refuses is renewed once
// and the request sent again, if its body can be read again.
//
// Errors that a person has to do something about are a [*LoginRequired] or a [*ScopeRequired].
func (c *Client) Transport(base http.RoundTripper) http.RoundTripper { return &transport{c, base} }

type transport struct {
	client *Client
	base   http.RoundTripper
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !t.client.protects(r) {
		return t.base.RoundTrip(r)
	}
	token, err := t.client.token(r.Context(), "")
	if err != nil {
		drop(r)
		return nil, err
	}
	answer, err := t.base.RoundTrip(with(r, token))
	if err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusUnauthorized {
		next, err := t.client.token(r.Context(), token)
		if err != nil {
			answer.Body.Close()
			return nil, err
		}
		again, ok := repeat(r)
		if !ok {
			return answer, nil // the next request has the new token
		}
		answer.Body.Close()
		if answer, err = t.base.RoundTrip(with(again, next)); err != nil {
			return nil, err
		}
		if answer.StatusCode == http.StatusUnauthorized {
			answer.Body.Close()
			return nil, t.client.loginRequired("the server refuses a token that it was given just now")
		}
	}
	if answer.StatusCode == http.StatusForbidden {
		if err := t.client.lacking(r, answer); err != nil {
			answer.Body.Close()
			return nil, err
		}
	}
	return answer, nil
}

// protects reports whether a request goes to the origin that the token is for.
func (c *Client) protects(r *http.Request) bool {
	return r.URL.Scheme == c.url.Scheme && strings.EqualFold(withPort(r.URL.Host, r.URL.Scheme), withPort(c.url.Host, c.url.Scheme)) && r.URL.User == nil
}

// withPort spells out the port that a scheme implies.
func withPort(host, scheme string) string {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host
	}
	if scheme == "http" {
		return host + ":80"
	}
	return host + ":443"
}

// with returns a request with a token. The request that was given keeps none, so that nobody
// who copies its headers, as a redirect does, takes the token along.
func with(r *http.Request, token string) *http.Request {
	sent := r.Clone(r.Context())
	sent.Header.Set("Authorization", "Bearer "+token)
	return sent
}

// repeat returns a request that can be sent a second time.
func repeat(r *http.Request) (*http.Request, bool) {
	if r.Body == nil || r.Body == http.NoBody {
		return r, true
	}
	if r.GetBody == nil {
		return nil, false
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, false
	}
	again := r.Clone(r.Context())
	again.Body = body
	return again, true
}

func drop(r *http.Request) {
	if r.Body != nil {
		r.Body.Close()
	}
}

// lacking returns the error of an answer that asks for more scopes, and notes them for the
// next login. Other answers with 403 are the server's own.
func (c *Client) lacking(r *http.Request, answer *http.Response) error {
	for _, challenge := range challengesOf(answer) {
		if challenge.Params["error"] != "insufficient_scope" {
			continue
		}
		scopes := validScopes(strings.Fields(challenge.Params["scope"]))
		if c.config.Grant == Code {
			ctx := r.Context()
			if k, revision, err := c.vault.load(ctx, c.name); err == nil && k != nil {
				all := slices.Concat(k.Wanted, scopes)
				slices.Sort(all)
				if all = validScopes(slices.Compact(all)); !slices.Equal(all, k.Wanted) {
					k.Wanted = all
					// Lost to somebody who changes it at the same time, it is asked for again.
					_, _ = c.vault.save(ctx, c.name, *k, revision)
				}
			}
		}
		return &ScopeRequired{c.name, scopes}
	}
	return nil
}
