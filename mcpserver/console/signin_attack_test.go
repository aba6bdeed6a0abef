package console_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/glovebox-run/glovebox/internal/issuertest"
	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/risk"
)

// letIn reports whether a page or its cookies let anybody in.
func letIn(p *shown) bool {
	return p.Find("meta[http-equiv=refresh]").Length() > 0 || strings.Contains(strings.Join(p.header.Values("Set-Cookie"), " "), "glovebox_console=")
}

// TestAttacksOnASignIn: whatever comes back that this browser did not begin, or comes back
// twice, lets nobody in and leaves no record.
func TestAttacksOnASignIn(t *testing.T) {
	s := stagedWithIssuer(t)
	other := stagedWithIssuer(t)
	s.person(issuertest.Person{"sub": "mallory", "groups": "ops"})
	cookieOf := func(b *browser) string {
		at, _ := url.Parse(b.Base + "sign-in")
		all := b.http.Jar.Cookies(at)
		if len(all) != 1 {
			t.Fatalf("the browser has %d cookies", len(all))
		}
		return all[0].Value
	}
	// given is a browser with a cookie that somebody has put there.
	given := func(value string) *browser {
		b := s.newcomer()
		at, _ := url.Parse(b.Base + "sign-in")
		b.http.Jar.SetCookies(at, []*http.Cookie{{Name: "glovebox_sign_in", Value: value, Path: "/sign-in"}})
		return b
	}
	with := func(back, name, value string) string {
		path, query, _ := strings.Cut(back, "?")
		q, _ := url.ParseQuery(query)
		q.Set(name, value)
		return path + "?" + q.Encode()
	}
	for name, attack := range map[string]func() *shown{
		"login CSRF: my answer in another browser": func() *shown {
			_, back := s.paused("now")
			return s.newcomer().get(back)
		},
		"login CSRF: and that browser is about to sign in": func() *shown {
			_, back := s.paused("now")
			victim, _ := s.paused("now")
			return victim.get(back)
		},
		"a cookie of nobody": func() *shown {
			_, back := s.paused("now")
			return given("guessed").get(back)
		},
		"a cookie that was changed": func() *shown {
			b, back := s.paused("now")
			value := []byte(cookieOf(b))
			value[20] ^= 1
			return given(string(value)).get(back)
		},
		"a cookie of another server": func() *shown {
			_, back := s.paused("now")
			theirs, _ := other.paused("now")
			return given(cookieOf(theirs)).get(back)
		},
		"another state": func() *shown {
			b, back := s.paused("now")
			return b.get(with(back, "state", "guessed"))
		},
		"no state": func() *shown {
			b, back := s.paused("now")
			return b.get(with(back, "state", ""))
		},
		"an injected code": func() *shown {
			_, stolen := s.paused("now")
			mine, back := s.paused("now")
			q, _ := url.ParseQuery(stolen[strings.Index(stolen, "?")+1:])
			return mine.get(with(back, "code", q.Get("code")))
		},
		"a mix-up of issuers": func() *shown {
			b, back := s.paused("now")
			return b.get(with(back, "iss", other.issuer.URL))
		},
		"an answer of nobody": func() *shown {
			b, back := s.paused("now")
			return b.get(with(back, "iss", ""))
		},
		"a token instead of a code": func() *shown {
			b, back := s.paused("now")
			q, _ := url.ParseQuery(back[strings.Index(back, "?")+1:])
			return b.get("sign-in/return?" + url.Values{"state": {q.Get("state")}, "iss": {s.issuer.URL}, "id_token": {s.issuer.IDToken(issuertest.SignedIn{Client: "glovebox", Person: issuertest.Person{"sub": "root", "groups": "ops"}}, nil)}}.Encode())
		},
	} {
		if p := attack(); p.status < 400 || letIn(p) {
			t.Errorf("%s: %d %v", name, p.status, p.header.Values("Set-Cookie"))
		}
	}
	if acts := s.acts(); len(acts) != 0 {
		t.Errorf("the record has %+v", acts)
	}
	// Once counts; the same again does not, also with the cookie put back.
	b, back := s.paused("now")
	value := cookieOf(b)
	if p := b.get(back); !letIn(p) {
		t.Fatalf("nobody is let in: %d", p.status)
	}
	asked := len(s.issuer.Asked())
	for _, again := range []*browser{b, given(value)} {
		if p := again.get(back); p.status != http.StatusBadRequest || letIn(p) || p.Find("a.button").AttrOr("href", "") == "" {
			t.Errorf("the same answer again: %d", p.status)
		}
	}
	if len(s.issuer.Asked()) != asked {
		t.Error("a spent sign-in asks the issuer")
	}
	// What only looks does not spend it: programs that look at links, and other sites.
	b, back = s.paused("now")
	for _, change := range []func(*http.Request){
		func(r *http.Request) { r.Method = http.MethodHead },
		func(r *http.Request) { r.Method = http.MethodPost },
		func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "no-cors")
			r.Header.Set("Sec-Fetch-Dest", "image")
		},
		func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "iframe")
		},
	} {
		r, _ := http.NewRequest(http.MethodGet, s.Origin+"/"+back, nil)
		change(r)
		if p := b.send(r); p.status < 400 || letIn(p) {
			t.Errorf("%s %v is %d", r.Method, r.Header, p.status)
		}
	}
	if p := b.get(back); !letIn(p) {
		t.Errorf("after that the person is not let in: %d", p.status)
	}
}

