package console_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/internal/issuertest"
	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/mcpserver/oauth"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// issued is a stage whose people sign in at an issuer.
type issued struct {
	*stage
	issuer *issuertest.OpenID
	Origin string
}

func stagedWithIssuer(t testing.TB, change ...func(*console.Options)) *issued {
	t.Helper()
	s := &issued{issuer: issuertest.StartOpenID(t, "glovebox", "")}
	party, err := oauth.OpenParty(oauth.PartyConfig{Issuer: s.issuer.URL, ClientID: "glovebox", Scopes: []string{"openid", "profile"}})
	if err != nil {
		t.Fatal(err)
	}
	with := func(o *console.Options) {
		o.SignIn = &console.SignIn{Party: party, Claim: "groups", Look: []string{"staff"}, Answer: []string{"oncall"}, Manage: []string{"ops", "root"}, Called: "preferred_username", Lasts: 12 * time.Hour}
	}
	s.stage = staged(t, append([]func(*console.Options){with}, change...)...)
	link, err := s.Console.Link("local:ada", "look")
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(link)
	s.Origin = u.Scheme + "://" + u.Host
	return s
}

// person is who signs in from now on.
func (s *issued) person(claims issuertest.Person) {
	s.issuer.Set(func(k *issuertest.Knobs) { k.Person = claims })
}

// newcomer returns the browser of somebody who is not signed in; its Base is the origin.
func (s *issued) newcomer() *browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &browser{t: s.t, Base: s.Origin + "/", http: http.Client{Jar: jar}}
}

// goesOn follows the page that somebody is shown who has just signed in, and sets Base.
func (b *browser) goesOn(p *shown) *shown {
	b.t.Helper()
	to, found := p.Find("meta[http-equiv=refresh]").Attr("content")
	if p.status != http.StatusOK || !found {
		b.t.Fatalf("nobody is let in: %d %s", p.status, p.Find("main").Text())
	}
	at := strings.TrimPrefix(to, "0;url=/")
	secret, rest, _ := strings.Cut(at, "/")
	b.Base += secret + "/"
	return b.get(rest)
}

// signsIn signs a person in and returns their browser.
func (s *issued) signsIn(claims issuertest.Person) *browser {
	s.t.Helper()
	s.person(claims)
	b := s.newcomer()
	b.goesOn(b.get("sign-in"))
	return b
}

// paused returns the browser at the moment when it is about to come back from the issuer,
// and the address that it would open.
func (s *issued) paused(to string) (*browser, string) {
	s.t.Helper()
	b := s.newcomer()
	b.http.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasSuffix(r.URL.Path, "/return") {
			return http.ErrUseLastResponse
		}
		return nil
	}
	answer, err := b.http.Get(s.Origin + "/sign-in?to=" + url.QueryEscape(to))
	if err != nil {
		s.t.Fatal(err)
	}
	answer.Body.Close()
	back := answer.Header.Get("Location")
	if !strings.HasPrefix(back, s.Origin+"/sign-in/return?") {
		s.t.Fatalf("the issuer sends the browser to %q", back)
	}
	b.http.CheckRedirect = nil
	return b, strings.TrimPrefix(back, s.Origin+"/")
}

func TestPeopleSignInAtTheIssuer(t *testing.T) {
	s := stagedWithIssuer(t)
	s.person(issuertest.Person{"sub": "u-17", "preferred_username": "grace", "groups": []string{"staff", "ops"}})
	b := s.newcomer()
	door := b.get("")
	if to, _ := door.Find("a.button").Attr("href"); door.status != http.StatusOK || to != "/sign-in" || !strings.Contains(door.Find("pre").Text(), "glovebox console") {
		t.Fatalf("the door leads to %q", to)
	}
	p := b.goesOn(b.get("sign-in"))
	if p.Find("h1").Text() != "Now" || !strings.Contains(p.Find(".who").Text(), "grace at "+strings.TrimPrefix(s.issuer.URL, "http://")) || !strings.Contains(p.Find(".who").Text(), "manage") {
		t.Errorf("she is shown as %q on %q", p.Find(".who").Text(), p.Find("h1").Text())
	}
	who := `oauth:"` + s.issuer.URL + `" "u-17" "glovebox"`
	e := s.asked("bearer", "wipe", risk.L4, `{}`, "")
	b.submit(b.get("inbox"), "form[action$='"+e.ID+"/approve']", nil)
	if now, _ := s.Desk.Show(t.Context(), e.ID); now.AnsweredBy() != who {
		t.Errorf("the question was answered by %s", now.AnsweredBy())
	}
	var about map[string]string
	for i, want := range []string{"console/sign-in", "console/approve"} {
		acts := s.acts()
		if len(acts) != 2 || acts[i].Tool != want || acts[i].Caller != who {
			t.Fatalf("the record has %+v", acts)
		}
	}
	if err := json.Unmarshal(s.acts()[0].Parameters, &about); err != nil || about["role"] != "manage" || about["issuer"] != s.issuer.URL || about["subject"] != "u-17" || about["claim"] != "groups" || about["value"] != "ops" {
		t.Errorf("the sign-in is on record as %v, %v", about, err)
	}
	// Signing out ends the session here, and offers to end it there.
	p = b.submit(b.get("now"), "form[action$=leave]", nil)
	leave, _ := url.Parse(p.Find("main a[href^='http']").AttrOr("href", ""))
	if p.Find("h1").Text() != "Signed out" || leave.Path != "/logout" || leave.Query().Get("id_token_hint") == "" {
		t.Errorf("signing out shows %s", p.Find("main").Text())
	}
	if p := b.get("now"); p.status != http.StatusUnauthorized {
		t.Errorf("after it the page is %d", p.status)
	}
}

