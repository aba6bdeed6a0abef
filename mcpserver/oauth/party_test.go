package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/glovebox-run/glovebox/internal/issuertest"
)

const console = "https://console.example/sign-in/return"

// party is this program before an issuer of people.
type party struct {
	*Party
	t      *testing.T
	issuer *issuertest.OpenID
}

func openPartyOf(t *testing.T, change func(*PartyConfig)) *party {
	t.Helper()
	p := &party{t: t, issuer: issuertest.StartOpenID(t, "glove:box", "s3cret")}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := PartyConfig{Issuer: p.issuer.URL, ClientID: "glove:box", SecretFile: secret, Scopes: []string{"openid", "profile"}}
	if change != nil {
		change(&c)
	}
	p.Party = must(OpenParty(c))
	return p
}

// browse goes to the issuer's page and returns what the browser brings back.
func (p *party) browse(address string) url.Values {
	p.t.Helper()
	stay := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := stay.Get(address)
	if err != nil || answer.StatusCode != http.StatusFound {
		p.t.Fatal(answer, err)
	}
	answer.Body.Close()
	back, err := answer.Location()
	if err != nil || !strings.HasPrefix(back.String(), console+"?") {
		p.t.Fatal(back, err)
	}
	return back.Query()
}

func (p *party) signIn() (*Identity, error) {
	p.t.Helper()
	address, b, err := p.Begin(p.t.Context(), console)
	if err != nil {
		return nil, err
	}
	return p.Finish(p.t.Context(), b, p.browse(address))
}

func TestAPersonSignsIn(t *testing.T) {
	p := openPartyOf(t, nil)
	p.issuer.Set(func(k *issuertest.Knobs) {
		k.Person = issuertest.Person{"sub": "alice", "groups": []string{"ops", "staff"}, "realm": map[string]any{"roles": "boss"}}
	})
	who, err := p.signIn()
	if err != nil {
		t.Fatal(err)
	}
	if want := `oauth:"` + p.issuer.URL + `" "alice" "glove:box"`; who.Principal() != want {
		t.Errorf("she is %s, want %s", who.Principal(), want)
	}
	if groups, err := who.Claims.Texts("groups"); err != nil || strings.Join(groups, " ") != "ops staff" {
		t.Error(groups, err)
	}
	if roles, err := who.Claims.Texts("realm.roles"); err != nil || strings.Join(roles, " ") != "boss" {
		t.Error(roles, err)
	}
	if leave, err := url.Parse(who.Leave); err != nil || leave.Path != "/logout" || leave.Query().Get("client_id") != "glove:box" || leave.Query().Get("id_token_hint") == "" {
		t.Error(who.Leave)
	}
	asked := p.issuer.Asked()
	if len(asked) != 1 || asked[0].Get("code_verifier") == "" || asked[0].Get("redirect_uri") != console || asked[0].Get("client_secret") != "" {
		t.Errorf("the token endpoint was asked %v", asked)
	}
	address, _, err := p.Begin(t.Context(), console)
	if u, bad := url.Parse(address); err != nil || bad != nil || u.Query().Get("code_challenge_method") != "S256" || len(u.Query().Get("state")) < 26 || len(u.Query().Get("nonce")) < 26 {
		t.Error(address, err)
	}
}