// TestAFloodOfSignInsEndsNobodyElses.
func TestAFloodOfSignInsEndsNobodyElses(t *testing.T) {
	s := stagedWithIssuer(t)
	s.person(issuertest.Person{"sub": "u", "groups": "ops"})
	b, back := s.paused("now")
	stay := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for range 3000 {
		answer, err := stay.Get(s.Origin + "/sign-in")
		if err != nil || answer.StatusCode != http.StatusSeeOther {
			t.Fatal(answer, err)
		}
		answer.Body.Close()
	}
	if p := b.get(back); !letIn(p) {
		t.Errorf("the person is not let in: %d", p.status)
	}
}

// TestHostileTokens: what the issuer's answer must not be, as far as the console. Package
// oauth has more of them.
func TestHostileTokens(t *testing.T) {
	s := stagedWithIssuer(t)
	s.person(issuertest.Person{"sub": "mallory", "groups": "ops"})
	for name, replace := range map[string]map[string]any{
		"another audience": {"aud": "other-program"}, "another nonce": {"nonce": "x"}, "another issuer": {"iss": "https://evil.example"}, "no subject": {"sub": ""},
		"a megabyte": {"preferred_username": strings.Repeat("x", 1<<20-4000)}, "a long subject": {"sub": strings.Repeat("x", 600)},
	} {
		s.issuer.Set(func(k *issuertest.Knobs) {
			k.IDToken = func(who issuertest.SignedIn) string { return s.issuer.IDToken(who, replace) }
		})
		if p := s.newcomer().get("sign-in"); p.status < 400 || letIn(p) || len(p.body) > 20<<10 {
			t.Errorf("%s: %d, %d bytes", name, p.status, len(p.body))
		}
	}
	if acts := s.acts(); len(acts) != 0 {
		t.Errorf("the record has %+v", acts)
	}
}

