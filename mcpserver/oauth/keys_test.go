package oauth

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/glovebox-run/glovebox/internal/issuertest"
)

func TestRotation(t *testing.T) {
	old, next := jwk("old", jose.ES256, ecKey()), jwk("next", jose.RS256, rsaKey())
	s := newServer(t, old)
	g := s.guard(nil)
	works := func(key jose.JSONWebKey) bool {
		t.Helper()
		_, err := g.Verify(t.Context(), s.token(key, nil))
		return err == nil
	}
	if !works(old) {
		t.Fatal("the first key")
	}
	s.replaceKeys(old, next)
	if works(next) {
		t.Error("keys are fetched again within seconds")
	}
	if n := s.asked("/keys"); n != 1 {
		t.Errorf("%d requests for keys", n)
	}
	s.later(retryIssuer)
	if !works(next) || !works(old) || s.asked("/keys") != 2 {
		t.Error("a new key is not found")
	}
	// No matter how many tokens name keys that do not exist.
	for range 1000 {
		works(jwk("guess", jose.ES256, ecKey()))
	}
	s.later(retryIssuer)
	for range 1000 {
		works(jwk("guess", jose.ES256, ecKey()))
	}
	if n := s.asked("/keys"); n != 3 {
		t.Errorf("%d requests for keys", n)
	}
	// A withdrawn key is accepted only while the set is fresh.
	s.replaceKeys(next)
	s.later(keysFresh)
	works(old) // refreshes in the background
	for start := time.Now(); s.asked("/keys") < 4 || works(old); {
		if time.Since(start) > 2*time.Minute {
			t.Fatal("a withdrawn key still counts")
		}
	}
	if !works(next) {
		t.Error("the key that stays")
	}
}

// TestKeysOfOtherKinds: a set may hold keys we cannot use, but no key that anybody
// could sign with.
func TestKeysOfOtherKinds(t *testing.T) {
	s := newServer(t)
	good := jwk("good", jose.ES256, ecKey())
	small := must(rsa.GenerateKey(rand.Reader, 1024))
	document := func(keys ...any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(map[string]any{"keys": keys}) }
	}
	encryption := good.Public()
	encryption.KeyID, encryption.Use = "enc", "enc"
	s.misbehave("/keys", document(
		map[string]any{"kty": "AKP", "alg": "ML-DSA-44", "kid": "new"}, map[string]any{"kty": "oct", "kid": "oct", "k": "c2VjcmV0"}, 7, "x", nil,
		jose.JSONWebKey{KeyID: "small", Key: small.Public()}, jwk("private", jose.ES256, ecKey()), encryption, good.Public(),
	))
	g := s.guard(nil)
	for kid, want := range map[string]bool{"good": true, "private": false, "enc": false, "oct": false} {
		if _, err := g.Verify(t.Context(), s.token(jwk(kid, jose.ES256, ecKey()), nil)); (err == nil) != want {
			t.Errorf("%s: %v", kid, err)
		}
	}
	if _, err := g.Verify(t.Context(), issuertest.Sign(t, jose.RS256, small, map[jose.HeaderKey]any{"kid": "small"}, s.claims(nil))); err == nil {
		t.Error("a key of 1024 bits")
	}
}

