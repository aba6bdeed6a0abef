// Package issuertest is an OAuth authorization server on loopback: [Issuer] for tests of
// whoever admits its access tokens, [Authorization] for tests of clients,
// [OpenID] for tests of programs that people sign in to.
package issuertest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// keyID is the name of the one key.
const keyID = "1"

// Issuer publishes its metadata (RFC 8414) and one key; its URL is its name.
type Issuer struct {
	*httptest.Server
	// Broken makes it answer 502.
	Broken atomic.Bool

	key *ecdsa.PrivateKey
}

// Start runs an issuer until the test ends.
func Start(t testing.TB) *Issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &Issuer{key: key}
	i.Server = httptest.NewServer(i)
	t.Cleanup(i.Close)
	return i
}

func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case i.Broken.Load():
		w.WriteHeader(http.StatusBadGateway)
	case r.URL.Path == "/.well-known/oauth-authorization-server":
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, i.URL, i.URL+"/keys")
	case r.URL.Path == "/keys":
		json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{KeyID: keyID, Key: i.key.Public()}}})
	default:
		http.NotFound(w, r)
	}
}

// Public is the key that its tokens are checked with.
func (i *Issuer) Public() crypto.PublicKey { return i.key.Public() }

// Token returns an access token for ten minutes, made for a resource, with some
// claims replaced.
func (i *Issuer) Token(t testing.TB, resource, subject, scopes string, replace map[string]any) string {
	t.Helper()
	now := time.Now().Unix()
	claims := map[string]any{"iss": i.URL, "sub": subject, "aud": resource, "client_id": "editor", "scope": scopes, "exp": now + 600, "iat": now, "jti": rand.Text()}
	maps.Copy(claims, replace)
	return Sign(t, jose.ES256, i.key, map[jose.HeaderKey]any{"typ": "at+jwt", "kid": keyID}, claims)
}

// Sign returns a JWT of anything.
func Sign(t testing.TB, algorithm jose.SignatureAlgorithm, key any, header map[jose.HeaderKey]any, payload any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, &jose.SignerOptions{ExtraHeaders: header})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}
