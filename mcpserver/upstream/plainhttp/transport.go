package plainhttp

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/host/netguard"
)

const (
	// maxBody is the longest body in bytes that is sent from here. It fits into the buffers
	// of a connection; one that does not could wait for a server that waits for us to read.
	maxBody = 16 << 10
	// maxIdle bounds the connections that are kept, and idleTime how long.
	maxIdle = 64
	// maxUnended bounds the kept connections whose last response has not ended: a server
	// that never ends one would be looked at on each of them before every request.
	maxUnended = 4
	idleTime   = 30 * time.Second
)

// Transport sends requests. It is safe for concurrent use.
type Transport struct {
	guard *netguard.Guard
	other http.RoundTripper

	mu      sync.Mutex
	checked url.URL // the last one that the guard let pass
	idle    []*conn // the one used last is the last
	expire  *time.Timer
	closed  bool // nothing is kept any more
}

// New returns a transport whose connections the guard makes. other sends what is not sent
// from here; it has to ask the guard itself.
func New(guard *netguard.Guard, other http.RoundTripper) *Transport {
	return &Transport{guard: guard, other: other}
}

// RoundTrip implements [http.RoundTripper]. The body of the response may be left to the
// transport before its end, see [Left].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !canLook || req.URL.Scheme != "http" || req.Method != http.MethodPost || req.Body == nil || req.ContentLength <= 0 || req.ContentLength > maxBody || len(req.TransferEncoding) > 0 || req.Close {
		return t.other.RoundTrip(req)
	}
	defer req.Body.Close()
	if err := t.check(req.URL); err != nil {
		return nil, err
	}
	addr := req.URL.Host
	if req.URL.Port() == "" {
		addr = net.JoinHostPort(req.URL.Hostname(), "80")
	}
	c := t.take(addr)
	if c == nil {
		dialled, err := t.guard.DialContext(req.Context(), "tcp", addr)
		if err != nil {
			return nil, err
		}
		c = newConn(t, addr, dialled)
	}
	resp, err := c.do(req)
	if err != nil {
		c.close()
		if cause := req.Context().Err(); cause != nil {
			return nil, cause
		}
		return nil, err
	}
	return resp, nil
}

// check asks the guard about a URL, unless it did so for the last one.
func (t *Transport) check(u *url.URL) error {
	origin := url.URL{Scheme: u.Scheme, Host: u.Host, User: u.User}
	t.mu.Lock()
	known := t.checked == origin
	t.mu.Unlock()
	if known {
		return nil
	}
	if _, err := t.guard.CheckURL(u); err != nil {
		return err
	}
	t.mu.Lock()
	t.checked = origin
	t.mu.Unlock()
	return nil
}

// take returns a kept connection on which nothing came that nobody asked for, or nil. A
// server may write the end of a stream a little after its last event, so connections on
// which it is still to come are kept.
func (t *Transport) take(addr string) *conn {
	var unended []*conn
	defer func() { t.giveBack(unended) }()
	for {
		t.mu.Lock()
		var c *conn
		for i := len(t.idle) - 1; i >= 0 && c == nil; i-- {
			if t.idle[i].addr == addr {
				c = t.idle[i]
				t.idle = append(t.idle[:i], t.idle[i+1:]...)
			}
		}
		t.mu.Unlock()
		if c == nil {
			return nil
		}
		use, waits := c.fresh()
		if use {
			return c
		}
		if waits && len(unended) < maxUnended {
			unended = append(unended, c)
		} else {
			c.close()
		}
	}
}

// giveBack puts connections back that were taken and not used.
func (t *Transport) giveBack(all []*conn) {
	if len(all) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle = append(t.idle, all...)
	slices.SortStableFunc(t.idle, func(a, b *conn) int { return a.kept.Compare(b.kept) })
	for t.closed && len(t.idle) > 0 || len(t.idle) > maxIdle {
		t.idle[0].close()
		t.idle = t.idle[1:]
	}
}

// keep keeps a connection for the next request.
func (t *Transport) keep(c *conn) {
	c.kept = time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || len(t.idle) == maxIdle {
		c.close()
		return
	}
	t.idle = append(t.idle, c)
	if t.expire == nil {
		t.expire = time.AfterFunc(idleTime, t.expired)
	}
}

// expired closes what was not used for long.
func (t *Transport) expired() {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := time.Now().Add(-idleTime)
	n := 0
	for n < len(t.idle) && !t.idle[n].kept.After(old) {
		t.idle[n].close()
		n++
	}
	t.idle = append(t.idle[:0], t.idle[n:]...)
	t.expire = nil
	if len(t.idle) > 0 {
		t.expire = time.AfterFunc(t.idle[0].kept.Sub(old), t.expired)
	}
}

// CloseIdleConnections closes the pool, also that of the other transport. Connections in
// use are closed when their response ends.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, c := range t.idle {
		c.close()
	}
	t.idle = nil
	if t.expire != nil {
		t.expire.Stop()
	}
	if pool, ok := t.other.(interface{ CloseIdleConnections() }); ok {
		pool.CloseIdleConnections()
	}
}
