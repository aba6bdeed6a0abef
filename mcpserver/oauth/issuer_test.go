package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/glovebox-run/glovebox/internal/issuertest"
)

const resource = "https://tools.example/mcp"

// server is an authorization server: it signs tokens, publishes its keys, answers
// introspection requests, and can be made to misbehave.
type server struct {
	*httptest.Server
	t testing.TB

	mu       sync.Mutex
	keys     []jose.JSONWebKey         // with their private parts
	active   map[string]map[string]any // introspection answers, by token
	requests map[string]int            // by path
	instead  map[string]http.HandlerFunc
	clock    time.Time
}

func newServer(t testing.TB, keys ...jose.JSONWebKey) *server {
	t.Helper()
	s := &server{t: t, keys: keys, active: map[string]map[string]any{}, requests: map[string]int{}, instead: map[string]http.HandlerFunc{}, clock: time.Unix(1_800_000_000, 0)}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests[r.URL.Path]++
	instead := s.instead[r.URL.Path]
	var public jose.JSONWebKeySet
	for _, k := range s.keys {
		public.Keys = append(public.Keys, k.Public())
	}
	answer := s.active[r.PostFormValue("token")]
	s.mu.Unlock()
	if instead != nil {
		instead(w, r)
		return
	}
	var document any
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server/realm":
		document = map[string]any{"issuer": s.issuer(), "jwks_uri": s.URL + "/keys", "introspection_endpoint": s.URL + "/introspect"}
	case "/keys":
		document = public
	case "/introspect":
		id, secret, _ := r.BasicAuth()
		if id, _ = url.QueryUnescape(id); r.Method != http.MethodPost || id != "glove:box" || secret != "s3cret" {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		if answer == nil {
			answer = map[string]any{"active": false}
		}
		document = answer
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(document)
}

func (s *server) issuer() string { return s.URL + "/realm" }

// misbehave replaces the handler of a path; nil restores it.
func (s *server) misbehave(path string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead[path] = h
}

func (s *server) asked(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[path]
}

func (s *server) replaceKeys(keys ...jose.JSONWebKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = keys
}

func (s *server) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock
}

func (s *server) later(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock = s.clock.Add(d)
}

// guard returns a guard that uses the server and the server's clock.
func (s *server) guard(change func(*Config)) *Guard {
	s.t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	c := Config{Issuer: s.issuer(), Resource: resource, Roots: roots, Timeout: 2 * time.Second}
	if change != nil {
		change(&c)
	}
	g, err := open(c, s.now)
	if err != nil {
		s.t.Fatal(err)
	}
	return g
}

// claims returns the claims of a valid token, with some replaced; nil removes one.
func (s *server) claims(replace map[string]any) map[string]any {
	now := s.now().Unix()
	c := map[string]any{"iss": s.issuer(), "sub": "alice", "aud": resource, "client_id": "editor", "scope": "tools:read tools:run", "exp": now + 600, "iat": now, "nbf": now}
	maps.Copy(c, replace)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

// token signs claims into an access token.
func (s *server) token(key jose.JSONWebKey, replace map[string]any) string {
	return issuertest.Sign(s.t, jose.SignatureAlgorithm(key.Algorithm), key.Key, map[jose.HeaderKey]any{"typ": "at+jwt", "kid": key.KeyID}, s.claims(replace))
}

// Generating keys takes a while, so the tests share them.
var (
	rsaKey = sync.OnceValue(func() crypto.Signer { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	ecKey  = sync.OnceValue(func() crypto.Signer { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func jwk(kid string, alg jose.SignatureAlgorithm, key any) jose.JSONWebKey {
	return jose.JSONWebKey{KeyID: kid, Algorithm: string(alg), Use: "sig", Key: key}
}

// everyKind returns one key for each accepted algorithm.
func everyKind(t testing.TB) (keys []jose.JSONWebKey) {
	t.Helper()
	for _, alg := range algorithms {
		var key any
		switch alg {
		case jose.ES256:
			key = ecKey()
		case jose.ES384:
			key = must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
		case jose.ES512:
			key = must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))
		case jose.EdDSA:
			_, private, err := ed25519.GenerateKey(rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			key = private
		default:
			key = rsaKey()
		}
		keys = append(keys, jwk(fmt.Sprint("key-", alg), alg, key))
	}
	return keys
}
