package signin_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/internal/issuertest"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
)

func refreshes(asked []url.Values) (n int) {
	for _, a := range asked {
		if a.Get("grant_type") == "refresh_token" {
			n++
		}
	}
	return n
}

// Fifty calls of each of two gateways find the token about to end: it is renewed once.
func TestManyCallsRenewOnce(t *testing.T) {
	w := newWorld(t)
	gateways := []*signin.Client{w.signedIn(t, nil), w.client(t, nil)}
	w.clock.forward(59*time.Minute + time.Second) // of an hour
	var all sync.WaitGroup
	for _, c := range gateways {
		for range 50 {
			all.Go(func() {
				if got, err := w.call(t.Context(), c); got != "200 echo hello" {
					t.Error(got, err)
				}
			})
		}
	}
	all.Wait()
	asked := w.issuer.Asked()
	if n := refreshes(asked); n != 1 {
		t.Fatalf("%d renewals", n)
	}
	if got := asked[1].Get("resource"); got != w.server.URL+"/mcp" {
		t.Errorf("renewed for %q", got)
	}
	// With the rotated refresh token it goes on.
	w.clock.forward(time.Hour)
	for _, c := range gateways {
		if got, err := w.call(t.Context(), c); got != "200 echo hello" {
			t.Error(got, err)
		}
	}
	if n := refreshes(w.issuer.Asked()); n != 2 {
		t.Errorf("%d renewals", n)
	}
}

func TestATokenWithTimeLeftIsNotRenewed(t *testing.T) {
	w := newWorld(t)
	c := w.signedIn(t, nil)
	w.clock.forward(58 * time.Minute)
	if _, err := w.call(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if n := refreshes(w.issuer.Asked()); n != 0 {
		t.Errorf("%d renewals", n)
	}
}

// The issuer cannot be reached while the token still has some time: it is used up.
func TestAnIssuerThatIsAwayDoesNotMatterYet(t *testing.T) {
	w := newWorld(t)
	c := w.signedIn(t, nil)
	away := func(rw http.ResponseWriter, r *http.Request) bool {
		rw.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	w.issuer.Set(func(k *issuertest.Knobs) { k.Before = away })
	w.clock.forward(59*time.Minute + 30*time.Second)
	for _, one := range []*signin.Client{c, w.client(t, nil)} {
		if got, err := w.call(t.Context(), one); got != "200 echo hello" {
			t.Error(got, err)
		}
	}
	w.clock.forward(time.Minute)
	var required *signin.LoginRequired
	if _, err := w.call(t.Context(), c); err == nil || errors.As(err, &required) || !strings.Contains(err.Error(), "503") {
		t.Errorf("%v", err)
	}
	w.issuer.Set(func(k *issuertest.Knobs) { k.Before = nil })
	if got, err := w.call(t.Context(), c); got != "200 echo hello" {
		t.Error(got, err)
	}
}

// The issuer has rotated the refresh token, and its answer got lost: what is kept is worthless.
// That is said, once, and the issuer is not asked again and again.
func TestALostRotationNeedsALogin(t *testing.T) {
	w := newWorld(t)
	c := w.signedIn(t, nil)
	var once atomic.Bool
	w.issuer.Set(func(k *issuertest.Knobs) {
		k.Before = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/token" || once.Swap(true) {
				return false
			}
			recorder := &dropped{header: http.Header{}}
			w.issuer.ServeHTTP(recorder, r) // it does its work, and then the connection ends
			panic(http.ErrAbortHandler)
		}
	})
	w.clock.forward(2 * time.Hour)
	if _, err := w.call(t.Context(), c); err == nil {
		t.Fatal("no error")
	}
	var required *signin.LoginRequired
	for range 3 {
		if _, err := w.call(t.Context(), c); !errors.As(err, &required) {
			t.Fatal(err)
		}
	}
	if n := refreshes(w.issuer.Asked()); n != 2 {
		t.Errorf("the issuer was asked %d times", n)
	}
	if _, err := login(t, c); err != nil {
		t.Fatal(err)
	}
	if got, err := w.call(t.Context(), c); got != "200 echo hello" {
		t.Error(got, err)
	}
}

type dropped struct{ header http.Header }

func (d *dropped) Header() http.Header         { return d.header }
func (d *dropped) Write(b []byte) (int, error) { return len(b), nil }
func (d *dropped) WriteHeader(int)             {}

// A gateway that has claimed the renewal is gone, or as good as gone: the others wait for as
// long as it may take, and then one of them renews.
func TestAClaimEnds(t *testing.T) {
	w := newWorld(t)
	first, second := w.signedIn(t, nil), w.client(t, nil)
	hanging, release := make(chan struct{}), make(chan struct{})
	var once atomic.Bool
	w.issuer.Set(func(k *issuertest.Knobs) {
		k.Before = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/token" || once.Swap(true) {
				return false
			}
			close(hanging)
			<-release
			panic(http.ErrAbortHandler)
		}
	})
	w.clock.forward(2 * time.Hour)
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := w.call(t.Context(), first); err == nil {
			t.Error("the first has no error")
		}
	})
	<-hanging
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := w.call(short, second); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while the first one has its claim: %v", err)
	}
	w.clock.forward(signin.ClaimFor)
	if got, err := w.call(t.Context(), second); got != "200 echo hello" {
		t.Error(got, err)
	}
	close(release)
	all.Wait()
	// The late one does not undo what the other has kept.
	for _, c := range []*signin.Client{first, second, w.client(t, nil)} {
		if got, err := w.call(t.Context(), c); got != "200 echo hello" {
			t.Error(got, err)
		}
	}
	if n := refreshes(w.issuer.Asked()); n != 1 {
		t.Errorf("%d renewals", n)
	}
}