func TestTheCookiesOfASignIn(t *testing.T) {
	s := stagedWithIssuer(t)
	s.person(issuertest.Person{"sub": "x", "groups": "staff"})
	b := s.newcomer()
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	b.http.CheckRedirect = stay
	p := b.get("sign-in")
	ticket := p.header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/sign-in", "Max-Age=600"} {
		if !strings.Contains(ticket, want) {
			t.Errorf("the cookie %q lacks %s", ticket, want)
		}
	}
	asked, _ := url.Parse(p.header.Get("Location"))
	q := asked.Query()
	if q.Get("redirect_uri") != s.Origin+"/sign-in/return" || q.Get("code_challenge_method") != "S256" || strings.Contains(ticket, q.Get("state")) || strings.Contains(ticket, q.Get("nonce")) {
		t.Errorf("the issuer is asked %v with the cookie %s", q, ticket)
	}
	b.http.CheckRedirect = nil
	p = b.get("sign-in")
	var session string
	for _, c := range p.header.Values("Set-Cookie") {
		if strings.HasPrefix(c, "glovebox_console=") {
			session = c
		}
	}
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Max-Age=43200"} {
		if !strings.Contains(session, want) {
			t.Errorf("the cookie %q lacks %s", session, want)
		}
	}
	if p.header.Get("Referrer-Policy") != "no-referrer" || p.header.Get("Cache-Control") != "no-store" {
		t.Error("the page at the address with the code is kept or told")
	}
}

