package oauth

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// signatureHolds is how long a verified signature is not verified again; the claims
// are checked each time. It saves a tenth of a millisecond per request, or three
// with ES512. A withdrawn key is accepted that much longer.
const signatureHolds = time.Minute

// maxToken bounds a token in bytes; typical tokens have one or two thousand.
const maxToken = 16 << 10

// claims are the fields used of RFC 9068 and of introspection (RFC 7662).
type claims struct {
	Active   bool           `json:"active"` // introspection only
	Issuer   string         `json:"iss"`
	Subject  string         `json:"sub"`
	Audience texts          `json:"aud"`
	Expiry   seconds        `json:"exp"`
	Before   seconds        `json:"nbf"`
	Issued   seconds        `json:"iat"`
	Client   string         `json:"client_id"`
	Party    string         `json:"azp"`   // the client, from OpenID Connect issuers
	Scope    texts          `json:"scope"` // a text, or from some issuers a list
	SCP      texts          `json:"scp"`   // the same, from other issuers
	Bound    jsontext.Value `json:"cnf"`
}

// texts is a text or a list of texts.
type texts []string

func (t *texts) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != '"' {
		return json.UnmarshalDecode(d, (*[]string)(t))
	}
	var one string
	err := json.UnmarshalDecode(d, &one)
	*t = texts{one}
	return err
}

// seconds is a NumericDate, which may have a fraction.
type seconds float64

func (s seconds) time() time.Time {
	// Times beyond year 9999 mean never, and must not overflow.
	return time.Unix(int64(min(max(float64(s), 0), 253402300799)), 0)
}

// verify checks a token's signature and claims.
func (g *Guard) verify(ctx context.Context, token string) (Grant, error) {
	if len(token) > maxToken {
		return Grant{}, invalid("it is too long")
	}
	hash := hashOf(token)
	if c, ok := g.signed.get(hash, g.now()); ok {
		return g.grant(c)
	}
	payload, err := g.issuer.payload(ctx, token, g.accepted, accessToken)
	if err != nil {
		return Grant{}, err
	}
	c, err := claimsOf(payload)
	if err != nil {
		return Grant{}, err
	}
	g.signed.put(hash, c, g.now().Add(signatureHolds))
	return g.grant(c)
}

// kind is a kind of token: what it is called, and the type that its header names.
// Older issuers name JWT or none.
type kind struct{ name, header string }

var (
	accessToken = kind{"access token", "at+jwt"} // RFC 9068
	idToken     = kind{"ID token", "id+jwt"}
)

// payload returns what the issuer has signed.
func (i *issuer) payload(ctx context.Context, token string, accepted []jose.SignatureAlgorithm, want kind) ([]byte, error) {
	if !canonical(token) {
		return nil, invalid("it is no JWT that is signed as wanted")
	}
	signed, err := jose.ParseSignedCompact(token, accepted)
	if err != nil {
		return nil, invalid("it is no JWT that is signed as wanted")
	}
	header := signed.Signatures[0].Protected
	named, _ := header.ExtraHeaders[jose.HeaderType].(string)
	switch strings.TrimPrefix(strings.ToLower(named), "application/") {
	case want.header, "jwt", "":
	default:
		return nil, invalid("it is no " + want.name)
	}
	candidates, err := i.keysFor(ctx, header.KeyID, jose.SignatureAlgorithm(header.Algorithm))
	if err != nil {
		return nil, err
	}
	for _, key := range candidates {
		if payload, err := signed.Verify(key.Key); err == nil {
			return payload, nil
		}
	}
	return nil, invalid("its signature is not the issuer's")
}

// claimsOf reads the claims of a signed token.
func claimsOf(payload []byte) (c claims, err error) {
	if err := json.Unmarshal(payload, &c); err != nil {
		return c, invalid("its claims cannot be read")
	}
	if c.Issuer == "" || c.Expiry == 0 {
		return c, invalid("it names no issuer, or no time at which it expires")
	}
	return c, nil
}

// canonical reports whether each part of a token is the canonical encoding of its
// bytes. The last character of a part may hold bits that belong to no byte; if
// these were ignored, one signature would be valid for up to sixteen tokens.
func canonical(token string) bool {
	for part := range strings.SplitSeq(token, ".") {
		if _, err := base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			return false
		}
	}
	return true
}

// grant makes a grant from claims that are known to come from the issuer.
func (g *Guard) grant(c claims) (Grant, error) {
	client := c.Client
	if client == "" {
		client = c.Party
	}
	audiences := append([]string{g.config.Resource}, g.config.Audiences...)
	if err := c.hold(g.config.Issuer, audiences, g.now(), g.config.Skew); err != nil {
		return Grant{}, err
	}
	if len(client) > maxName {
		return Grant{}, invalid("its client is too long")
	}
	grant := Grant{Issuer: g.config.Issuer, Subject: c.Subject, Client: client, rules: g.config.Scopes}
	if c.Expiry != 0 {
		grant.Expires = c.Expiry.time()
	}
	for _, list := range append(slices.Clone(c.Scope), c.SCP...) {
		grant.Scopes = append(grant.Scopes, strings.Fields(list)...)
	}
	return grant, nil
}

// hold reports why claims do not hold now, for one of our audiences.
func (c claims) hold(issuer string, audiences []string, now time.Time, skew time.Duration) error {
	switch {
	case c.Issuer != "" && c.Issuer != issuer:
		return invalid("it is of another issuer")
	case !slices.ContainsFunc(c.Audience, func(a string) bool { return slices.Contains(audiences, a) }):
		return invalid("it was not made for this server")
	case c.Expiry != 0 && !now.Before(c.Expiry.time().Add(skew)):
		return invalid("it has expired")
	case c.Before != 0 && now.Add(skew).Before(c.Before.time()):
		return invalid("it is not valid yet")
	case c.Issued != 0 && now.Add(skew).Before(c.Issued.time()):
		return invalid("it was issued in the future")
	case len(c.Bound) > 0 && string(c.Bound) != "null":
		// A thief could not use it elsewhere; here they could.
		return invalid("it is bound to a key of the client, which is not checked here")
	case c.Subject == "":
		return invalid("it names no subject")
	case len(c.Subject) > maxName:
		return invalid("its subject is too long")
	}
	return nil
}

// Invalid is the error of a rejected token, or of what a browser brought back. Why is for
// the client and reveals nothing it did not send.
type Invalid struct {
	Why  string
	what string // an access token if empty
}

func (e *Invalid) Error() string {
	return fmt.Sprintf("the %s is not valid: %s", cmp.Or(e.what, accessToken.name), e.Why)
}

func invalid(why string) error { return &Invalid{Why: why} }
