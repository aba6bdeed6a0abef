package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/oauth"
)

// The addresses of signing in at an issuer. They are outside the base, which nobody knows
// who is not signed in, and the issuer must know the last one.
const (
	signInPath = "/sign-in"
	returnPath = signInPath + "/return"
)

// InboxSignIn is the address, below the console's origin, at which people sign in and see
// what waits for them.
const InboxSignIn = signInPath + "?to=inbox"

const (
	// exchangeTime bounds the end of a sign-in: keys may have to be fetched twice, and the
	// code exchanged.
	exchangeTime = 30 * time.Second
	// maxExchanges bounds those under way. Anybody can begin a sign-in and bring back a
	// code that is none, and each asks the issuer.
	maxExchanges = 16
)

// signsIn answers a request that belongs to signing in at an issuer, if there is one.
func (c *Console) signsIn(w http.ResponseWriter, r *http.Request) bool {
	if c.options.SignIn == nil || r.URL.Path != "/" && r.URL.Path != signInPath && r.URL.Path != returnPath {
		return false
	}
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		c.bare(w, http.StatusMethodNotAllowed, problem{"Nothing to do here", "People sign in by opening this address.", ""})
		return true
	}
	switch r.URL.Path {
	case signInPath:
		c.beginSignIn(w, r)
	case returnPath:
		c.endSignIn(w, r)
	default:
		c.refer(w, http.StatusOK, "", problem{"Sign in", "This is the console of a Glovebox server.", ""})
	}
	return true
}

// origin is where browsers reach the console. What a request or a proxy says about it does
// not count.
func (c *Console) origin() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cmp.Or(strings.TrimSuffix(c.options.URL, "/"), "http://"+c.at)
}

// beginSignIn sends a browser to the issuer's page.
func (c *Console) beginSignIn(w http.ResponseWriter, r *http.Request) {
	origin, to := c.origin(), c.pageAt(r.URL.Query().Get("to"))
	if c.options.URL == "" && "http://"+r.Host != origin {
		// The browser comes back to the address, and must have its cookie there.
		http.Redirect(w, r, origin+signInPath+"?"+url.Values{"to": {to}}.Encode(), http.StatusSeeOther)
		return
	}
	address, begun, err := c.options.SignIn.Party.Begin(r.Context(), origin+returnPath)
	if err != nil {
		c.noIssuer(w, to, err)
		return
	}
	http.SetCookie(w, c.ticketCookie(r, c.tickets.seal(ticket{begun, to, c.options.Now().Add(ticketTime)}), int(ticketTime.Seconds())))
	http.Redirect(w, r, address, http.StatusSeeOther)
}

func (c *Console) noIssuer(w http.ResponseWriter, to string, err error) {
	c.options.Log.Warn("console.issuer", "issuer", c.options.SignIn.Party.Issuer(), "cause", err)
	c.refer(w, http.StatusServiceUnavailable, to, problem{"The issuer cannot be asked",
		hostOf(c.options.SignIn.Party.Issuer()) + " does not answer as it should, so nobody can sign in there now.",
		"Try again in a while; glovebox doctor says what is wrong."})
}

