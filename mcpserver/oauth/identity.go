package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/oauth2"
)

// Identity is somebody who has signed in.
type Identity struct {
	Issuer  string
	Subject string
	Client  string // this program, as the issuer knows it
	Claims  Claims
	// Leave is the issuer's page that ends the session there; empty if it has none
	// (OpenID Connect RP-Initiated Logout).
	Leave string
}

// Principal names a person in one line, as [Grant.Principal] names a caller.
func (i *Identity) Principal() string { return principal(i.Issuer, i.Subject, i.Client) }

func principal(issuer, subject, client string) string {
	return "oauth:" + strconv.Quote(issuer) + " " + strconv.Quote(subject) + " " + strconv.Quote(client)
}

// identify checks the token that says who signed in.
func (p *Party) identify(ctx context.Context, m metadata, b Begun, token *oauth2.Token) (*Identity, error) {
	want, audience, text := idToken, p.config.ClientID, ""
	text, _ = token.Extra("id_token").(string)
	hint := text
	if p.config.Audience != "" {
		want, audience, text = accessToken, p.config.Audience, token.AccessToken
	}
	not := func(why string) error { return &Invalid{Why: why, what: want.name} }
	switch {
	case text == "":
		return nil, not("the issuer sent none")
	case len(text) > maxToken:
		return nil, not("it is too long")
	}
	payload, err := p.issuer.payload(ctx, text, p.accepted, want)
	var c claims
	if err == nil {
		c, err = claimsOf(payload)
	}
	if err == nil {
		err = c.hold(p.config.Issuer, []string{audience}, p.issuer.now(), p.config.Skew)
	}
	if bad := (*Invalid)(nil); errors.As(err, &bad) {
		return nil, not(bad.Why)
	} else if err != nil {
		return nil, err
	}
	var all Claims
	if err := json.Unmarshal(payload, &all); err != nil {
		return nil, not("its claims cannot be read")
	}
	if want == idToken {
		switch nonce, _ := all.Text("nonce"); {
		case subtle.ConstantTimeCompare([]byte(nonce), []byte(b.Nonce)) != 1:
			return nil, not("it was made for another sign-in")
		case c.Issued == 0:
			return nil, not("it does not say when it was issued")
		case c.Party != "" && c.Party != audience, c.Party == "" && len(c.Audience) > 1:
			// OpenID Connect Core, 3.1.3.7: several audiences, and it is not ours.
			return nil, not("it was made for another program")
		}
	}
	return &Identity{Issuer: p.config.Issuer, Subject: c.Subject, Client: p.config.ClientID, Claims: all, Leave: p.leave(m, hint)}, nil
}

// leave returns the address that ends a session at the issuer. The person stays there:
// no address to come back to has to be registered.
func (p *Party) leave(m metadata, hint string) string {
	u, err := url.Parse(m.EndSessionEndpoint)
	if err != nil || secure(m.EndSessionEndpoint, "end_session_endpoint") != nil {
		return ""
	}
	q := u.Query()
	q.Set("client_id", p.config.ClientID)
	if hint != "" {
		q.Set("id_token_hint", hint)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// Claims are what a token says about a person, by name.
type Claims map[string]jsontext.Value

// Errors of [Claims.Texts].
var (
	ErrNoClaim   = errors.New("there is no such claim")
	ErrClaimType = errors.New("the claim is neither a text nor a list of texts")
)

// Texts returns a claim that is a text or a list of texts. A name that no claim has leads
// into objects at its dots, such as realm_access.roles.
func (c Claims) Texts(name string) ([]string, error) {
	value, found := c[name]
	for !found {
		outer, inner, more := strings.Cut(name, ".")
		var within Claims
		if !more || json.Unmarshal(c[outer], &within) != nil {
			return nil, ErrNoClaim
		}
		c, name = within, inner
		value, found = c[name]
	}
	var list texts
	if value.Kind() == 'n' {
		return nil, ErrNoClaim
	} else if err := json.Unmarshal(value, &list); err != nil {
		return nil, ErrClaimType
	}
	return list, nil
}

// Text returns a claim that is one text.
func (c Claims) Text(name string) (text string, ok bool) {
	err := json.Unmarshal(c[name], &text)
	return text, err == nil && c[name].Kind() == '"'
}

// True reports whether a claim is true. Some issuers write it as a text.
func (c Claims) True(name string) bool {
	value := string(c[name])
	return value == "true" || value == `"true"`
}