// TestBehindAProxy: the configured address counts, whatever a request says about itself.
func TestBehindAProxy(t *testing.T) {
	s := stagedWithIssuer(t, func(o *console.Options) { o.URL = "https://console.example" })
	link, _ := s.Console.Link("x", "look")
	if !strings.HasPrefix(link, "https://console.example/") {
		t.Fatal(link)
	}
	ask := func(s *issued, host string, headers map[string]string) *http.Response {
		r := httptest.NewRequest(http.MethodGet, "/sign-in?to=inbox", nil)
		r.Host = host
		for name, value := range headers {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		s.Console.ServeHTTP(w, r)
		return w.Result()
	}
	redirect := func(answer *http.Response) string {
		to, _ := url.Parse(answer.Header.Get("Location"))
		return to.Query().Get("redirect_uri")
	}
	for _, headers := range []map[string]string{nil, {"X-Forwarded-Proto": "http", "X-Forwarded-Host": "evil.example"}, {"Forwarded": "host=evil.example;proto=http"}} {
		for _, host := range []string{"console.example", "127.0.0.1:8283"} {
			answer := ask(s, host, headers)
			cookie := answer.Header.Get("Set-Cookie")
			if redirect(answer) != "https://console.example/sign-in/return" || !strings.HasPrefix(cookie, "__Host-") || !strings.Contains(cookie, "Secure") || !strings.Contains(cookie, "Path=/;") {
				t.Errorf("%s, %v: %s, %s", host, headers, redirect(answer), cookie)
			}
		}
	}
	plain := stagedWithIssuer(t)
	own := strings.TrimPrefix(plain.Origin, "http://")
	answer := ask(plain, own, map[string]string{"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"})
	if redirect(answer) != plain.Origin+"/sign-in/return" || strings.Contains(answer.Header.Get("Set-Cookie"), "Secure") {
		t.Errorf("headers of nobody's proxy count: %s, %s", redirect(answer), answer.Header.Get("Set-Cookie"))
	}
	// Under another name of the machine the cookie would stay behind.
	answer = ask(plain, strings.Replace(own, "127.0.0.1", "localhost", 1), nil)
	if answer.Header.Get("Location") != plain.Origin+"/sign-in?to=inbox" || answer.Header.Get("Set-Cookie") != "" {
		t.Errorf("under localhost it goes to %s", answer.Header.Get("Location"))
	}
	if answer := ask(plain, "evil.example", nil); answer.StatusCode != http.StatusForbidden {
		t.Errorf("under a name that is not ours it is %d", answer.StatusCode)
	}
}

// TestOverTLS: a console that other machines reach has TLS of its own, and its cookies are
// for TLS alone.
func TestOverTLS(t *testing.T) {
	shows := httptest.NewTLSServer(nil) // for its certificate
	defer shows.Close()
	s := stagedWithIssuer(t, func(o *console.Options) {
		o.URL, o.TLS = "https://example.com", &tls.Config{Certificates: shows.TLS.Certificates}
	})
	link, err := s.Console.Link("local:ada", "look")
	if err != nil || s.Origin != "https://example.com" {
		t.Fatal(link, err)
	}
	s.person(issuertest.Person{"sub": "u", "groups": "ops"})
	b := s.newcomer()
	transport := shows.Client().Transport.(*http.Transport).Clone()
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == "example.com:443" {
			addr = s.Console.ListensAt()
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	b.http.Transport = transport
	first := b.get("sign-in?to=inbox")
	cookies := strings.Join(first.header.Values("Set-Cookie"), "\n")
	if p := b.goesOn(first); p.Find("h1").Text() != "Inbox" || strings.Count(cookies, "Secure") != 2 || !strings.Contains(cookies, "__Host-glovebox_sign_in=; Path=/;") {
		t.Errorf("%q with\n%s", p.Find("h1").Text(), cookies)
	}
	if answer, err := http.Get("http://" + s.Console.ListensAt() + "/"); err != nil || answer.StatusCode != http.StatusBadRequest {
		t.Errorf("without TLS it answers %v, %v", answer, err)
	}
}

func TestRolesComeFromClaims(t *testing.T) {
	s := stagedWithIssuer(t)
	for name, row := range map[string]struct {
		claims issuertest.Person
		role   string // empty is nobody
		says   string
	}{
		"highest":         {issuertest.Person{"groups": []string{"staff", "oncall", "ops"}}, "manage", ""},
		"answer":          {issuertest.Person{"groups": []string{"staff", "oncall"}}, "answer", ""},
		"one text":        {issuertest.Person{"groups": "staff"}, "look", ""},
		"no claim":        {nil, "", "the issuer said nothing in the claim groups"},
		"null":            {issuertest.Person{"groups": nil}, "", "said nothing in the claim groups"},
		"another claim":   {issuertest.Person{"roles": []string{"ops"}}, "", "said nothing in the claim groups"},
		"case of a claim": {issuertest.Person{"Groups": []string{"ops"}}, "", "said nothing in the claim groups"},
		"none":            {issuertest.Person{"groups": []string{}}, "", "is empty"},
		"others":          {issuertest.Person{"groups": []string{"guests", "Ops", "ops ", "ops\u200b", "op", "*"}}, "", `no value that gives a role: "guests", "Ops", "ops ", "ops\u200b"`},
		"in one text":     {issuertest.Person{"groups": "staff ops"}, "", `"staff ops"`},
		"a number":        {issuertest.Person{"groups": 1}, "", "neither a text nor a list"},
		"true":            {issuertest.Person{"groups": true}, "", "neither a text nor a list"},
		"an object":       {issuertest.Person{"groups": map[string]any{"ops": true}}, "", "neither a text nor a list"},
		"a list in it":    {issuertest.Person{"groups": []any{[]string{"ops"}}}, "", "neither a text nor a list"},
		"mixed":           {issuertest.Person{"groups": []any{"ops", 1}}, "", "neither a text nor a list"},
		"many":            {issuertest.Person{"groups": slices.Repeat([]string{"guests"}, 400)}, "", "and 392 more"},
		"empty text":      {issuertest.Person{"groups": ""}, "", `role: ""`},
	} {
		claims := issuertest.Person{"sub": "u"}
		for k, v := range row.claims {
			claims[k] = v
		}
		s.person(claims)
		before := len(s.acts())
		b := s.newcomer()
		p := b.get("sign-in")
		acts := s.acts()[before:]
		if row.role == "" {
			if p.status != http.StatusForbidden || !strings.Contains(p.Find("main").Text(), row.says) || strings.Contains(strings.Join(p.header.Values("Set-Cookie"), " "), "glovebox_console") {
				t.Errorf("%s: %d %s", name, p.status, p.Find("main").Text())
			}
			if len(acts) != 1 || acts[0].Outcome != audit.Error || !strings.Contains(acts[0].Caller, `"u"`) {
				t.Errorf("%s: the record has %+v", name, acts)
			}
			continue
		}
		if p := b.goesOn(p); !strings.Contains(p.Find(".who").Text(), row.role) || len(acts) != 1 || acts[0].Outcome != audit.OK {
			t.Errorf("%s: %s, %+v", name, p.Find(".who").Text(), acts)
		}
	}
}

// TestAnEmailHasToBeChecked: at many issuers anybody can say what theirs is.
func TestAnEmailHasToBeChecked(t *testing.T) {
	s := stagedWithIssuer(t, func(o *console.Options) { o.SignIn.Claim, o.SignIn.Manage = "email", []string{"ada@corp.example"} })
	for _, checked := range []any{nil, false, "false", 1} {
		s.person(issuertest.Person{"sub": "u", "email": "ada@corp.example", "email_verified": checked})
		if p := s.newcomer().get("sign-in"); p.status != http.StatusForbidden || !strings.Contains(p.Find("main").Text(), "email_verified") {
			t.Errorf("%v: %d", checked, p.status)
		}
	}
	s.signsIn(issuertest.Person{"sub": "u", "email": "ada@corp.example", "email_verified": true})
}

// TestWithoutValuesNobodyGetsIn: the zero mapping lets nobody in.
func TestWithoutValuesNobodyGetsIn(t *testing.T) {
	s := stagedWithIssuer(t, func(o *console.Options) { o.SignIn = &console.SignIn{Party: o.SignIn.Party} })
	for _, claims := range []issuertest.Person{{"sub": "u", "groups": "ops"}, {"sub": "u", "": "ops"}, {"sub": "u", "": ""}} {
		s.person(claims)
		if p := s.newcomer().get("sign-in"); p.status != http.StatusForbidden {
			t.Errorf("%v: %d", claims, p.status)
		}
	}
}

// TestSignInLeadsBack: to the page that was asked for, and never elsewhere.
func TestSignInLeadsBack(t *testing.T) {
	s := stagedWithIssuer(t)
	b := s.signsIn(issuertest.Person{"sub": "u", "groups": "ops"})
	ours := mustPath(t, b.Base)
	b.http.Jar, _ = cookiejar.New(nil) // the session is gone
	gone := b.get("record?q=a%20b&outcome=OK")
	to, _ := gone.Find("a.button").Attr("href")
	if gone.status != http.StatusUnauthorized || !strings.HasPrefix(to, "/sign-in?") {
		t.Fatalf("%d, %s", gone.status, to)
	}
	b.Base = s.Origin + "/"
	p := b.get(strings.TrimPrefix(to, "/"))
	if refresh := p.Find("meta[http-equiv=refresh]").AttrOr("content", ""); refresh != "0;url="+ours+"record?q=a%20b&outcome=OK" {
		t.Errorf("it leads to %s", refresh)
	}
	// A bookmark of before a restart, and a form whose session is over.
	p = s.newcomer().get("abcdefghijklm/inbox")
	if to := p.Find("a.button").AttrOr("href", ""); to != "/sign-in?to=inbox" || p.status != http.StatusNotFound {
		t.Errorf("%d, %s", p.status, to)
	}
	p = s.newcomer().post(strings.TrimPrefix(ours, "/")+"inbox/x/approve", nil, func(r *http.Request) { r.Header.Set("Referer", s.Origin+ours+"inbox") })
	if to := p.Find("a.button").AttrOr("href", ""); to != "/sign-in?to=inbox" || p.status != http.StatusUnauthorized {
		t.Errorf("%d, %s", p.status, to)
	}
	for _, hostile := range []string{
		"https://evil.example", "//evil.example", "///evil.example", `\\evil.example`, `/\evil.example`, "javascript:alert(1)", "data:text/html,x", "http:inbox", "//evil.example/inbox", "/inbox", "../inbox", "servers/..", "servers/../..", "./inbox",
		"enter?link=x", "events", "leave", "sign-in", "inbox/x/approve", "\x00inbox", "inbox\r\nX: y", "%2f%2fevil.example", "inbox#//evil.example", strings.Repeat("x", 2000), "record?" + strings.Repeat("x", 3000), `"><script>alert(1)</script>`, "user:pass@evil.example/inbox", "@evil.example",
		"record?q=0;url=https://evil.example",
	} {
		b, back := s.paused(hostile)
		p := b.get(back)
		refresh := p.Find("meta[http-equiv=refresh]").AttrOr("content", "")
		if want := ours + "now"; refresh != "0;url="+want && !strings.HasPrefix(refresh, "0;url="+ours+"record?") && refresh != "0;url="+ours+"inbox" {
			t.Errorf("%q leads to %q", hostile, refresh)
		}
		if u, err := url.Parse(strings.TrimPrefix(refresh, "0;url=")); err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(u.Path, ours) || strings.Contains(u.Path, "..") {
			t.Errorf("%q leads to %q", hostile, refresh)
		}
	}
}

// TestTheIssuerIsAway: a sentence with a way out, and the link lets people in.
func TestTheIssuerIsAway(t *testing.T) {
	s := stagedWithIssuer(t)
	s.person(issuertest.Person{"sub": "u", "groups": "ops"})
	b, back := s.paused("inbox")
	s.issuer.Set(func(k *issuertest.Knobs) {
		k.Before = func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}
	})
	p := b.get(back)
	if to := p.Find("a.button").AttrOr("href", ""); p.status != http.StatusServiceUnavailable || to != "/sign-in?to=inbox" {
		t.Errorf("while the code is exchanged: %d, %s", p.status, to)
	}
	cold := stagedWithIssuer(t)
	cold.issuer.Close()
	p = cold.newcomer().get("sign-in")
	if p.status != http.StatusServiceUnavailable || !strings.Contains(p.Find("main").Text(), "does not answer") || !strings.Contains(p.Find("pre").Text(), "glovebox console") {
		t.Errorf("before: %d %s", p.status, p.Find("main").Text())
	}
	if p := cold.signedIn("local:ada", "manage").get("now"); p.status != http.StatusOK || !strings.Contains(p.Find(".who").Text(), "local:ada") {
		t.Errorf("the link gives %d", p.status)
	}
}

// TestSomebodySaysNo at the issuer.
func TestSomebodySaysNo(t *testing.T) {
	s := stagedWithIssuer(t)
	s.issuer.Set(func(k *issuertest.Knobs) {
		k.Answer = func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }
	})
	p := s.newcomer().get("sign-in")
	if p.status != http.StatusForbidden || !strings.Contains(p.Find("main").Text(), "access_denied") || p.Find("a.button").AttrOr("href", "") == "" {
		t.Errorf("%d %s", p.status, p.Find("main").Text())
	}
	if acts := s.acts(); len(acts) != 0 {
		t.Errorf("the record has %+v", acts)
	}
}

