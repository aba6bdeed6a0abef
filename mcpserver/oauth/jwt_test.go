package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/glovebox-run/glovebox/internal/issuertest"
)

func TestEveryAlgorithm(t *testing.T) {
	keys := everyKind(t)
	s := newServer(t, keys...)
	g := s.guard(nil)
	for _, key := range keys {
		grant, err := g.Verify(t.Context(), s.token(key, nil))
		if err != nil {
			t.Errorf("%s: %v", key.Algorithm, err)
			continue
		}
		if grant.Subject != "alice" || grant.Client != "editor" || !slices.Equal(grant.Scopes, []string{"tools:read", "tools:run"}) || grant.Expires.Unix() != s.now().Unix()+600 {
			t.Errorf("%s: %+v", key.Algorithm, grant)
		}
	}
	if n := s.asked("/keys"); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
	only := s.guard(func(c *Config) { c.Algorithms = []string{"ES256"} })
	for _, key := range keys {
		if _, err := only.Verify(t.Context(), s.token(key, nil)); (err == nil) != (key.Algorithm == "ES256") {
			t.Errorf("with ES256 alone, %s: %v", key.Algorithm, err)
		}
	}
}

// TestClaims covers what can be wrong with a correctly signed token.
func TestClaims(t *testing.T) {
	key := jwk("1", jose.ES256, ecKey())
	s := newServer(t, key)
	g := s.guard(func(c *Config) { c.Audiences = []string{"api://tools"} })
	now := s.now().Unix()
	for _, row := range []struct {
		name    string
		replace map[string]any
		why     string // empty: valid
	}{
		{"good", nil, ""},
		{"several audiences", map[string]any{"aud": []string{"other", resource}}, ""},
		{"another name of ours", map[string]any{"aud": "api://tools"}, ""},
		{"just expired", map[string]any{"exp": now - 29}, ""},
		{"a clock that is ahead", map[string]any{"nbf": now + 29, "iat": now + 29}, ""},
		{"no nbf and iat", map[string]any{"nbf": nil, "iat": nil}, ""},
		{"a fraction of a second", map[string]any{"exp": float64(now) + 0.5}, ""},
		{"expires never", map[string]any{"exp": 1e300}, ""},
		{"no client", map[string]any{"client_id": nil}, ""},
		{"no scope", map[string]any{"scope": nil}, ""},
		{"not bound", map[string]any{"cnf": json.RawMessage("null")}, ""},

		{"another audience", map[string]any{"aud": "https://tools.example/other"}, "not made for this server"},
		{"an audience that begins like ours", map[string]any{"aud": resource + "/x"}, "not made for this server"},
		{"the host alone", map[string]any{"aud": "https://tools.example"}, "not made for this server"},
		{"no audience", map[string]any{"aud": nil}, "not made for this server"},
		{"no audiences", map[string]any{"aud": []string{}}, "not made for this server"},
		{"another issuer", map[string]any{"iss": "https://evil.example"}, "of another issuer"},
		{"an issuer with a slash", map[string]any{"iss": s.issuer() + "/"}, "of another issuer"},
		{"no issuer", map[string]any{"iss": nil}, "names no issuer"},
		{"expired", map[string]any{"exp": now - 30}, "has expired"},
		{"expired long ago", map[string]any{"exp": -1e300}, "has expired"},
		{"no expiry", map[string]any{"exp": nil}, "no time at which it expires"},
		{"not yet", map[string]any{"nbf": now + 31}, "not valid yet"},
		{"from the future", map[string]any{"iat": now + 31}, "issued in the future"},
		{"no subject", map[string]any{"sub": nil}, "no subject"},
		{"a long subject", map[string]any{"sub": strings.Repeat("x", 513)}, "too long"},
		{"a long client", map[string]any{"client_id": strings.Repeat("x", 513)}, "too long"},
		{"bound to a key", map[string]any{"cnf": map[string]string{"jkt": "x"}}, "bound to a key"},
		{"an expiry that is a text", map[string]any{"exp": "tomorrow"}, "cannot be read"},
		{"a subject that is a number", map[string]any{"sub": 7}, "cannot be read"},
	} {
		_, err := g.Verify(t.Context(), s.token(key, row.replace))
		var invalid *Invalid
		if row.why == "" && err != nil || row.why != "" && (!errors.As(err, &invalid) || !strings.Contains(invalid.Why, row.why)) {
			t.Errorf("%s: %v, want %q", row.name, err, row.why)
		}
	}
}

