package oauth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// says is a transport that answers every request for a path with the same bytes.
type says map[string][]byte

func (s says) RoundTrip(r *http.Request) (*http.Response, error) {
	body, there := s[r.URL.Path]
	status := http.StatusOK
	if !there {
		status = http.StatusNotFound
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

const (
	fuzzedIssuer   = "https://issuer.example"
	fuzzedMetadata = "/.well-known/oauth-authorization-server"
)

func goodMetadata() []byte {
	return fmt.Appendf(nil, `{"issuer":%q,"jwks_uri":"%[1]s/keys","introspection_endpoint":"%[1]s/ask"}`, fuzzedIssuer)
}

// answered is a guard whose issuer gives these answers.
func answered(t testing.TB, answers says, introspect bool) *Guard {
	t.Helper()
	c := Config{Issuer: fuzzedIssuer, Resource: resource}
	if introspect {
		c.Introspect, c.ClientID, c.Cache = true, "me", -1
	}
	g, err := open(c, func() time.Time { return time.Unix(1_800_000_000, 0) })
	if err != nil {
		t.Fatal(err)
	}
	g.issuer.http.Transport = answers
	return g
}

// FuzzMetadata: whatever the issuer's document says, no address of it is used unless it
// speaks for this issuer and the address is one that may be asked.
func FuzzMetadata(f *testing.F) {
	f.Add(goodMetadata())
	f.Add([]byte(`{"issuer":"https://issuer.example","jwks_uri":"http://10.0.0.1/keys"}`))
	f.Add([]byte(`{"issuer":"https://issuer.example","jwks_uri":"file:///etc/passwd"}`))
	f.Add([]byte(`{"issuer":"https://issuer.example/","jwks_uri":["https://a"]}`))
	f.Add([]byte(`{"Issuer":"https://issuer.example","issuer":"https://other","JWKS_URI":"https://user@host/#x"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, asks := range []bool{false, true} {
			g := answered(t, says{fuzzedMetadata: text}, asks)
			m, err := g.issuer.discover(t.Context())
			if err != nil {
				continue
			}
			address := m.JWKSURI
			if asks {
				address = m.IntrospectionEndpoint
			}
			r, err := http.NewRequest(http.MethodGet, address, nil)
			if err != nil || m.Issuer != fuzzedIssuer {
				t.Fatalf("%q: %+v, %v", text, m, err)
			}
			host := r.URL.Hostname()
			if r.URL.User != nil || r.URL.Scheme != "https" && !(r.URL.Scheme == "http" && loopback(host)) || host == "" && r.URL.Host == "" {
				t.Errorf("%q: %s would be asked", text, address)
			}
		}
	})
}

// FuzzKeySet: whatever keys the issuer publishes, there are few, each public, and a
// token that another key signed is refused.
func FuzzKeySet(f *testing.F) {
	private := jwk("1", jose.ES256, ecKey())
	s := newServer(f, private)
	token := s.token(private, map[string]any{"iss": fuzzedIssuer})
	var other []jose.JSONWebKey
	for _, k := range everyKind(f) {
		if k.Algorithm != string(jose.ES256) {
			other = append(other, k.Public())
		}
	}
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: other})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(set)
	f.Add([]byte(`{"keys":[{"kty":"oct","kid":"1","alg":"ES256","k":"AAAA"},{"kty":"EC","crv":"P-256","x":"AA","y":"AA","kid":"1"},null,3]}`))
	f.Add([]byte(`{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"},{"kty":"OKP","crv":"Ed25519","x":""}]}`))
	f.Add([]byte(`{"keys":[` + strings.Repeat(`{},`, 200) + `{}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		g := answered(t, says{fuzzedMetadata: goodMetadata(), "/keys": text}, false)
		keys, err := g.issuer.fetchKeys(t.Context())
		if err == nil && (len(keys) == 0 || len(keys) > maxKeys) {
			t.Errorf("%d keys", len(keys))
		}
		for _, k := range keys {
			if !k.IsPublic() || !k.Valid() {
				t.Errorf("%q: the key %+v is used", text, k)
			}
		}
		if grant, err := g.Verify(t.Context(), token); err == nil {
			t.Errorf("%q: lets in %+v", text, grant)
		}
	})
}

// FuzzIntrospection: whatever the issuer answers about a token, nobody gets in whom
// another reader of JSON does not find active, for this server and in time.
func FuzzIntrospection(f *testing.F) {
	f.Add([]byte(`{"active":true,"iss":"https://issuer.example","sub":"ada","aud":"https://tools.example/mcp","exp":1800000600,"scope":"a b","client_id":"c"}`))
	f.Add([]byte(`{"active":false,"active":true,"sub":"ada"}`))
	f.Add([]byte(`{"Active":true,"sub":"ada","aud":["https://tools.example/mcp"],"exp":1e400}`))
	f.Add([]byte(`{"active":"true","sub":"ada","aud":"https://tools.example/mcp","exp":-1,"scope":["a",1]}`))
	f.Add([]byte(`{"active":true,"sub":"a\u0000da","aud":"https://tools.example/mcp","exp":1800000600,"cnf":{"jkt":"x"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		g := answered(t, says{fuzzedMetadata: goodMetadata(), "/ask": text}, true)
		grant, err := g.Verify(t.Context(), "a-token")
		if err != nil {
			return
		}
		var also map[string]any
		if err := json.Unmarshal(text, &also); err != nil || also["active"] != true {
			t.Fatalf("%q lets in %+v: %v", text, grant, err)
		}
		audience := fmt.Sprint(also["aud"])
		if !strings.Contains(audience, resource) || grant.Subject != also["sub"] || grant.Subject == "" || len(grant.Subject) > maxName || len(grant.Client) > maxName {
			t.Errorf("%q lets in %+v", text, grant)
		}
		if exp, ok := also["exp"].(float64); also["exp"] != nil && (!ok || exp != 0 && exp < 1_800_000_000-60) {
			t.Errorf("%q lets in %+v after its end", text, grant)
		}
	})
}