// The state cannot be written while the issuer rotates: the new token is not used before it is
// kept, and not lost either.
func TestRotatedTokensAreKeptBeforeTheyAreUsed(t *testing.T) {
	w := newWorld(t)
	c := w.signedIn(t, nil)
	if _, err := w.call(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	w.issuer.Set(func(k *issuertest.Knobs) {
		k.Before = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/token" {
				w.store.Close()
			}
			return false
		}
	})
	w.clock.forward(2 * time.Hour)
	for range 3 {
		if _, err := w.call(t.Context(), c); err == nil || !strings.Contains(err.Error(), "is not used before it is") {
			t.Fatal(err)
		}
	}
	if n := refreshes(w.issuer.Asked()); n != 1 {
		t.Errorf("the issuer was asked %d times", n)
	}
	if seen := w.server.seen(); len(seen) != 1 {
		t.Errorf("%d requests had a token", len(seen))
	}
}

// While one request is renewing, another one notes which scopes the server wants: neither is lost.
func TestARenewalAndANoteAtTheSameTime(t *testing.T) {
	w := newWorld(t)
	c := w.signedIn(t, nil)
	other := w.client(t, nil)
	if _, err := w.call(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	var once atomic.Bool
	w.issuer.Set(func(k *issuertest.Knobs) {
		k.Before = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/token" && !once.Swap(true) {
				w.server.set(func(s *resource) { s.needs = []string{"write"} })
				var required *signin.ScopeRequired
				w.clock.forward(-2 * time.Hour)
				if _, err := w.call(r.Context(), other); !errors.As(err, &required) {
					t.Error(err)
				}
				w.clock.forward(2 * time.Hour)
				w.server.set(func(s *resource) { s.needs = nil })
			}
			return false
		}
	})
	w.clock.forward(2 * time.Hour)
	if got, err := w.call(t.Context(), c); got != "200 echo hello" {
		t.Fatal(got, err)
	}
	w.clock.forward(2 * time.Hour)
	if got, err := w.call(t.Context(), w.client(t, nil)); got != "200 echo hello" {
		t.Fatal(got, err)
	}
	l, err := c.Login(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !slices.Contains(l.Scopes, "write") {
		t.Errorf("the next login asks for %q", l.Scopes)
	}
}

// A server takes a token back: it is renewed once, and the request sent again with its body.
func TestARefusedTokenIsRenewedOnce(t *testing.T) {
	w := newWorld(t)
	c := w.signedIn(t, nil)
	if _, err := w.call(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	taken := w.server.seen()[0]
	refuse := func(which func(string) bool) {
		w.server.set(func(s *resource) {
			s.before = func(rw http.ResponseWriter, r *http.Request) bool {
				if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && which(token) {
					rw.WriteHeader(http.StatusUnauthorized)
					return true
				}
				return false
			}
		})
	}
	refuse(func(token string) bool { return token == taken })
	w.clock.forward(time.Minute)
	if got, err := w.call(t.Context(), c); got != "200 echo hello" {
		t.Fatal(got, err)
	}
	// One that refuses every token uses up no refresh tokens.
	refuse(func(string) bool { return true })
	var required *signin.LoginRequired
	for range 5 {
		if _, err := w.call(t.Context(), c); !errors.As(err, &required) {
			t.Fatal(err)
		}
	}
	if n := refreshes(w.issuer.Asked()); n != 1 {
		t.Errorf("%d renewals", n)
	}
}

func TestClientCredentials(t *testing.T) {
	w := newWorld(t)
	w.issuer.Client("gateway", "s3cret")
	account := func(secret string) func(*signin.Options) {
		return func(o *signin.Options) {
			o.Vault = nil
			o.Config = signin.Config{Grant: signin.ClientCredentials, ClientID: "gateway", ClientSecret: secret, Issuer: w.issuer.URL}
		}
	}
	c := w.client(t, account("s3cret"))
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if got, err := w.call(t.Context(), c); got != "200 echo hello" {
				t.Error(got, err)
			}
		})
	}
	all.Wait()
	w.clock.forward(time.Hour)
	if got, err := w.call(t.Context(), c); got != "200 echo hello" {
		t.Error(got, err)
	}
	asked := w.issuer.Asked()
	if len(asked) != 2 || asked[0].Get("resource") != w.server.URL+"/mcp" || asked[0].Get("scope") != "read" {
		t.Errorf("%v", asked)
	}
	if !slices.Contains(c.Secrets(), "s3cret") {
		t.Error("its secret is not masked")
	}
	_, err := w.call(t.Context(), w.client(t, account("wr0ng")))
	if err == nil || !strings.Contains(err.Error(), "invalid_client") || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("%v", err)
	}
	if _, err := c.Login(t.Context()); err == nil {
		t.Error("it has a login")
	}
}
