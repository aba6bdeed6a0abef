package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/glovebox-run/glovebox/host/netguard"
)

const (
	// exchangeTimeout bounds one request to an issuer, with its answer. Large ones answer in
	// 100 to 500 ms.
	exchangeTimeout = 15 * time.Second
	// claimFor is how long a gateway has to renew tokens before another one tries: the request,
	// and writing its result down.
	claimFor = exchangeTimeout + 10*time.Second
	// renewTimeout bounds a renewal with the wait for another gateway's.
	renewTimeout = claimFor + exchangeTimeout
	// claimPoll is how often somebody waiting for another gateway looks.
	claimPoll = 100 * time.Millisecond
	// early is how long before its end a token is renewed: longer than a request is on its
	// way, with the clocks of two machines apart. At most a tenth of its life.
	early = time.Minute
	// youngest is how old a token must be to be renewed because the server refuses it. A server
	// that refuses each token would otherwise use up refresh tokens as fast as it answers.
	youngest = 10 * time.Second
)

// Client gets the tokens of one server. It is safe for concurrent use.
type Client struct {
	name   string
	url    *url.URL
	config Config
	vault  *Vault
	http   *http.Client
	now    func() time.Time

	flight  singleflight.Group
	mu      sync.Mutex
	known   kept    // in use
	before  string  // the access token before it; answers to older requests may hold it
	unkept  *unkept // renewed, and not written down yet
	account *place  // where ClientCredentials found its issuer
}

type unkept struct {
	kept
	revision uint64
	replaced string // the refresh token it was got with
}

// New returns a client. It contacts nobody.
func New(o Options) (*Client, error) {
	if err := o.Config.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	u, err := url.Parse(o.URL)
	if err != nil || !secure(o.URL) && !(o.AllowPrivate && u.Scheme == "http" && u.Host != "" && u.User == nil) {
		return nil, fmt.Errorf("%s: tokens are sent with https only, or to this machine", o.Name)
	}
	if o.Config.Grant == Code && o.Vault == nil {
		return nil, fmt.Errorf("%s: there is nowhere to keep its sign-in", o.Name)
	}
	u.Fragment = ""
	guard := &netguard.Guard{Resolve: o.Resolve, Dial: o.Dial, Hosts: netguard.AnyHost(), Private: o.AllowPrivate}
	c := &Client{name: o.Name, url: u, config: o.Config, vault: o.Vault, now: o.Now, http: &http.Client{
		Transport: guard.Transport(o.Roots), Timeout: exchangeTimeout,
		// Neither metadata nor a token endpoint has a reason to be elsewhere, and a
		// redirect would carry a secret along.
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("it redirects elsewhere") },
	}}
	if c.now == nil {
		c.now = time.Now
	}
	return c, nil
}

// Secrets are what must not be seen in anything that comes back from the server. They change when
// tokens are renewed.
func (c *Client) Secrets() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := []string{c.config.ClientSecret, c.before, c.known.Access, c.known.Refresh, c.known.ClientSecret}
	if c.unkept != nil {
		all = append(all, c.unkept.Access, c.unkept.Refresh)
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// token returns an access token that is not the one the server has refused.
func (c *Client) token(ctx context.Context, refused string) (string, error) {
	c.mu.Lock()
	known := c.known
	c.mu.Unlock()
	if c.usable(known, refused) {
		return known.Access, nil
	}
	// Whoever comes first renews for all, and goes on when its own caller has left: a rotated
	// token must not get lost on the way.
	result := c.flight.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
		defer cancel()
		return c.renew(ctx, refused)
	})
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-result:
		if r.Err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.live(c.known, refused) { // renewed too early to matter: the next request tries again
				return c.known.Access, nil
			}
			return "", r.Err
		}
		access := r.Val.(string)
		if access == refused {
			return "", c.loginRequired("the server refuses its token")
		}
		return access, nil
	}
}

// usable reports whether a token is worth sending.
func (c *Client) usable(k kept, refused string) bool {
	if k.Access == "" || k.Access == refused {
		return false
	}
	return k.Expires.IsZero() || c.now().Before(k.Expires.Add(-min(early, k.Expires.Sub(k.Obtained)/10)))
}

// live reports whether a token has not ended yet.
func (c *Client) live(k kept, refused string) bool {
	return k.Access != "" && k.Access != refused && c.now().Before(k.Expires)
}

func (c *Client) loginRequired(reason string) error { return &LoginRequired{c.name, reason} }

// use makes a sign-in the one in use.
func (c *Client) use(k kept) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known.Access != k.Access {
		c.before = c.known.Access
	}
	c.known = k
	return k.Access
}
