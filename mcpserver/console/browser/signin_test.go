package browser

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// issuer is an OpenID Connect provider with a page: its person presses yes or no. It also
// gives out tokens for a server of somebody else.
type issuer struct {
	*httptest.Server
	key *ecdsa.PrivateKey

	mu     sync.Mutex
	person map[string]any
	codes  map[string]url.Values // of the requests that they answer
	tokens map[string]bool
}

func issuing(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key, person: map[string]any{}, codes: map[string]url.Values{}, tokens: map[string]bool{}}
	i.Server = httptest.NewServer(i)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) is(person map[string]any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.person = person
}

func (i *issuer) admits(token string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.tokens[token]
}

func part(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// jwt signs claims with ES256 (RFC 7518, 3.4).
func (i *issuer) jwt(claims map[string]any) string {
	payload, _ := json.Marshal(claims)
	text := part([]byte(`{"alg":"ES256","kid":"1","typ":"JWT"}`)) + "." + part(payload)
	sum := sha256.Sum256([]byte(text))
	r, s, _ := ecdsa.Sign(rand.Reader, i.key, sum[:])
	return text + "." + part(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	reply := func(v map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
	q := r.URL.Query()
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		reply(map[string]any{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "registration_endpoint": i.URL + "/register", "jwks_uri": i.URL + "/keys",
			"end_session_endpoint": i.URL + "/logout", "response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "authorization_response_iss_parameter_supported": true,
		})
	case "/keys":
		raw, _ := i.key.PublicKey.Bytes()
		reply(map[string]any{"keys": []any{map[string]any{"kty": "EC", "crv": "P-256", "kid": "1", "alg": "ES256", "x": part(raw[1:33]), "y": part(raw[33:])}}})
	case "/register":
		w.WriteHeader(http.StatusCreated)
		reply(map[string]any{"client_id": "registered", "redirect_uris": []string{}})
	case "/authorize":
		code := rand.Text()
		i.codes[code] = q
		back := func(name, value string) string {
			return q.Get("redirect_uri") + "?" + url.Values{name: {value}, "state": {q.Get("state")}, "iss": {i.URL}}.Encode()
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>Issuer</title><main><h1>Issuer</h1><a id="yes" href="%s">Yes</a> <a id="no" href="%s">No</a></main>`,
			strings.ReplaceAll(back("code", code), "&", "&amp;"), strings.ReplaceAll(back("error", "access_denied"), "&", "&amp;"))
	case "/token":
		asked := i.codes[r.PostFormValue("code")]
		delete(i.codes, r.PostFormValue("code"))
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if asked == nil || asked.Get("code_challenge") != part(sum[:]) || asked.Get("redirect_uri") != r.PostFormValue("redirect_uri") {
			w.WriteHeader(http.StatusBadRequest)
			reply(map[string]any{"error": "invalid_grant"})
			return
		}
		access, now := rand.Text(), time.Now().Unix()
		i.tokens[access] = true
		claims := map[string]any{"iss": i.URL, "aud": asked.Get("client_id"), "nonce": asked.Get("nonce"), "iat": now, "exp": now + 300}
		for name, value := range i.person {
			claims[name] = value
		}
		reply(map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "id_token": i.jwt(claims)})
	case "/logout":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>Out</title><main><h1>Signed out at the issuer</h1></main>`)
	default:
		http.NotFound(w, r)
	}
}

// behindIssuer starts a server whose people sign in at an issuer.
func behindIssuer(t *testing.T, i *issuer) *server {
	t.Helper()
	text := fmt.Sprintf("console: {sign_in: {issuer: %q, look: [staff], manage: [ops]}}\n", i.URL)
	return startedWith(t, func(s *server) {
		if err := os.MkdirAll(s.dir+"/config/glovebox", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.dir+"/config/glovebox/config.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSigningInAtAnIssuer: from the door to the page that was asked for, with a no, a role
// that is refused, a session that ends, going back, and signing out at both.
func TestSigningInAtAnIssuer(t *testing.T) {
	i := issuing(t)
	s := behindIssuer(t, i)
	b := browsing(t)
	i.is(map[string]any{"sub": "u-1", "preferred_username": "<b>Grace</b>\u202e", "groups": []string{"ops"}})
	door := "http://" + s.at + "/"
	b.open(door)
	b.accessible("the door")
	b.picture("sign-in-light")
	b.do(chromedp.Click("a.button"), chromedp.WaitReady("#no"), chromedp.Click("#no"))
	b.await(`document.querySelector('main').textContent.includes('access_denied')`)
	b.accessible("a no")
	b.do(chromedp.Click("a.button"), chromedp.WaitReady("#yes"))
	at := got(b, chromedp.Evaluate[string](`location.href`))
	b.do(chromedp.Click("#yes"))
	b.await(`document.querySelector('h1').textContent == 'Now'`)
	if who := b.text(".who"); !strings.Contains(who, "<b>Grace</b>") || !strings.Contains(who, "202E") || !strings.Contains(who, "manage") {
		t.Errorf("she is shown as %q", who)
	}
	// The issuer's page, gone back to, gives another code for a sign-in that is over.
	b.open(at)
	b.do(chromedp.WaitReady("#yes"), chromedp.Click("#yes"))
	b.await(`document.querySelector('h1').textContent == 'This sign-in does not count'`)
	b.accessible("a sign-in that is over")
	// The session goes on, and no script sees its cookie.
	b.open(door + "sign-in?to=" + url.QueryEscape("record?q=tidy"))
	b.do(chromedp.WaitReady("#yes"), chromedp.Click("#yes"))
	b.await(`document.querySelector('h1').textContent == 'Record' && location.search == '?q=tidy'`)
	if seen := got(b, chromedp.Evaluate[string](`document.cookie`)); seen != "" {
		t.Errorf("a script sees %q", seen)
	}
	page := got(b, chromedp.Evaluate[string](`location.href`))
	b.do(chromedp.Click("form[action$='/leave'] button"))
	b.await(`document.querySelector('h1').textContent == 'Signed out'`)
	b.accessible("signed out")
	b.do(chromedp.Click("main a[href*='/logout']"))
	b.await(`document.querySelector('h1').textContent == 'Signed out at the issuer'`)
	// The page that is asked for without a session leads back to itself.
	i.is(map[string]any{"sub": "u-2", "groups": "staff"})
	b.open(page)
	b.await(`document.querySelector('h1').textContent == 'You are not signed in'`)
	b.do(chromedp.Click("a.button"), chromedp.WaitReady("#yes"), chromedp.Click("#yes"))
	b.await(`document.querySelector('h1').textContent == 'Record' && location.search == '?q=tidy' && document.querySelector('.who').textContent.includes('look')`)
	// Somebody without a role is told which claim was looked at.
	other := browsing(t)
	i.is(map[string]any{"sub": "u-3", "groups": []string{"guests"}})
	other.open(door)
	other.do(chromedp.Click("a.button"), chromedp.WaitReady("#yes"), chromedp.Click("#yes"))
	other.await(`document.querySelector('main').textContent.includes('the claim groups decides who is let in') && document.querySelector('main').textContent.includes('guests')`)
	other.accessible("not let in")
	other.picture("sign-in-refused-light")
	// The answer to one browser is nothing in another one.
	b.open(door + "sign-in")
	b.do(chromedp.WaitReady("#yes"))
	other.open(got(b, chromedp.Evaluate[string](`document.querySelector('#yes').href`)))
	other.await(`document.querySelector('h1').textContent == 'This sign-in does not count'`)
	// The issuer is away; the link still lets people in.
	i.Close()
	other.open(other.enter(s.link("manage")) + "inbox")
	other.await(`document.querySelector('h1').textContent == 'Inbox'`)
	b.clean()
	other.clean()
}

// TestSigningInToAServerInABrowser: a server that wants a token is added, its person signs
// in from its page, and its tools appear.
func TestSigningInToAServerInABrowser(t *testing.T) {
	i := issuing(t)
	s := started(t)
	up := serving(t, tool("read_note", "Reads a note and returns its text."))
	const metadata = "/.well-known/oauth-protected-resource/mcp"
	var far *httptest.Server
	far = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == metadata:
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(map[string]any{"resource": far.URL + "/mcp", "authorization_servers": []string{i.URL}})
		case !i.admits(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")):
			w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer resource_metadata=%q", far.URL+metadata))
			w.WriteHeader(http.StatusUnauthorized)
		default:
			up.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(far.Close)
	b := browsing(t)
	base := b.enter(s.link("manage"))
	b.open(base + "servers/add")
	b.do(chromedp.SendKeys("input[name=name]", "vault"), chromedp.SetValue("input[name=url]", far.URL+"/mcp"), chromedp.Click("input[name=private]"))
	b.press("#add-form", "It was added")
	for _, answer := range []struct{ button, says string }{{"#no", "the issuer says access_denied"}, {"#yes", "signed in by local:"}} {
		b.open(base + "servers/vault")
		b.press("form[action$='/login']", "Open the page of the issuer")
		b.accessible("signing in to a server")
		// The link opens a tab of its own; this one goes there instead and comes back.
		b.open(got(b, chromedp.Evaluate[string](`document.querySelector('a[target=_blank]').href`)))
		b.do(chromedp.Click(answer.button))
		b.await(`document.body.textContent.includes('Glovebox has the answer')`)
		b.open(base + "servers/vault")
		b.await(`document.querySelector('#server-head').textContent.includes(` + quoted(answer.says) + `)`)
	}
	b.press("form[action$='/test']", "to review")
	b.await(`document.querySelector('#tools-box').textContent.includes('read_note')`)
	b.clean()
}