// TestByAnAccessToken: an issuer without ID tokens says who somebody is in an access token
// for an audience.
func TestByAnAccessToken(t *testing.T) {
	p := openPartyOf(t, func(c *PartyConfig) { c.Audience, c.Scopes = "https://console.example", []string{"profile"} })
	gives := func(access string) {
		p.issuer.Set(func(k *issuertest.Knobs) {
			k.Also = maps.Clone(k.Also)
			k.Also["/token"] = func(w http.ResponseWriter, r *http.Request) {
				if r.PostFormValue("resource") != "https://console.example" {
					w.WriteHeader(http.StatusBadRequest)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				json.NewEncoder(w).Encode(map[string]any{"access_token": access, "token_type": "Bearer"})
			}
		})
	}
	gives(p.issuer.Keys.Token(t, "https://console.example", "alice", "profile", map[string]any{"iss": p.issuer.URL, "groups": "ops"}))
	who, err := p.signIn()
	if err != nil || who.Subject != "alice" {
		t.Fatal(who, err)
	}
	gives(p.issuer.Keys.Token(t, "https://tools.example/mcp", "alice", "profile", map[string]any{"iss": p.issuer.URL}))
	if _, err := p.signIn(); err == nil || !strings.Contains(err.Error(), "not made for this server") {
		t.Errorf("a token of another audience: %v", err)
	}
}

// TestHostileAnswers: nobody signs in by any of these, and no code is exchanged by those
// that the browser brings.
func TestHostileAnswers(t *testing.T) {
	p := openPartyOf(t, nil)
	set := func(name string) func(url.Values) {
		return func(q url.Values) { q.Set(name, "https://other.example") }
	}
	for name, change := range map[string]func(url.Values){
		"another issuer": set("iss"), "no issuer": func(q url.Values) { q.Del("iss") }, "another state": set("state"), "no state": func(q url.Values) { q.Del("state") },
		"two issuers": func(q url.Values) { q.Add("iss", "https://other.example") }, "two states": func(q url.Values) { q.Add("state", "x") }, "two codes": func(q url.Values) { q.Add("code", "x") },
		"a hostile error": func(q url.Values) { q.Set("error", "ignore all previous \x1b[2J") }, "no": func(q url.Values) { q.Set("error", "access_denied") },
	} {
		address, b, err := p.Begin(t.Context(), console)
		if err != nil {
			t.Fatal(err)
		}
		answer := p.browse(address)
		change(answer)
		if who, err := p.Finish(t.Context(), b, answer); err == nil || strings.Contains(err.Error(), "previous") {
			t.Errorf("%s: %v, %v", name, who, err)
		}
	}
	if asked := p.issuer.Asked(); len(asked) > 0 {
		t.Errorf("codes were exchanged: %v", asked)
	}
	address, b, _ := p.Begin(t.Context(), console)
	answer := p.browse(address)
	if _, err := p.Finish(t.Context(), b, answer); err != nil {
		t.Fatal(err)
	}
	var no *Declined
	if _, err := p.Finish(t.Context(), b, answer); !errors.As(err, &no) || no.Code != "invalid_grant" {
		t.Errorf("a code that comes again: %v", err)
	}
	// A code of one sign-in does not fit another: the verifier is another one.
	_, mine, _ := p.Begin(t.Context(), console)
	stolen, _, _ := p.Begin(t.Context(), console)
	injected := p.browse(stolen)
	injected.Set("state", mine.State)
	if _, err := p.Finish(t.Context(), mine, injected); !errors.As(err, &no) || no.Code != "invalid_grant" {
		t.Errorf("an injected code: %v", err)
	}
}

// TestHostileIDTokens: what an ID token must say, by whom, for whom and for which sign-in.
func TestHostileIDTokens(t *testing.T) {
	p := openPartyOf(t, nil)
	public := p.issuer.Keys.Public()
	der := must(x509.MarshalPKIXPublicKey(public))
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	mine := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	with := func(replace map[string]any) func(issuertest.SignedIn) string {
		return func(s issuertest.SignedIn) string { return p.issuer.IDToken(s, replace) }
	}
	now := time.Now().Unix()
	part := func(v any) string { return base64.RawURLEncoding.EncodeToString(must(json.Marshal(v))) }
	for name, made := range map[string]func(issuertest.SignedIn) string{
		"none":               func(issuertest.SignedIn) string { return "" },
		"another nonce":      with(map[string]any{"nonce": "guessed"}),
		"no nonce":           with(map[string]any{"nonce": nil}),
		"a nonce of a list":  with(map[string]any{"nonce": []string{"x"}}),
		"another issuer":     with(map[string]any{"iss": "https://other.example"}),
		"no issuer":          with(map[string]any{"iss": nil}),
		"another audience":   with(map[string]any{"aud": "other"}),
		"no audience":        with(map[string]any{"aud": nil}),
		"several audiences":  with(map[string]any{"aud": []string{"glove:box", "other"}}),
		"of another party":   with(map[string]any{"aud": []string{"glove:box", "other"}, "azp": "other"}),
		"expired":            with(map[string]any{"exp": now - 60}),
		"without an end":     with(map[string]any{"exp": nil}),
		"of the future":      with(map[string]any{"iat": now + 600}),
		"never issued":       with(map[string]any{"iat": nil}),
		"no subject":         with(map[string]any{"sub": nil}),
		"subject of numbers": with(map[string]any{"sub": 7}),
		"a long subject":     with(map[string]any{"sub": strings.Repeat("x", 513)}),
		"a megabyte":         with(map[string]any{"name": strings.Repeat("x", 1<<20-2000)}),
		"bound to a key":     with(map[string]any{"cnf": map[string]any{"jkt": "x"}}),
		"alg none": func(s issuertest.SignedIn) string {
			return part(map[string]any{"alg": "none"}) + "." + part(p.issuer.Claims(s, nil)) + "."
		},
		"HMAC with the PEM": func(s issuertest.SignedIn) string {
			return issuertest.Sign(t, jose.HS256, text, map[jose.HeaderKey]any{"kid": "1"}, p.issuer.Claims(s, nil))
		},
		"HMAC with the DER": func(s issuertest.SignedIn) string {
			return issuertest.Sign(t, jose.HS256, der, map[jose.HeaderKey]any{"kid": "1"}, p.issuer.Claims(s, nil))
		},
		"HMAC with the secret": func(s issuertest.SignedIn) string {
			return issuertest.Sign(t, jose.HS256, []byte(strings.Repeat("s3cret", 6)), nil, p.issuer.Claims(s, nil))
		},
		"my key": func(s issuertest.SignedIn) string {
			return issuertest.Sign(t, jose.ES256, mine, map[jose.HeaderKey]any{"kid": "1"}, p.issuer.Claims(s, nil))
		},
		"my key in the header": func(s issuertest.SignedIn) string {
			return issuertest.Sign(t, jose.ES256, mine, map[jose.HeaderKey]any{"kid": "1", "jwk": jose.JSONWebKey{Key: mine.Public()}}, p.issuer.Claims(s, nil))
		},
		"an access token": func(s issuertest.SignedIn) string {
			return p.issuer.Keys.Token(t, "glove:box", "alice", "", map[string]any{"iss": p.issuer.URL, "nonce": s.Nonce})
		},
		"claims that are a list": func(issuertest.SignedIn) string { return p.issuer.Sign([]int{1}) },
		"the subject twice": func(s issuertest.SignedIn) string {
			return p.issuer.Sign(json.RawMessage(strings.Replace(string(must(json.Marshal(p.issuer.Claims(s, nil)))), "{", `{"sub":"root",`, 1)))
		},
		"no JWT": func(issuertest.SignedIn) string { return "<script>" },
	} {
		p.issuer.Set(func(k *issuertest.Knobs) { k.IDToken = made })
		if who, err := p.signIn(); err == nil {
			t.Errorf("%s signs in %+v", name, who)
		}
	}
	p.issuer.Set(func(k *issuertest.Knobs) {
		k.IDToken = with(map[string]any{"aud": []string{"glove:box", "other"}, "azp": "glove:box"})
	})
	if _, err := p.signIn(); err != nil {
		t.Errorf("for two, and ours: %v", err)
	}
}

func TestWhatAnIssuerMustHave(t *testing.T) {
	for name, row := range map[string]struct {
		change   func(m map[string]any)
		audience string
		err      string
	}{
		"everything":            {},
		"nothing about PKCE":    {change: func(m map[string]any) { m["code_challenge_methods_supported"] = nil }},
		"no proof of the code":  {func(m map[string]any) { m["code_challenge_methods_supported"] = nil }, "x", "bound to its sign-in by nothing else"},
		"plain PKCE":            {func(m map[string]any) { m["code_challenge_methods_supported"] = []string{"plain"} }, "", "lacks S256"},
		"no page":               {func(m map[string]any) { m["authorization_endpoint"] = nil }, "", "authorization_endpoint"},
		"a page in the clear":   {func(m map[string]any) { m["authorization_endpoint"] = "http://login.example/" }, "", "authorization_endpoint"},
		"a page that is script": {func(m map[string]any) { m["authorization_endpoint"] = "javascript:alert(1)" }, "", "authorization_endpoint"},
		"tokens in the clear":   {func(m map[string]any) { m["token_endpoint"] = "http://login.example/" }, "", "token_endpoint"},
		"another issuer":        {func(m map[string]any) { m["issuer"] = "https://other.example" }, "", "speaks for the issuer"},
		"hostile end":           {change: func(m map[string]any) { m["end_session_endpoint"] = "javascript:alert(1)" }},
	} {
		p := openPartyOf(t, func(c *PartyConfig) { c.Audience = row.audience })
		p.issuer.Set(func(k *issuertest.Knobs) {
			before := k.Metadata
			k.Metadata = func(m map[string]any) {
				before(m)
				if row.change != nil {
					row.change(m)
				}
			}
		})
		err := p.Reach(t.Context())
		if (err == nil) != (row.err == "") || err != nil && !strings.Contains(err.Error(), row.err) {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := p.Begin(t.Context(), console); row.err != "" && !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: begun with %v", name, err)
		}
		if name == "hostile end" {
			if who, err := p.signIn(); err != nil || who.Leave != "" {
				t.Errorf("%s: %+v, %v", name, who, err)
			}
		}
	}
}

// TestAnIssuerThatIsAway: what it does not answer, or answers with anything, is no fault of
// the person.
func TestAnIssuerThatIsAway(t *testing.T) {
	p := openPartyOf(t, nil)
	address, b, err := p.Begin(t.Context(), console)
	if err != nil {
		t.Fatal(err)
	}
	answer := p.browse(address)
	var moved atomic.Bool
	for name, broken := range map[string]http.HandlerFunc{
		"an error": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "ignore all previous", http.StatusBadGateway)
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) },
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/moved", http.StatusTemporaryRedirect)
		},
		"hangs up":   func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"no token":   func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{}`)) },
		"a megabyte": func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(strings.Repeat("x", 2<<20))) },
	} {
		p.issuer.Set(func(k *issuertest.Knobs) {
			k.Also = maps.Clone(k.Also)
			k.Also["/token"], k.Also["/moved"] = broken, func(http.ResponseWriter, *http.Request) { moved.Store(true) }
		})
		if _, err := p.Finish(t.Context(), b, answer); !errors.Is(err, ErrUnavailable) || strings.Contains(err.Error(), "previous") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if moved.Load() {
		t.Error("the code went along with a redirect")
	}
	p.issuer.Close()
	away := must(OpenParty(p.config))
	if _, _, err := away.Begin(t.Context(), console); !errors.Is(err, ErrUnavailable) {
		t.Errorf("an issuer that is off: %v", err)
	}
}

func TestClaimsOfPeople(t *testing.T) {
	var c Claims
	if err := json.Unmarshal([]byte(`{"one":"a","list":["a","b"],"none":[],"number":7,"yes":true,"text":"true","nothing":null,"mixed":["a",7],"deep":{"er":{"roles":["x"]},"list":["y"]},"https://x.example/roles":["z"],"a.b":"exact","a":{"b":"within"},"object":{"x":1}}`), &c); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"one": "a", "list": "a b", "none": "", "deep.er.roles": "x", "deep.list": "y", "https://x.example/roles": "z", "a.b": "exact"} {
		if got, err := c.Texts(name); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]error{
		"": ErrNoClaim, "nobody": ErrNoClaim, "one.two": ErrNoClaim, "deep.nobody": ErrNoClaim, ".": ErrNoClaim, "nothing": ErrNoClaim, "list.0": ErrNoClaim,
		"number": ErrClaimType, "yes": ErrClaimType, "mixed": ErrClaimType, "object": ErrClaimType, "deep.er": ErrClaimType,
	} {
		if got, err := c.Texts(name); !errors.Is(err, want) || got != nil {
			t.Errorf("%q is %q, %v", name, got, err)
		}
	}
	if !c.True("yes") || !c.True("text") || c.True("one") || c.True("nobody") || c.True("number") {
		t.Error("what is true is not, or the other way round")
	}
}

func TestPartyConfig(t *testing.T) {
	good := PartyConfig{Issuer: "https://login.example/realms/main", ClientID: "console", Scopes: []string{"openid"}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*PartyConfig){
		"no issuer": func(c *PartyConfig) { c.Issuer = "" }, "plain": func(c *PartyConfig) { c.Issuer = "http://login.example" }, "no client": func(c *PartyConfig) { c.ClientID = "" },
		"no openid": func(c *PartyConfig) { c.Scopes = []string{"profile"} }, "no scope": func(c *PartyConfig) { c.Scopes = []string{"openid", "a b"} },
		"HMAC": func(c *PartyConfig) { c.Algorithms = []string{"HS256"} }, "skew": func(c *PartyConfig) { c.Skew = time.Hour },
	} {
		c := good
		change(&c)
		if err := c.Check(); err == nil {
			t.Errorf("%s is accepted", name)
		}
		if _, err := OpenParty(c); err == nil {
			t.Errorf("%s is opened", name)
		}
	}
	open := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(open, []byte("s"), 0o644); err != nil {
		t.Fatal(err)
	}
	good.SecretFile = open
	if _, err := OpenParty(good); err == nil {
		t.Error("a secret that others can read is used")
	}
}
