package console

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/console/internal/session"
)

// policy is what a browser may do with a page: nothing from elsewhere, nothing inline,
// in no frame.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// headers are sent with every answer. Referrer-Policy is same-origin and not no-referrer:
// under the latter, browsers send "Origin: null" with our own forms, and the origin could
// not be checked. To other origins neither sends anything.
var headers = map[string]string{
	"Content-Security-Policy":      policy,
	"Cache-Control":                "no-store",
	"Referrer-Policy":              "same-origin",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

// cookieName is the name of the cookie. Its path is c.base: cookies do not tell ports
// apart, so without a secret in the path, every other server on the same address would
// be sent ours.
const cookieName = "glovebox_console"

// maxForm bounds what a page may send, in bytes: the largest is a spec in the editor.
const maxForm = 1 << 20

// ServeHTTP checks what is the same for every request and then finds the page.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	switch {
	case !c.knows(r.Host):
		c.bare(w, http.StatusForbidden, problem{"Not under this name", "The console is not known under the name in the address.", "Use the address that glovebox console prints, or add the name to hosts in the configuration."})
		return
	case !c.sameOrigin(r):
		c.bare(w, http.StatusForbidden, problem{"Not from there", "Another site sent this request.", "Go to the console itself and do it there."})
		return
	}
	if name, found := strings.CutPrefix(r.URL.Path, "/assets/"); found {
		c.asset(w, r, name)
		return
	}
	if c.signsIn(w, r) {
		return
	}
	path, ours := strings.CutPrefix(r.URL.Path, c.base)
	if !ours {
		c.refer(w, http.StatusNotFound, c.asked(r), problem{"Nothing here", "This is no address of the console, or one from before the server was started again.", ""})
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if path == "enter" {
		c.enter(w, r)
		return
	}
	var who *session.Session
	if cookie, err := r.Cookie(cookieName); err == nil {
		who = c.people.Find(cookie.Value)
	}
	if who == nil {
		c.refer(w, http.StatusUnauthorized, c.asked(r), problem{"You are not signed in", "A session ends after some hours, when you sign out, and when the server is started again.", ""})
		return
	}
	c.route(w, r, path, who)
}

// knows reports whether a request was sent to a name of ours. A page whose name was
// rebound to our address still sends its own name; an address cannot be rebound.
func (c *Console) knows(hostport string) bool {
	host := hostport
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") || net.ParseIP(host) != nil {
		return true
	}
	if at, err := url.Parse(c.options.URL); err == nil && at.Host != "" && strings.EqualFold(at.Hostname(), host) {
		return true
	}
	return slices.ContainsFunc(c.options.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}

// sameOrigin refuses what another site has a browser send. Another port of the same
// machine is another origin, too. A person may follow a link to the console from
// anywhere; what that shows needs the cookie, which is not sent along.
func (c *Console) sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host && (c.options.URL == "" || origin != strings.TrimSuffix(c.options.URL, "/")) {
		return false
	}
	reading := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "":
		return reading || origin != "" // an old browser, or one behind a proxy without TLS
	}
	return reading && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// secure reports whether the browser reaches us over TLS.
func (c *Console) secure(r *http.Request) bool {
	return r.TLS != nil || strings.HasPrefix(c.options.URL, "https://")
}

func (c *Console) cookie(r *http.Request, value string, seconds int) *http.Cookie {
	return &http.Cookie{Name: cookieName, Value: value, Path: c.base, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: c.secure(r)}
}

// enter spends a link.
func (c *Console) enter(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		c.bare(w, http.StatusMethodNotAllowed, problem{"Nothing to do here", "A link is opened, and nothing else.", ""})
		return
	}
	begun, cookie := c.people.Enter(r.URL.Query().Get("link"))
	if begun == nil {
		c.bare(w, http.StatusUnauthorized, problem{"This link is spent", "A link signs one person in, once, and within a minute.", ""})
		return
	}
	c.entered(w, r, begun, cookie, admitted{Role: begun.Role.String()}, pages[0].path)
}

// entered records that a session has begun and leads on to a page. The page goes on by
// itself instead of redirecting: after a redirect from another program or site, browsers do
// not send a SameSite=Strict cookie.
func (c *Console) entered(w http.ResponseWriter, r *http.Request, begun *session.Session, cookie string, about admitted, to string) {
	if err := c.note(begun.Name, "sign-in", about, nil); err != nil {
		c.people.End(begun)
		c.bare(w, http.StatusServiceUnavailable, problem{"Nothing can be recorded", "What people do in the console is on record, and the record cannot be written now.", "glovebox doctor says why."})
		return
	}
	http.SetCookie(w, c.cookie(r, cookie, int(begun.Until.Sub(c.options.Now()).Round(time.Second).Seconds())))
	c.render(w, http.StatusOK, "entered", bare{Page: c.page("Signed in"), Data: entry{begun.Person, c.base + to}})
}

// entry is somebody who has just signed in, and where they go on to.
type entry struct {
	session.Person
	To string
}

// leave ends a session.
func (c *Console) leave(v *visit) (done, error) {
	http.SetCookie(v.w, c.cookie(v.r, "", -1))
	c.people.End(v.who)
	return done{to: "left"}, nil
}

// problem is why there is no page, for a person.
type problem struct{ Title, What, Do string }

func (p problem) Error() string { return p.What }

// failure is a problem with its status.
type failure struct {
	status int
	problem
}

// refuse returns a problem as the error of a page or an act.
func refuse(status int, title, what, do string) error {
	return &failure{status, problem{title, what, do}}
}

// failed makes a problem of any error.
func failed(err error) *failure {
	var known *failure
	if errors.As(err, &known) {
		return known
	}
	return &failure{http.StatusConflict, problem{"That did not work", err.Error(), ""}}
}
