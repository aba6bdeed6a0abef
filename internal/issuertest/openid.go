package issuertest

import (
	"crypto/rand"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// OpenID adds to an [Authorization] what people need to sign in: ID tokens for requests
// with the scope openid, signed by the key of an [Issuer], whose page of keys and whose end
// of sessions are in the metadata.
type OpenID struct {
	*Authorization
	Keys *Issuer
	t    testing.TB
}

// StartOpenID runs an issuer that knows one client, until the test ends.
func StartOpenID(t testing.TB, client, secret string) *OpenID {
	t.Helper()
	o := &OpenID{StartAuthorization(t), Start(t), t}
	o.Client(client, secret)
	o.Set(func(k *Knobs) {
		k.Person = Person{"sub": "alice"}
		k.Also = map[string]http.HandlerFunc{"/keys": o.Keys.ServeHTTP, "/logout": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("Signed out at the issuer.")) }}
		k.Metadata = func(m map[string]any) {
			m["jwks_uri"], m["end_session_endpoint"] = o.URL+"/keys", o.URL+"/logout"
		}
		k.IDToken = func(s SignedIn) string { return o.IDToken(s, nil) }
	})
	return o
}

// Person is what ID tokens say about whoever signs in.
type Person map[string]any

// SignedIn is a person whose code is exchanged.
type SignedIn struct {
	Client, Nonce string
	Person        Person
}

// IDToken signs an ID token with some claims replaced; nil removes one.
func (o *OpenID) IDToken(s SignedIn, replace map[string]any) string {
	return o.Sign(o.Claims(s, replace))
}

// Claims are those of an ID token, with some replaced; nil removes one.
func (o *OpenID) Claims(s SignedIn, replace map[string]any) map[string]any {
	now := time.Now().Unix()
	claims := map[string]any{"iss": o.URL, "aud": s.Client, "nonce": s.Nonce, "exp": now + 300, "iat": now, "jti": rand.Text()}
	maps.Copy(claims, s.Person)
	maps.Copy(claims, replace)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	return claims
}

// Sign signs anything with the issuer's key.
func (o *OpenID) Sign(claims any) string {
	return Sign(o.t, jose.ES256, o.Keys.key, map[jose.HeaderKey]any{"typ": "JWT", "kid": keyID}, claims)
}
