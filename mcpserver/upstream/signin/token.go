package signin

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// maxToken bounds a token, in bytes: a server refuses longer headers.
const maxToken = 16 << 10

// ask sends one request to a token endpoint. Its parameters decide what for: the library lets
// them name the grant, and adds how the client proves who it is.
func (c *Client) ask(ctx context.Context, k kept, scopes []string, parameters url.Values) (kept, error) {
	parameters.Set("resource", k.Resource) // RFC 8707: for this server and no other
	request := clientcredentials.Config{
		ClientID: k.ClientID, ClientSecret: k.ClientSecret, TokenURL: k.TokenURL, AuthStyle: k.AuthStyle,
		Scopes: scopes, EndpointParams: parameters,
	}
	token, err := request.Token(context.WithValue(ctx, oauth2.HTTPClient, c.http))
	if err != nil {
		return kept{}, plain(err)
	}
	return c.granted(k, scopes, token)
}

// granted is a sign-in with the tokens of an answer.
func (c *Client) granted(k kept, asked []string, token *oauth2.Token) (kept, error) {
	if !isToken(token.AccessToken) || token.RefreshToken != "" && !isToken(token.RefreshToken) {
		return kept{}, errors.New("the issuer gives a token that cannot be sent")
	}
	if !strings.EqualFold(token.Type(), "Bearer") {
		return kept{}, errors.New("the issuer gives a token that is no bearer token; no other kind is used here")
	}
	k.Access, k.Obtained, k.Expires, k.Claimed = token.AccessToken, c.now(), time.Time{}, time.Time{}
	if !token.Expiry.IsZero() {
		k.Expires = k.Obtained.Add(time.Until(token.Expiry).Round(time.Second))
	}
	if token.RefreshToken != "" { // otherwise the one we have goes on (RFC 6749, 6)
		k.Refresh = token.RefreshToken
	}
	if said, ok := token.Extra("scope").(string); ok {
		k.Scopes = validScopes(strings.Fields(said))
	} else if len(asked) > 0 {
		k.Scopes = asked
	}
	k.Wanted = slices.DeleteFunc(slices.Clone(k.Wanted), func(s string) bool { return slices.Contains(k.Scopes, s) })
	return k, nil
}

// isToken reports whether a token can be sent in a header (RFC 6750, 2.1).
func isToken(s string) bool {
	return s != "" && len(s) <= maxToken && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