// TestASessionEndsWhenItsTimeIsOver, which is the issuer's kind of session's own.
func TestASessionEndsWhenItsTimeIsOver(t *testing.T) {
	var ahead atomic.Int64
	s := stagedWithIssuer(t, func(o *console.Options) {
		o.SignIn.Lasts, o.Now = time.Hour, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	b := s.signsIn(issuertest.Person{"sub": "u", "groups": "staff"})
	ahead.Store(int64(time.Hour - time.Minute))
	if p := b.get("now"); p.status != http.StatusOK {
		t.Errorf("before its end it is %d", p.status)
	}
	ahead.Store(int64(time.Hour))
	if p := b.get("now"); p.status != http.StatusUnauthorized || p.Find("a.button").AttrOr("href", "") != "/sign-in?to=now" {
		t.Errorf("after it, %d", p.status)
	}
	// So does a sign-in that took too long.
	b, back := s.paused("now")
	ahead.Add(int64(10*time.Minute + time.Second))
	if p := b.get(back); p.status != http.StatusBadRequest {
		t.Errorf("after ten minutes, %d", p.status)
	}
}

func TestWithoutARecordNobodySignsIn(t *testing.T) {
	s := stagedWithIssuer(t)
	s.person(issuertest.Person{"sub": "u", "groups": "ops"})
	if err := s.Record.Close(); err != nil {
		t.Fatal(err)
	}
	p := s.newcomer().get("sign-in")
	if p.status != http.StatusServiceUnavailable || strings.Contains(strings.Join(p.header.Values("Set-Cookie"), " "), "glovebox_console=") {
		t.Errorf("%d, %v", p.status, p.header.Values("Set-Cookie"))
	}
}
