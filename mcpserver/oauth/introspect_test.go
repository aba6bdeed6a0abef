package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// asking returns a guard that asks the server about tokens.
func (s *server) asking(change func(*Config)) *Guard {
	s.t.Helper()
	secret := filepath.Join(s.t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s3cret\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s.guard(func(c *Config) {
		c.Introspect, c.ClientID, c.SecretFile = true, "glove:box", secret
		if change != nil {
			change(c)
		}
	})
}

// say sets the server's answer about a token; nil revokes it.
func (s *server) say(token string, answer map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active[token] = answer
}

func TestIntrospection(t *testing.T) {
	s := newServer(t)
	g := s.asking(nil)
	now := s.now().Unix()
	for _, row := range []struct {
		name    string
		replace map[string]any
		why     string
	}{
		{"good", map[string]any{"active": true}, ""},
		{"no issuer and expiry", map[string]any{"active": true, "iss": nil, "exp": nil}, ""},
		{"inactive", map[string]any{"active": false}, "its issuer says so"},
		{"no word on it", nil, "its issuer says so"},
		{"another audience", map[string]any{"active": true, "aud": "https://other.example"}, "not made for this server"},
		{"no audience", map[string]any{"active": true, "aud": nil}, "not made for this server"},
		{"another issuer", map[string]any{"active": true, "iss": "https://evil.example"}, "of another issuer"},
		{"expired", map[string]any{"active": true, "exp": now - 60}, "has expired"},
		{"no subject", map[string]any{"active": true, "sub": nil}, "no subject"},
	} {
		s.say(row.name, s.claims(row.replace))
		grant, err := g.Verify(t.Context(), row.name)
		var invalid *Invalid
		if row.why == "" && (err != nil || grant.Subject != "alice") || row.why != "" && (!errors.As(err, &invalid) || !strings.Contains(invalid.Why, row.why)) {
			t.Errorf("%s: %v, want %q", row.name, err, row.why)
		}
	}
	if _, err := g.Verify(t.Context(), "nobody's"); err == nil {
		t.Error("a token that nobody knows")
	}
}

// TestRevoked: a token stops working as soon as the cached answer expires.
func TestRevoked(t *testing.T) {
	s := newServer(t)
	g, never := s.asking(nil), s.asking(func(c *Config) { c.Cache = -1 })
	s.say("tok", s.claims(map[string]any{"active": true}))
	for range 100 {
		if _, err := g.Verify(t.Context(), "tok"); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.asked("/introspect"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	if _, err := never.Verify(t.Context(), "tok"); err != nil {
		t.Fatal(err)
	}
	s.say("tok", nil)
	if _, err := never.Verify(t.Context(), "tok"); err == nil {
		t.Error("asked every time, and it lives on")
	}
	s.later(15*time.Second - 1)
	if _, err := g.Verify(t.Context(), "tok"); err != nil {
		t.Error("not held for the time that was said")
	}
	s.later(1)
	if _, err := g.Verify(t.Context(), "tok"); err == nil {
		t.Error("held for longer")
	}
	// A cached answer does not outlive the token.
	s.say("short", s.claims(map[string]any{"active": true, "exp": s.now().Unix() + 1}))
	long := s.asking(func(c *Config) { c.Cache = 5 * time.Minute })
	if _, err := long.Verify(t.Context(), "short"); err != nil {
		t.Fatal(err)
	}
	s.later(31 * time.Second)
	if _, err := long.Verify(t.Context(), "short"); err == nil {
		t.Error("an expired token lives on")
	}
}

// TestAskedOnce: concurrent requests with one token share one query; the cache is
// bounded whatever arrives.
func TestAskedOnce(t *testing.T) {
	s := newServer(t)
	g := s.asking(nil)
	s.say("tok", s.claims(map[string]any{"active": true}))
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := g.Verify(t.Context(), "tok"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := s.asked("/introspect"); n > 2 {
		t.Errorf("asked %d times", n)
	}
	var m memory
	for n := range 3 * maxKnown {
		m.put(tokenHash{byte(n), byte(n >> 8)}, claims{}, s.now())
	}
	if n := len(m.known); n > maxKnown {
		t.Errorf("%d tokens are remembered", n)
	}
}

// TestIntrospectionTrouble: no failure makes a token valid, and the token is sent
// only to the issuer.
func TestIntrospectionTrouble(t *testing.T) {
	var leaked []string
	var mu sync.Mutex
	other := newServer(t)
	other.misbehave("/introspect", func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		leaked = append(leaked, r.PostFormValue("token")+r.Header.Get("Authorization"))
	})
	for name, answer := range map[string]http.HandlerFunc{
		"an error":        func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"no JSON":         func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "active") },
		"a word for true": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"active":"true"}`) },
		"twice":           func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"active":false,"active":true}`) },
		"huge":            func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 2<<20)) },
		"sent elsewhere, 302": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/introspect", http.StatusFound)
		},
		"sent elsewhere, 307": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/introspect", http.StatusTemporaryRedirect)
		},
		"sent home, 307": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/introspect2", http.StatusTemporaryRedirect)
		},
	} {
		s := newServer(t)
		s.misbehave("/introspect", answer)
		s.misbehave("/introspect2", func(w http.ResponseWriter, _ *http.Request) {
			json.NewEncoder(w).Encode(s.claims(map[string]any{"active": true}))
		})
		g := s.asking(nil)
		if _, err := g.Verify(t.Context(), "tok"); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(leaked) > 0 {
		t.Errorf("sent to another host: %q", leaked)
	}
	s := newServer(t)
	wrong := s.asking(func(c *Config) { c.ClientID = "somebody" })
	s.say("tok", s.claims(map[string]any{"active": true}))
	if _, err := wrong.Verify(t.Context(), "tok"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("the issuer does not know us: %v", err)
	}
}