// TestHostileNames: what somebody is called is text, wherever it is shown.
func TestHostileNames(t *testing.T) {
	s := stagedWithIssuer(t)
	for _, name := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `{{.Page.Token}}`, `</title><svg onload=alert(1)>`, "\u202egnimoc", "\u2066a\u2069\u200b", "local:ada", "\x00\x1b[2J", strings.Repeat("long ", 2000), "https://evil.example", `javascript:alert(1)`,
	} {
		for _, claims := range []issuertest.Person{
			{"sub": "u", "preferred_username": name, "groups": "ops"}, {"sub": "u", "groups": name}, {"sub": name[:min(len(name), 500)], "groups": "ops"}, {"sub": name[:min(len(name), 500)], "groups": "none"},
		} {
			s.person(claims)
			b := s.newcomer()
			first := b.get("sign-in")
			pages := []*shown{first}
			if letIn(first) {
				pages = append(pages, b.goesOn(first), b.get("inbox"), b.get("record"))
			}
			for _, p := range pages {
				if len(p.body) > 150<<10 {
					t.Errorf("%.20q: a page of %d bytes", name, len(p.body))
				}
				if n := p.Find("script:not([src]),img:not([src^='/assets/']),svg:not(.chart svg):not(.chart),iframe,[onerror],[onload],[style]").Length(); n > 0 {
					t.Errorf("%.20q: %d elements of a stranger on\n%s", name, n, p.body)
				}
				p.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
					if to, err := url.Parse(a.AttrOr("href", "")); err != nil || to.Host != "" || to.Scheme != "" {
						t.Errorf("%.20q: a link to %s", name, a.AttrOr("href", ""))
					}
				})
				if strings.ContainsAny(p.body, "\u202e\u2066\u200b\x00\x1b") || strings.Contains(p.body, "alert(1)>") {
					t.Errorf("%.20q is not spelled out on\n%s", name, p.body)
				}
			}
		}
	}
}

// least is the role that each act and page needs.
var least = map[string][]string{
	"look": {
		"leave", "servers/preview", "servers/{name}/expose/preview", "record/export",
		"now", "inbox", "tools", "tools/{tool}", "servers", "servers/add", "servers/catalog", "servers/{name}", "servers/{name}/review", "servers/{name}/expose", "servers/{name}/score", "compositions", "compositions/{name}", "sessions", "sessions/{session}", "record", "record/{id}",
	},
	"answer": {"inbox/{id}/approve", "inbox/{id}/revoke", "inbox/rules/{id}/revoke", "inbox/{id}/deny", "sessions/revoke"},
	"manage": {
		"tools/{tool}/try", "write/check", "write/save", "write/pass", "write/publish", "write/cluster", "write/withdraw", "sessions/reset", "servers/add", "servers/import",
		"servers/{name}/enable", "servers/{name}/disable", "servers/{name}/quarantine", "servers/{name}/remove", "servers/{name}/test", "servers/{name}/scan", "servers/{name}/login", "servers/{name}/logout",
		"servers/{name}/accept", "servers/{name}/revoke", "servers/{name}/forget", "servers/{name}/expose", "servers/{name}/unexpose",
		"compositions/create", "compositions/{name}/update", "compositions/{name}/drop", "compositions/{name}/enable", "compositions/{name}/disable", "compositions/{name}/delete",
		"write",
	},
}

var inBraces = regexp.MustCompile(`\{[a-z]+\}`)

