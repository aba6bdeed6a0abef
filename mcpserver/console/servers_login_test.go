package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/internal/issuertest"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
)

// protected is a real server that wants a token of an issuer for itself.
func protected(t testing.TB, issuer *issuertest.Authorization) (address string) {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "vault", Version: "1"}, nil)
	described(server, "open_drawer", "Opens a drawer.")
	return issuer.Protect(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil), "drawers")
}

// until loads a page until it says something.
func (b *browser) until(path, says string) *shown {
	b.t.Helper()
	for began := time.Now(); ; {
		p := b.get(path)
		if strings.Contains(p.Find("main").Text(), says) {
			return p
		}
		if time.Since(began) > time.Minute {
			b.t.Fatalf("%s never says %q:\n%s", path, says, p.Find("main").Text())
		}
	}
}

// TestSigningInToAServer: a person signs in to somebody's server from its page; they say no,
// others try to finish it for them, and then it works, once.
func TestSigningInToAServer(t *testing.T) {
	s := staged(t)
	issuer := issuertest.StartAuthorization(t)
	s.added("vault", protected(t, issuer), exposure.Enabled)
	ada, eve, look := s.signedIn("local:ada", "manage"), s.signedIn("local:eve", "manage"), s.signedIn("local:bob", "look")
	ada.submit(ada.get("servers/vault"), "form[action$='/test']", nil)
	ada.get("servers/vault").says("It has listed no tools yet")
	begin := func() (link string) {
		t.Helper()
		ada.submit(ada.get("servers/vault"), "form[action$='/login']", nil)
		link = ada.get("servers/vault").says("Sign in at "+strings.TrimPrefix(issuer.URL, "http://"), "It will ask for drawers").Find("a.button[target=_blank]").AttrOr("href", "")
		if !strings.HasPrefix(link, issuer.URL+"/authorize?") {
			t.Fatalf("the page leads to %q", link)
		}
		return link
	}
	// opened goes to the issuer and stops before the browser comes back.
	opened := func(link string) string {
		t.Helper()
		stay := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		answer, err := stay.Get(link)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.Header.Get("Location")
	}
	status := func(address string) int {
		answer, err := http.Get(address)
		if err != nil {
			return 0
		}
		answer.Body.Close()
		return answer.StatusCode
	}

	// No.
	issuer.Set(func(k *issuertest.Knobs) {
		k.Answer = func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }
	})
	if got := status(begin()); got != http.StatusOK {
		t.Errorf("coming back with a no is %d", got)
	}
	ada.until("servers/vault", "the issuer says access_denied")
	issuer.Set(func(k *issuertest.Knobs) { k.Answer = nil })

	// Whoever opens the address signs in with their own account, so others do not get it.
	link := begin()
	state := mustQuery(t, link).Get("state")
	for name, other := range map[string]*browser{"eve": eve, "bob": look} {
		p := other.get("servers/vault").says("signing in", "local:ada began")
		if strings.Contains(p.body, state) || strings.Contains(p.body, "/authorize") {
			t.Errorf("%s is shown the address of ada's sign-in", name)
		}
	}
	back := opened(link)
	wrong, _ := url.Parse(back)
	q := wrong.Query()
	q.Set("state", "guessed")
	wrong.RawQuery = q.Encode()
	if got := status(wrong.String()); got != http.StatusBadRequest {
		t.Errorf("another state is %d", got)
	}
	// A sign-in that was replaced by another one counts no more. Its port may be anybody's
	// by now, so what that answers says nothing.
	again := begin()
	status(back)
	if asked := issuer.Asked(); len(asked) > 0 {
		t.Errorf("codes were exchanged: %v", asked)
	}

	// Yes.
	back = opened(again)
	if got := status(back); got != http.StatusOK {
		t.Errorf("coming back is %d", got)
	}
	ada.until("servers/vault", "signed in by local:ada")
	ada.submit(ada.get("servers/vault"), "form[action$='/test']", nil)
	ada.until("servers/vault", "open_drawer")
	asked := len(issuer.Asked())
	status(back)
	if len(issuer.Asked()) != asked {
		t.Error("the same answer again asks the issuer")
	}
	begun := 0
	for _, a := range s.acts() {
		if a.Tool == "console/server-login" {
			if begun++; a.Caller != "local:ada" {
				t.Errorf("the sign-in was begun by %s", a.Caller)
			}
		}
	}
	if begun != 3 {
		t.Errorf("%d of 3 sign-ins are on record", begun)
	}
	ada.submit(ada.get("servers/vault"), "form[action$='/logout']", nil)
	ada.get("servers/vault").says("not signed in")
}

func mustQuery(t testing.TB, address string) url.Values {
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}
