package issuertest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Authorization is an OAuth 2.1 authorization server on loopback whose user always says
// yes, for tests of clients. It keeps to what the RFCs demand of it: codes and refresh tokens
// work once, and a refresh token that comes a second time ends everything that came of the
// same sign-in.
type Authorization struct {
	*httptest.Server

	mu    sync.Mutex
	knobs Knobs

	clients map[string]string // secrets by client
	codes   map[string]*signIn
	refresh map[string]*signIn // also those that are used up
	access  map[string]*signIn
	asked   []url.Values // of the token endpoint
}

type signIn struct {
	client, redirect, challenge, resource, scope, nonce string

	person  Person
	ended   bool
	current string // refresh token
	expires time.Time
}

// StartAuthorization runs a server until the test ends.
func StartAuthorization(t testing.TB) *Authorization {
	a := &Authorization{
		knobs: Knobs{Lifetime: time.Hour}, clients: map[string]string{}, codes: map[string]*signIn{}, refresh: map[string]*signIn{}, access: map[string]*signIn{},
	}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

// Set changes the server while it runs.
func (a *Authorization) Set(change func(*Knobs)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.knobs)
}

// Knobs are what a test can change of a server.
type Knobs struct {
	Lifetime time.Duration                                     // of access tokens
	Before   func(w http.ResponseWriter, r *http.Request) bool // sees each request first, and says whether it has answered
	Metadata func(map[string]any)
	Answer   func(url.Values) // what the browser brings back
	Person   Person           // who signs in
	IDToken  func(SignedIn) string
	Also     map[string]http.HandlerFunc // further pages, by path
}

// Client makes a client known, with its secret or without one.
func (a *Authorization) Client(id, secret string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clients[id] = secret
}

// Asked are the parameters of each request to the token endpoint.
func (a *Authorization) Asked() []url.Values {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.asked)
}

// Grants returns the scopes of an access token for a resource; false if it is none.
func (a *Authorization) Grants(access, resource string) (scopes []string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.access[access]
	if s == nil || s.ended || s.resource != resource || time.Now().After(s.expires) {
		return nil, false
	}
	return strings.Fields(s.scope), true
}

func (a *Authorization) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	before, also := a.knobs.Before, a.knobs.Also[r.URL.Path]
	a.mu.Unlock()
	if before != nil && before(w, r) {
		return
	}
	if also != nil {
		also(w, r)
		return
	}
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		a.describe(w)
	case "/register":
		a.register(w, r)
	case "/authorize":
		a.authorize(w, r)
	case "/token":
		a.token(w, r)
	default:
		http.NotFound(w, r)
	}
}

func reply(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}

func (a *Authorization) describe(w http.ResponseWriter) {
	m := map[string]any{
		"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token", "registration_endpoint": a.URL + "/register",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"authorization_response_iss_parameter_supported": true, "token_endpoint_auth_methods_supported": []string{"none", "client_secret_basic"},
	}
	a.mu.Lock()
	if a.knobs.Metadata != nil {
		a.knobs.Metadata(m)
	}
	a.mu.Unlock()
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	reply(w, http.StatusOK, m)
}

func (a *Authorization) register(w http.ResponseWriter, r *http.Request) {
	var asked map[string]any
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		reply(w, http.StatusBadRequest, map[string]any{"error": "invalid_client_metadata"})
		return
	}
	id := rand.Text()
	a.Client(id, "")
	asked["client_id"] = id
	reply(w, http.StatusCreated, asked)
}

func (a *Authorization) authorize(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	_, known := a.clients[q.Get("client_id")]
	if err != nil || !known && !strings.HasPrefix(q.Get("client_id"), "https://") || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || q.Get("response_type") != "code" {
		http.Error(w, "a bad request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	a.codes[code] = &signIn{client: q.Get("client_id"), redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"), resource: q.Get("resource"), scope: q.Get("scope"), nonce: q.Get("nonce"), person: a.knobs.Person}
	answer := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {a.URL}}
	if a.knobs.Answer != nil {
		a.knobs.Answer(answer)
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (a *Authorization) token(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	no := func(code string) { reply(w, http.StatusBadRequest, map[string]any{"error": code}) }
	if err := r.ParseForm(); err != nil || r.Method != http.MethodPost {
		no("invalid_request")
		return
	}
	f := r.PostForm
	a.asked = append(a.asked, f)
	client, secret, basic := r.BasicAuth()
	if basic { // both are escaped (RFC 6749, 2.3.1)
		client, _ = url.QueryUnescape(client)
		secret, _ = url.QueryUnescape(secret)
	} else {
		client, secret = f.Get("client_id"), f.Get("client_secret")
	}
	known, ok := a.clients[client]
	if !ok && !strings.HasPrefix(client, "https://") || known != secret {
		reply(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	var s *signIn
	switch f.Get("grant_type") {
	case "authorization_code":
		s = a.codes[f.Get("code")]
		delete(a.codes, f.Get("code"))
		sum := sha256.Sum256([]byte(f.Get("code_verifier")))
		if s == nil || s.client != client || s.redirect != f.Get("redirect_uri") || s.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
			no("invalid_grant")
			return
		}
	case "refresh_token":
		s = a.refresh[f.Get("refresh_token")]
		if s != nil && s.current != f.Get("refresh_token") {
			s.ended = true // stolen, by somebody
		}
		if s == nil || s.ended || s.client != client {
			no("invalid_grant")
			return
		}
	case "client_credentials":
		if secret == "" {
			no("unauthorized_client")
			return
		}
		s = &signIn{client: client, resource: f.Get("resource"), scope: f.Get("scope")}
	default:
		no("unsupported_grant_type")
		return
	}
	if f.Get("resource") != s.resource {
		no("invalid_target")
		return
	}
	access := rand.Text()
	s.expires = time.Now().Add(a.knobs.Lifetime)
	a.access[access] = s
	answer := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": int(a.knobs.Lifetime.Seconds()), "scope": s.scope}
	if f.Get("grant_type") != "client_credentials" {
		s.current = rand.Text()
		a.refresh[s.current] = s
		answer["refresh_token"] = s.current
	}
	if a.knobs.IDToken != nil && slices.Contains(strings.Fields(s.scope), "openid") {
		if text := a.knobs.IDToken(SignedIn{s.client, s.nonce, s.person}); text != "" {
			answer["id_token"] = text
		}
	}
	reply(w, http.StatusOK, answer)
}