// TestNoRoleDoesMoreThanItMay: every act and every page, for each role below the one that
// it needs, and for nobody; a refused act is on record with who tried. A role that does get
// in is told something else than that.
func TestNoRoleDoesMoreThanItMay(t *testing.T) {
	s := stagedWithIssuer(t)
	e := s.asked("bearer", "wipe", risk.L4, `{}`, "")
	groups := map[string]string{"look": "staff", "answer": "oncall", "manage": "ops"}
	roles := []string{"look", "answer", "manage"}
	people := map[string]*browser{}
	for role, group := range groups {
		people[role] = s.signsIn(issuertest.Person{"sub": role, "groups": group})
	}
	nobody := &browser{t: t, Base: people["look"].Base}
	// needs finds the role of an address in the table. Three addresses are both read and
	// posted to.
	needs := func(path string, act bool) int {
		at := -1
		for i, role := range roles {
			if slices.Contains(least[role], path) && (at < 0 || act) {
				at = i
			}
		}
		if at < 0 {
			t.Fatalf("the table has no row for %s", path)
		}
		return at
	}
	refused := func(p *shown) bool {
		return p.status == http.StatusForbidden && strings.Contains(p.Find("h1").Text(), "Not with this role")
	}
	toDo, toSee := console.Addresses()
	for _, path := range toDo {
		if path == "leave" {
			continue // everybody may go
		}
		at := inBraces.ReplaceAllString(path, "nothing")
		if strings.HasPrefix(path, "inbox/{id}") {
			at = strings.Replace(path, "{id}", e.ID, 1)
		}
		if p := nobody.post(at, url.Values{"token": {"x"}}); p.status != http.StatusUnauthorized {
			t.Errorf("%s by nobody is %d", path, p.status)
		}
		for i, role := range roles[:needs(path, true)] {
			b := people[role]
			before := len(s.acts())
			if p := b.post(at, url.Values{"token": {b.get("now").token()}}); !refused(p) {
				t.Errorf("%s with the role %s is %d", path, roles[i], p.status)
			}
			acts := s.acts()[before:]
			if len(acts) != 1 || !strings.Contains(acts[0].Caller, `"`+role+`"`) || acts[0].Outcome != "ERROR" {
				t.Errorf("%s with the role %s is on record as %+v", path, role, acts)
			}
			if p := b.post(at, url.Values{"token": {people["manage"].get("now").token()}}); p.status != http.StatusForbidden {
				t.Errorf("%s with the token of somebody else is %d", path, p.status)
			}
		}
	}
	for _, path := range toSee {
		at := inBraces.ReplaceAllString(path, "nothing")
		if p := nobody.get(at); p.status != http.StatusUnauthorized {
			t.Errorf("%s is shown to nobody with %d", path, p.status)
		}
		for i, role := range roles {
			want := i < needs(path, false)
			if strings.HasSuffix(path, "/try") || path == "servers/import" {
				want = role != "manage" // their pages need what their acts need
			}
			if got := refused(people[role].get(at)); got != want {
				t.Errorf("%s with the role %s is refused: %v", path, role, got)
			}
		}
	}
	if now, _ := s.Desk.Show(t.Context(), e.ID); now.State != "open" {
		t.Errorf("the question is %s", now.State)
	}
}

// TestASessionIsOfItsOwnServer: the cookie of a console is nothing at another one, and no
// other origin reads a page with it.
func TestASessionIsOfItsOwnServer(t *testing.T) {
	s, other := stagedWithIssuer(t), stagedWithIssuer(t)
	b := s.signsIn(issuertest.Person{"sub": "u", "groups": "ops"})
	theirs := other.signsIn(issuertest.Person{"sub": "u", "groups": "ops"})
	at, _ := url.Parse(b.Base)
	to, _ := url.Parse(theirs.Base)
	theirs.http.Jar, _ = cookiejar.New(nil)
	theirs.http.Jar.SetCookies(to, b.http.Jar.Cookies(at))
	if p := theirs.get("now"); p.status != http.StatusUnauthorized {
		t.Errorf("a cookie of another server is %d", p.status)
	}
	for _, origin := range []string{"https://evil.example", "null", "http://127.0.0.1:1", s.issuer.URL} {
		r, _ := http.NewRequest(http.MethodGet, b.Base+"now", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Sec-Fetch-Mode", "cors")
		p := b.send(r)
		if p.status != http.StatusForbidden || p.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s reads the page: %d", origin, p.status)
		}
	}
	// The door tells nobody where the console is.
	for _, path := range []string{"", "sign-in/return", "sign-in/return?code=x&state=y", "nothing"} {
		if p := s.newcomer().get(path); strings.Contains(p.body, mustPath(t, b.Base)) {
			t.Errorf("/%s tells the console's path", path)
		}
	}
}
