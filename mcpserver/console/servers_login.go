package console

import (
	"net/url"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/gateway"
)

// logins are the sign-ins to servers that people began here and that wait for them.
type logins struct {
	mu  sync.Mutex
	all map[string]*login
}

// login is one of them.
type login struct {
	gateway.Login
	By    string
	Began time.Time
	Err   error // why it came to nothing
	Over  bool
	Mine  bool // of the person who sees it
}

// Link returns the issuer's address if a browser may go there, empty otherwise: it is
// what the server named.
func (l *login) Link() string {
	u, err := url.Parse(l.URL)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())) {
		return ""
	}
	return u.String()
}

// Host is where that is.
func (l *login) Host() string {
	if u, err := url.Parse(l.URL); err == nil {
		return u.Host
	}
	return ""
}

func loopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// get returns the sign-in to a server as somebody may see it. Whoever opens the address
// finishes the sign-in, with their own account, so it is for the person who began alone.
func (k *logins) get(server, who string) *login {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.all[server]
	if l == nil {
		return nil
	}
	seen := *l
	if seen.Mine = l.By == who; !seen.Mine {
		seen.URL = ""
	}
	return &seen
}

func (k *logins) set(server string, l *login) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[string]*login{}
	}
	k.all[server] = l
}

func (k *logins) end(server string, l *login, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all[server] == l {
		l.Over, l.Err = true, err
	}
}

// login begins the sign-in of a person to a server; their browser does the rest.
func (c *Console) login(v *visit) (done, error) {
	name := v.part["name"]
	result := done{to: pathOf("servers", name), about: named{name}}
	begun, err := c.options.Gateway.Login(v.r.Context(), name, v.who.Name)
	if err != nil {
		return result, refuseVerb(err)
	}
	l := &login{Login: begun, By: v.who.Name, Began: c.options.Now()}
	c.logins.set(name, l)
	go func() {
		for {
			state, err := c.options.Gateway.LoginWait(c.working, name)
			if err != nil || !state.Waiting {
				c.logins.end(name, l, err)
				c.hub.Tell(topicTick)
				return
			}
		}
	}()
	return result, nil
}

// logout forgets the sign-in to a server.
func (c *Console) logout(v *visit) (done, error) {
	name := v.part["name"]
	result := done{to: pathOf("servers", name), said: "The sign-in is forgotten here. The account's own page at the issuer ends what was granted.", about: named{name}}
	if err := c.options.Gateway.Logout(v.r.Context(), name); err != nil {
		return result, refuseVerb(err)
	}
	return result, nil
}
