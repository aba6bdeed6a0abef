package console_test

import (
	"bufio"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/risk"
)

func TestALinkSignsInOnceAndOnRecord(t *testing.T) {
	s := staged(t)
	link, err := s.Console.Link("local:ada", "manage")
	if err != nil {
		t.Fatal(err)
	}
	enter := "enter?" + strings.SplitN(link, "?", 2)[1]
	thief := s.stranger(link)
	if p := thief.get("now"); p.status != http.StatusUnauthorized {
		t.Errorf("without a link the page is %d", p.status)
	}
	b := s.stranger(link)
	p := b.get(enter)
	cookie := p.header.Get("Set-Cookie")
	base, _ := url.Parse(b.Base)
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=" + base.Path, "Max-Age=43200"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q lacks %s", cookie, want)
		}
	}
	if p := b.get("now"); p.status != http.StatusOK || p.Find("h1").Text() != "Now" {
		t.Errorf("after the link the page is %d", p.status)
	}
	if p := thief.get(enter); p.status != http.StatusUnauthorized || p.header.Get("Set-Cookie") != "" {
		t.Error("a link signed in twice")
	}
	acts := s.acts()
	if len(acts) != 1 || acts[0].Tool != "console/sign-in" || acts[0].Caller != "local:ada" {
		t.Errorf("the record has %+v", acts)
	}
}

// TestAHeadDoesNotSpendALink: mail and chat programs look at links with HEAD.
func TestAHeadDoesNotSpendALink(t *testing.T) {
	s := staged(t)
	link, err := s.Console.Link("local:ada", "look")
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := http.Head(link); err != nil || answer.StatusCode != http.StatusMethodNotAllowed {
		t.Fatal(answer, err)
	}
	if p := s.stranger(link).get("enter?" + strings.SplitN(link, "?", 2)[1]); p.status != http.StatusOK {
		t.Errorf("after a HEAD the link gives %d", p.status)
	}
}

func TestEveryAnswerCarriesTheHeaders(t *testing.T) {
	s := staged(t)
	b := s.signedIn("local:ada", "manage")
	for _, path := range []string{"now", "inbox", "nothing", "enter?link=spent"} {
		p := b.get(path)
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
			"Cache-Control":           "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := p.header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		if p.Find("[style],[onclick],script:not([src]),style,iframe,object,embed,base").Length() > 0 {
			t.Errorf("%s has what the policy refuses", path)
		}
	}
}

// TestRequestsOfOthersAreRefused: names that were rebound, other sites, other ports of the
// same machine, forms without their token.
func TestRequestsOfOthersAreRefused(t *testing.T) {
	s := staged(t)
	b := s.signedIn("local:ada", "manage")
	e := s.asked("bearer", "wipe", risk.L4, `{}`, "Why not?")
	token := b.get("inbox").token()
	path, form := "inbox/"+e.ID+"/approve", url.Values{"token": {token}}
	ours, _ := url.Parse(b.Base)
	with := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	without := func(names ...string) func(*http.Request) {
		return func(r *http.Request) {
			for _, n := range names {
				r.Header.Del(n)
			}
		}
	}
	for name, change := range map[string]func(*http.Request){
		"another site":   with("Origin", "https://evil.example"),
		"another port":   with("Origin", "http://127.0.0.1:1"),
		"no origin":      with("Origin", "null"),
		"cross-site":     with("Sec-Fetch-Site", "cross-site"),
		"same site":      with("Sec-Fetch-Site", "same-site"),
		"nothing said":   without("Origin", "Sec-Fetch-Site"),
		"a rebound name": func(r *http.Request) { r.Host = "evil.example"; r.Header.Set("Origin", "http://evil.example") },
		"name with a port": func(r *http.Request) {
			r.Host = "evil.example:" + ours.Port()
			r.Header.Set("Origin", "http://"+r.Host)
		},
	} {
		if p := b.post(path, form, change); p.status != http.StatusForbidden {
			t.Errorf("%s: %d", name, p.status)
		}
	}
	other := s.signedIn("local:eve", "manage").get("inbox").token()
	for _, token := range []string{"", "x", other} {
		if p := b.post(path, url.Values{"token": {token}}); p.status != http.StatusForbidden {
			t.Errorf("the token %q gave %d", token, p.status)
		}
	}
	if p := b.get("inbox/" + e.ID + "/approve"); p.status != http.StatusNotFound {
		t.Errorf("a GET of an act is %d", p.status)
	}
	if p := b.post(path+"?token="+token, nil); p.status != http.StatusForbidden {
		t.Error("a token in the address counts")
	}
	if now, _ := s.Desk.Show(t.Context(), e.ID); now.State != "open" {
		t.Fatalf("the question is %s", now.State)
	}
	for _, change := range []func(*http.Request){with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Site", "same-site")} {
		r, _ := http.NewRequest(http.MethodGet, b.Base+"now", nil)
		change(r)
		r.Header.Set("Sec-Fetch-Mode", "no-cors")
		if p := b.send(r); p.status != http.StatusForbidden {
			t.Errorf("a page embedded elsewhere is %d", p.status)
		}
	}
	if p := b.post(path, form); p.status != http.StatusOK {
		t.Errorf("the person's own form is %d", p.status)
	}
}