// TestIssuerTrouble: an unreachable issuer makes no token valid, and none invalid;
// no caller waits longer than the timeout.
func TestIssuerTrouble(t *testing.T) {
	key := jwk("1", jose.ES256, ecKey())
	well := "/.well-known/oauth-authorization-server/realm"
	other := newServer(t, key)
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	for name, row := range map[string]struct {
		path string
		do   func(s *server) http.HandlerFunc
	}{
		"no metadata": {well, func(*server) http.HandlerFunc { return http.NotFound }},
		"an error": {"/keys", func(*server) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }
		}},
		"no JSON": {"/keys", func(*server) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }
		}},
		"no keys": {"/keys", func(*server) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("{}")) }
		}},
		"another's issuer": {well, func(*server) http.HandlerFunc { return other.ServeHTTP }},
		"keys over http": {well, func(s *server) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				json.NewEncoder(w).Encode(map[string]any{"issuer": s.issuer(), "jwks_uri": "http://keys.example/"})
			}
		}},
		"no address of keys": {well, func(s *server) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				json.NewEncoder(w).Encode(map[string]any{"issuer": s.issuer()})
			}
		}},
		"redirected elsewhere": {"/keys", func(*server) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/keys", http.StatusFound) }
		}},
		"redirected for ever": {"/keys", func(*server) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/keys?", http.StatusFound) }
		}},
		"a huge set": {"/keys", func(*server) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.Write([]byte(`{"keys":["`))
				for range 64 {
					if _, err := w.Write(make([]byte, 1<<20)); err != nil {
						return
					}
				}
			}
		}},
		"many keys": {"/keys", func(s *server) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				json.NewEncoder(w).Encode(map[string]any{"keys": slices.Repeat([]jose.JSONWebKey{key.Public()}, 101)})
			}
		}},
		"slow": {"/keys", func(*server) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-hang:
				case <-r.Context().Done():
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, key)
			s.misbehave(row.path, row.do(s))
			g := s.guard(func(c *Config) { c.Timeout = 100 * time.Millisecond })
			for range 3 { // the second and third are answered without a request
				if _, err := g.Verify(t.Context(), s.token(key, nil)); !errors.Is(err, ErrUnavailable) {
					t.Errorf("%v", err)
				}
			}
			if n := s.asked(row.path); n > 5 {
				t.Errorf("asked %d times", n)
			}
			s.misbehave(row.path, nil)
			// On a busy machine a good answer may take longer than the 100 ms, too.
			for began := time.Now(); ; {
				s.later(retryIssuer)
				_, err := g.Verify(t.Context(), s.token(key, nil))
				if err == nil {
					break
				}
				if time.Since(began) > 2*time.Minute {
					t.Fatalf("after it recovered: %v", err)
				}
			}
			if other.asked("/keys") > 0 {
				t.Error("followed to another host")
			}
		})
	}
}

// TestSlowIssuerHoldsNobodyUp: while the keys are fetched again, tokens with known
// keys are verified, and a cancelled request ends.
func TestSlowIssuerHoldsNobodyUp(t *testing.T) {
	key := jwk("1", jose.ES256, ecKey())
	s := newServer(t, key)
	g := s.guard(func(c *Config) { c.Timeout = time.Minute })
	good := s.token(key, nil)
	if _, err := g.Verify(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	s.later(retryIssuer)
	arrived, release := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(arrived) })
	s.misbehave("/keys", func(http.ResponseWriter, *http.Request) { once(); <-release })
	defer close(release)
	ctx, giveUp := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := g.Verify(ctx, s.token(jwk("unknown", jose.ES256, ecKey()), nil))
		ended <- err
	}()
	<-arrived
	for range 100 {
		if _, err := g.Verify(t.Context(), good); err != nil {
			t.Fatal(err)
		}
	}
	s.later(keysFresh) // the keys are due for a refresh
	if _, err := g.Verify(t.Context(), s.token(key, nil)); err != nil {
		t.Error(err)
	}
	giveUp()
	if err := <-ended; !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
	s.later(keysStale)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Verify(gone, s.token(key, nil)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("keys of long ago: %v", err)
	}
}

// TestTransport: certificates are verified, and plain HTTP works only on loopback.
func TestTransport(t *testing.T) {
	key := jwk("1", jose.ES256, ecKey())
	s := newServer(t, key)
	g := s.guard(func(c *Config) { c.Roots = x509.NewCertPool() })
	if _, err := g.Verify(t.Context(), s.token(key, nil)); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate of nobody we know: %v", err)
	}
}

func TestDiscoveryPlaces(t *testing.T) {
	for issuer, want := range map[string][]string{
		"https://as.example":     {"https://as.example/.well-known/oauth-authorization-server", "https://as.example/.well-known/openid-configuration"},
		"https://as.example/":    {"https://as.example/.well-known/oauth-authorization-server", "https://as.example/.well-known/openid-configuration"},
		"https://as.example/a/b": {"https://as.example/.well-known/oauth-authorization-server/a/b", "https://as.example/.well-known/openid-configuration/a/b", "https://as.example/a/b/.well-known/openid-configuration"},
	} {
		if got := wellKnown(issuer); !slices.Equal(got, want) {
			t.Errorf("%s: %v", issuer, got)
		}
	}
	// The last location alone is enough.
	key := jwk("1", jose.ES256, ecKey())
	s := newServer(t, key)
	s.misbehave("/.well-known/oauth-authorization-server/realm", http.NotFound)
	s.misbehave("/realm/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"issuer": s.issuer(), "jwks_uri": s.URL + "/keys"})
	})
	if _, err := s.guard(nil).Verify(t.Context(), s.token(key, nil)); err != nil {
		t.Error(err)
	}
}