// endSignIn lets a person in who comes back from the issuer. What does not belong to a
// sign-in that this browser began changes nothing.
func (c *Console) endSignIn(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Referrer-Policy", "no-referrer") // the address holds the code
	var t ticket
	if cookie, err := r.Cookie(c.ticketName(r)); err == nil {
		t = c.tickets.open(cookie.Value, c.options.Now())
	}
	if answer := r.URL.Query(); t.State == "" || answer.Get("state") != t.State || !c.tickets.spend(t, c.options.Now()) {
		c.refer(w, http.StatusBadRequest, t.To, problem{"This sign-in does not count",
			"It was begun in another browser, is over already, or took longer than ten minutes. Nothing was changed.", "Sign in again."})
		return
	}
	http.SetCookie(w, c.ticketCookie(r, "", -1))
	select {
	case c.exchanges <- struct{}{}:
		defer func() { <-c.exchanges }()
	default:
		c.refer(w, http.StatusServiceUnavailable, t.To, problem{"Too many at once", "Too many people are signing in.", "Try again in a moment."})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), exchangeTime)
	defer cancel()
	who, err := c.options.SignIn.Party.Finish(ctx, t.Begun, r.URL.Query())
	var declined *oauth.Declined
	switch {
	case errors.Is(err, oauth.ErrUnavailable):
		c.noIssuer(w, t.To, err)
	case errors.As(err, &declined):
		c.refer(w, http.StatusForbidden, t.To, problem{"Not signed in", "At " + hostOf(c.options.SignIn.Party.Issuer()) + " the sign-in was refused or broken off: " + declined.Code + ".", "Sign in again."})
	case err != nil:
		c.options.Log.Warn("console.sign_in", "cause", err)
		c.refer(w, http.StatusForbidden, t.To, problem{"This sign-in does not count", "The answer of the issuer cannot be used: " + err.Error() + ".", "Sign in again; if it stays like this, the settings below console.sign_in do not fit the issuer."})
	default:
		c.admit(w, r, who, t.To)
	}
}

// admit begins the session of somebody whom the issuer knows, if the issuer's claims give
// them a role.
func (c *Console) admit(w http.ResponseWriter, r *http.Request, who *oauth.Identity, to string) {
	s := c.options.SignIn
	role, value, err := s.role(who.Claims)
	about := admitted{Role: role.String(), Issuer: who.Issuer, Subject: who.Subject, Claim: s.Claim, Value: value}
	person := s.person(who, role)
	if err != nil {
		c.options.Log.Warn("console.not_admitted", "by", person.Name, "cause", err)
		_ = c.note(person.Name, "sign-in", about, err) // nobody is let in either way
		c.refer(w, http.StatusForbidden, to, problem{"You are not let in", "You are " + who.Subject + " at " + person.Issuer + ", but " + err.Error() + ".",
			"Ask for such a value there, or the operator to name one of yours in console.sign_in.look, answer or manage. Whoever changed something signs in again."})
		return
	}
	begun, cookie := c.people.Begin(person, s.Lasts)
	c.entered(w, r, begun, cookie, about, to)
}

// pageAt returns a path that is a page of the console, with its parameters; of anything
// else the first page. It is always below the base, so it leads nowhere else.
func (c *Console) pageAt(to string) string {
	const longest = 1500 // bytes: it goes into a cookie, of which browsers take 4096
	u, err := url.Parse(to)
	if err != nil || len(to) > longest || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return pages[0].path
	}
	for _, part := range strings.Split(u.Path, "/") {
		if part == "." || part == ".." {
			return pages[0].path
		}
	}
	for _, p := range pages {
		if _, ok := match(p.path, u.Path); ok {
			return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).RequestURI()
		}
	}
	return pages[0].path
}

// asked returns the page that somebody wanted who has to sign in first: of a form the one
// that it is on.
func (c *Console) asked(r *http.Request) string {
	at := r.URL
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		from, err := url.Parse(r.Referer())
		if err != nil || from.Host != r.Host {
			return ""
		}
		at = from
	}
	// After a restart the base is another one.
	if parts := strings.SplitN(at.Path, "/", 3); len(parts) == 3 && len(parts[1]) == len(c.base)-2 {
		return (&url.URL{Path: parts[2], RawQuery: at.RawQuery}).RequestURI()
	}
	return ""
}

// refer shows a problem to somebody who can solve it by signing in, and then go on to a
// page.
func (c *Console) refer(w http.ResponseWriter, status int, to string, p problem) {
	page := c.page(p.Title)
	if page.SignIn != nil && to != "" {
		page.SignIn.Path += "?" + url.Values{"to": {to}}.Encode()
	}
	c.render(w, status, "problem", laidOut{page, p})
}

// hostOf is the host of an address, for people.
func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}