// TestTheCookieIsOfOneServer: a cookie goes to every port of a machine, so its path holds a
// secret of this server.
func TestTheCookieIsOfOneServer(t *testing.T) {
	b := staged(t).signedIn("local:ada", "look")
	u, _ := url.Parse(b.Base)
	elsewhere := *u
	elsewhere.Path = "/"
	if n := len(b.http.Jar.Cookies(&elsewhere)); n != 0 {
		t.Errorf("%d cookies go to the whole host", n)
	}
	if len(strings.Trim(u.Path, "/")) < 13 { // 65 bits
		t.Errorf("the path %s can be guessed", u.Path)
	}
	if n := len(b.http.Jar.Cookies(u)); n != 1 {
		t.Errorf("%d cookies go to the console", n)
	}
}

func TestRolesBoundWhatPeopleDo(t *testing.T) {
	s := staged(t)
	e := s.asked("bearer", "wipe", risk.L4, `{}`, "")
	looking := s.signedIn("local:eve", "look")
	p := looking.get("inbox")
	if p.Find(".answers").Length() != 0 {
		t.Error("somebody who may look is shown buttons")
	}
	for _, act := range []string{"approve", "deny"} {
		if p := looking.post("inbox/"+e.ID+"/"+act, url.Values{"token": {p.token()}}); p.status != http.StatusForbidden {
			t.Errorf("%s with the role look is %d", act, p.status)
		}
	}
	if now, _ := s.Desk.Show(t.Context(), e.ID); now.State != "open" {
		t.Errorf("the question is %s", now.State)
	}
	if _, err := s.Console.Link("local:eve", "root"); err == nil {
		t.Error("there is a link for a role that is none")
	}
}

func TestWithoutARecordNothingIsDone(t *testing.T) {
	s := staged(t)
	b := s.signedIn("local:ada", "manage")
	e := s.asked("bearer", "wipe", risk.L4, `{}`, "")
	p := b.get("inbox")
	// The folder of the record is moved away under the running server.
	if err := os.Rename(s.Chain, s.Chain+".gone"); err != nil {
		t.Fatal(err)
	}
	if p := b.submit(p, "form[action$=approve]", nil); p.status != http.StatusServiceUnavailable {
		t.Errorf("an act without a record is %d", p.status)
	}
	if now, _ := s.Desk.Show(t.Context(), e.ID); now.State != "open" {
		t.Errorf("the question is %s", now.State)
	}
}

func TestSigningOutEndsTheSession(t *testing.T) {
	s := staged(t)
	b := s.signedIn("local:ada", "manage")
	p := b.submit(b.get("now"), "form[action$=leave]", nil)
	if p.status != http.StatusOK || p.Find("h1").Text() != "Signed out" {
		t.Errorf("signing out gave %d", p.status)
	}
	if p := b.get("now"); p.status != http.StatusUnauthorized || !strings.Contains(p.Find("pre").Text(), "glovebox console") {
		t.Errorf("after signing out the page is %d", p.status)
	}
}

func TestEventsTellWhatChanged(t *testing.T) {
	s := staged(t)
	b := s.signedIn("local:ada", "answer")
	answer, err := b.http.Get(b.Base + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatal(kind)
	}
	lines := bufio.NewScanner(answer.Body)
	await := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return
			}
		}
		t.Fatalf("the stream ended without %q", want)
	}
	await("event: hello")
	s.asked("bearer", "wipe", risk.L4, `{}`, "")
	await("data: inbox")
	b.submit(b.get("inbox"), "form[action$=leave]", nil)
	await("event: bye")
	for lines.Scan() { // ends only if the stream does
	}
	if answer, err := b.http.Get(b.Base + "events"); err != nil || answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("a stream without a session is %v, %v", answer.StatusCode, err)
	}
}

func TestThroughAProxyTheCookieIsSecure(t *testing.T) {
	s := staged(t, func(o *console.Options) { o.URL = "https://console.example" })
	link, err := s.Console.Link("local:ada", "look")
	if err != nil || !strings.HasPrefix(link, "https://console.example/") {
		t.Fatal(link, err)
	}
	plain := staged(t)
	own, _ := plain.Console.Link("x", "look")
	if !strings.HasPrefix(own, "http://127.0.0.1:") {
		t.Error(own)
	}
}