func TestScopesAsIssuersWriteThem(t *testing.T) {
	key := jwk("1", jose.ES256, ecKey())
	s := newServer(t, key)
	g := s.guard(nil)
	for _, replace := range []map[string]any{
		{"scope": "a b"}, {"scope": " a  b "}, {"scope": []string{"a", "b"}}, {"scope": nil, "scp": "a b"}, {"scope": nil, "scp": []string{"a", "b"}},
	} {
		grant, err := g.Verify(t.Context(), s.token(key, replace))
		if err != nil || !slices.Equal(grant.Scopes, []string{"a", "b"}) {
			t.Errorf("%v: %v, %v", replace, grant.Scopes, err)
		}
	}
}

// TestForgeries are tokens from an attacker with public information only.
func TestForgeries(t *testing.T) {
	ec, rs := jwk("ec", jose.ES256, ecKey()), jwk("rsa", jose.RS256, rsaKey())
	bare := jwk("bare", "", rsaKey()) // a key that does not name its algorithm
	s := newServer(t, ec, rs, bare)
	g := s.guard(nil)
	good := s.token(ec, nil)
	parts := strings.Split(good, ".")
	b64 := base64.RawURLEncoding.EncodeToString
	header := func(text string) string { return b64([]byte(text)) }
	payload := b64(must(json.Marshal(s.claims(nil))))
	der := must(x509.MarshalPKIXPublicKey(rsaKey().Public()))
	hmacOf := func(head string, secret []byte) string {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(head + "." + payload))
		return head + "." + payload + "." + b64(mac.Sum(nil))
	}
	mine := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	weak := must(rsa.GenerateKey(rand.Reader, 2048))
	embedded := func(name jose.HeaderKey, value any) string {
		return issuertest.Sign(t, jose.ES256, mine, map[jose.HeaderKey]any{"typ": "at+jwt", "kid": "ec", name: value}, s.claims(nil))
	}
	admin := b64(must(json.Marshal(s.claims(map[string]any{"sub": "admin"}))))
	fetched := 0
	s.misbehave("/evil", func(http.ResponseWriter, *http.Request) { fetched++ })
	for name, token := range map[string]string{
		"empty":                   "",
		"no JWT":                  "correct-horse-battery-staple",
		"two parts":               parts[0] + "." + parts[1],
		"no signature":            parts[0] + "." + parts[1] + ".",
		"four parts":              good + ".x",
		"other claims":            parts[0] + "." + admin + "." + parts[2],
		"alg none":                header(`{"alg":"none","kid":"ec"}`) + "." + payload + ".",
		"alg None, signed":        header(`{"alg":"None","kid":"ec"}`) + "." + payload + "." + parts[2],
		"no alg":                  header(`{"kid":"ec"}`) + "." + payload + "." + parts[2],
		"HMAC with the PEM":       hmacOf(header(`{"alg":"HS256","kid":"rsa"}`), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
		"HMAC with the DER":       hmacOf(header(`{"alg":"HS256","kid":"rsa"}`), der),
		"HMAC with nothing":       hmacOf(header(`{"alg":"HS256"}`), nil),
		"RS256 header on ES256":   header(`{"alg":"RS256","kid":"ec"}`) + "." + payload + "." + parts[2],
		"PS256 with an RS256 key": issuertest.Sign(t, jose.PS256, rsaKey(), map[jose.HeaderKey]any{"kid": "rsa"}, s.claims(nil)),
		"my key under their name": embedded("typ", "at+jwt"),
		"my key in the header":    embedded("jwk", jose.JSONWebKey{Key: mine.Public()}),
		"my key at a URL":         embedded("jku", s.URL+"/evil"),
		"my certificate at a URL": embedded("x5u", s.URL+"/evil"),
		"a name that is a path":   issuertest.Sign(t, jose.ES256, mine, map[jose.HeaderKey]any{"kid": "../../evil"}, s.claims(nil)),
		"a name that is a URL":    issuertest.Sign(t, jose.ES256, mine, map[jose.HeaderKey]any{"kid": s.URL + "/evil"}, s.claims(nil)),
		"my key without a name":   issuertest.Sign(t, jose.RS256, weak, nil, s.claims(nil)),
		"a critical extension":    issuertest.Sign(t, jose.ES256, ecKey(), map[jose.HeaderKey]any{"kid": "ec", "crit": []string{"exp"}, "exp": 1}, s.claims(nil)),
		"an ID token's type":      issuertest.Sign(t, jose.ES256, ecKey(), map[jose.HeaderKey]any{"kid": "ec", "typ": "id+jwt"}, s.claims(nil)),
		"a logout token":          issuertest.Sign(t, jose.ES256, ecKey(), map[jose.HeaderKey]any{"kid": "ec", "typ": "logout+jwt"}, s.claims(nil)),
		"claims that are a list":  issuertest.Sign(t, jose.ES256, ecKey(), map[jose.HeaderKey]any{"kid": "ec"}, []int{1}),
		"too long":                issuertest.Sign(t, jose.ES256, ecKey(), map[jose.HeaderKey]any{"kid": "ec"}, s.claims(map[string]any{"x": strings.Repeat("x", 16<<10)})),
		"spaces":                  strings.Replace(good, ".", ". ", 1),
	} {
		_, err := g.Verify(t.Context(), token)
		if invalid := (*Invalid)(nil); !errors.As(err, &invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if fetched > 0 || s.asked("/evil") > 0 {
		t.Error("a token said where a key is fetched from")
	}
	for _, kind := range []string{"JWT", "application/at+jwt", "AT+JWT"} {
		if _, err := g.Verify(t.Context(), issuertest.Sign(t, jose.ES256, ecKey(), map[jose.HeaderKey]any{"kid": "ec", "typ": kind}, s.claims(nil))); err != nil {
			t.Errorf("typ %s: %v", kind, err)
		}
	}
	if _, err := g.Verify(t.Context(), issuertest.Sign(t, jose.PS512, rsaKey(), map[jose.HeaderKey]any{"kid": "bare"}, s.claims(nil))); err != nil {
		t.Errorf("a key for every algorithm of its kind: %v", err)
	}
	if _, err := g.Verify(t.Context(), issuertest.Sign(t, jose.ES256, ecKey(), nil, s.claims(nil))); err != nil {
		t.Errorf("a token that names no key: %v", err)
	}
}

// TestOneSpelling: replacing any character of a token makes another token, also
// where the bits of that character belong to no byte.
func TestOneSpelling(t *testing.T) {
	rs := jwk("rsa", jose.RS256, rsaKey())
	s := newServer(t, rs)
	g := s.guard(nil)
	good := s.token(rs, nil)
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for _, c := range alphabet {
		for i := range good {
			last := i == len(good)-1
			if (i+1 == len(good) || good[i+1] == '.') && good[i] != byte(c) && good[i] != '.' {
				if _, err := g.Verify(t.Context(), good[:i]+string(c)+good[i+1:]); err == nil {
					t.Errorf("%q for %q at %d (the end: %v) changes nothing", c, good[i], i, last)
				}
			}
		}
	}
	if _, err := g.Verify(t.Context(), good); err != nil {
		t.Error(err)
	}
}

// TestMembersTwice: a payload that can be read in two ways must not be two tokens.
func TestMembersTwice(t *testing.T) {
	key := jwk("1", jose.ES256, ecKey())
	s := newServer(t, key)
	g := s.guard(nil)
	text := string(must(json.Marshal(s.claims(nil))))
	for _, payload := range []string{
		strings.Replace(text, `{`, `{"sub":"admin",`, 1),
		strings.Replace(text, `"aud":`, `"AUD":`, 1),
	} {
		token := issuertest.Sign(t, jose.ES256, ecKey(), map[jose.HeaderKey]any{"kid": "1"}, json.RawMessage(payload))
		if _, err := g.Verify(t.Context(), token); err == nil {
			t.Errorf("accepted %s", payload)
		}
	}
}

func FuzzVerify(f *testing.F) {
	key := jwk("1", jose.ES256, ecKey())
	s := newServer(f, key)
	g := s.guard(nil)
	good := s.token(key, nil)
	f.Add(good)
	f.Add("")
	f.Add("a.b.c")
	f.Add(base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + ".e30.")
	f.Add(strings.Repeat(".", 1000))
	signed := good[:strings.LastIndexByte(good, '.')] // one signature has several encodings
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := g.Verify(t.Context(), token); err == nil && !strings.HasPrefix(token, signed+".") {
			t.Errorf("accepted %q", token)
		}
	})
}

// BenchmarkVerify measures the first request with a token, and every later one.
func BenchmarkVerify(b *testing.B) {
	for _, key := range everyKind(b) {
		s := newServer(b, key)
		g := s.guard(nil)
		token := s.token(key, nil)
		b.Run(key.Algorithm, func(b *testing.B) {
			for b.Loop() {
				g.signed.known = nil
				if _, err := g.Verify(b.Context(), token); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(key.Algorithm+"/again", func(b *testing.B) {
			for b.Loop() {
				if _, err := g.Verify(b.Context(), token); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
