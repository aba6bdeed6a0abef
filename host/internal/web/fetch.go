package web

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/host/netguard"
)

// Helper is the name under which failures are reported.
const Helper = "fetch"

func fail(kind hostcall.Kind, reason, format string, args ...any) *hostcall.Error {
	return hostcall.Errorf(kind, Helper, reason, format, args...)
}

const (
	// maxBody is the largest body in bytes, of a request, and of a response both
	// as sent and as decoded.
	maxBody = 10 << 20
	// maxHops is how many redirects are followed.
	maxHops = 5
	// maxFetchTime bounds one fetch with all its redirects; a shorter timeout may
	// be asked for.
	maxFetchTime = 30 * time.Second
	// maxBodies is how many bytes of responses one call holds at once: as many as
	// fit into the guest's memory. Without it 64 requests could hold 640 MiB.
	maxBodies = 64 << 20
	// maxInFlight is how many requests of one call are under way at once; more
	// wait for their turn.
	maxInFlight = 64
)

// Client is one call's access to the network. It shares no connection with another.
type Client struct {
	guard     *netguard.Guard
	transport *netguard.Transport
	reached   func(host string)
	slots     chan struct{}
	bodies    atomic.Int64 // bytes of responses that are being read

	mu     sync.Mutex
	flying map[string]context.CancelCauseFunc // by the guest's own key
}

// New returns a client with a connection pool of its own; roots nil means the
// system's. reached is called with the host of every request that is sent.
func New(guard *netguard.Guard, roots *x509.CertPool, reached func(host string)) *Client {
	return &Client{guard: guard, transport: guard.Transport(roots), reached: reached,
		slots: make(chan struct{}, maxInFlight), flying: map[string]context.CancelCauseFunc{}}
}

// Close closes the pool.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// fetchArgs is a request as the prelude writes it. A binary body comes as the
// blob.
type fetchArgs struct {
	Key      string      `json:"key"` // names the request for abort
	URL      string      `json:"url"`
	Method   string      `json:"method"`
	Headers  [][2]string `json:"headers"`
	Body     *string     `json:"body"`
	Redirect string      `json:"redirect"`
	Timeout  float64     `json:"timeout"` // milliseconds; zero means the longest
}

// responseHead is what is known of a response besides its body, which is the
// reply's blob.
type responseHead struct {
	Status     int         `json:"status"`
	StatusText string      `json:"statusText"`
	URL        string      `json:"url"`
	Redirected bool        `json:"redirected"`
	Headers    [][2]string `json:"headers"`
}

// Check refuses a request that can be refused without I/O.
func (c *Client) Check(_ context.Context, _ *budget.Account, text, blob []byte) ([]byte, []byte, error) {
	_, _, err := c.prepare(text, blob)
	return nil, nil, err
}

// prepare reads the arguments and makes the first request of a fetch.
func (c *Client) prepare(text, blob []byte) (*request, fetchArgs, error) {
	var a fetchArgs
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, a, fail(hostcall.InvalidInput, "invalid-argument", "%v", err)
	}
	if a.Body != nil {
		blob = []byte(*a.Body)
	}
	r, err := newRequest(a, blob)
	if err != nil {
		return nil, a, err
	}
	if err := c.admit(r.url); err != nil {
		return nil, a, err
	}
	return r, a, nil
}

// admit asks the guard about a URL and gives its host the one spelling that was
// judged.
func (c *Client) admit(u *url.URL) error {
	h, err := c.guard.CheckURL(u)
	if err != nil {
		return c.failure(err)
	}
	host, port := h.String(), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	u.Host = host
	return nil
}

// Fetch sends a request, follows its redirects and returns the response.
func (c *Client) Fetch(ctx context.Context, account *budget.Account, text, blob []byte) ([]byte, []byte, error) {
	r, a, err := c.prepare(text, blob)
	if err != nil {
		return nil, nil, err
	}
	limit := maxFetchTime
	if ms := a.Timeout; ms > 0 && ms < float64(maxFetchTime.Milliseconds()) {
		limit = time.Duration(ms * float64(time.Millisecond))
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	defer c.register(a.Key, abort)()
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, nil, c.failure(ctx.Err())
	}
	for hops := 0; ; hops++ {
		res, err := c.send(ctx, r)
		if err != nil {
			return nil, nil, err
		}
		next, err := c.redirect(r, res, a.Redirect)
		if err == nil && next != nil && hops == maxHops {
			err = fail(hostcall.Security, "too-many-redirects", "more than %d redirects", maxHops)
		}
		if err == nil && next == nil {
			return c.reply(account, r, res, hops > 0)
		}
		res.Body.Close()
		if err != nil {
			return nil, nil, err
		}
		r = next
	}
}

// register makes a request known under the guest's key until the returned
// function is called.
func (c *Client) register(key string, abort context.CancelCauseFunc) func() {
	if key == "" {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flying[key] = abort
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.flying, key)
	}
}

// Abort ends the request with the key in text, if it is still under way.
func (c *Client) Abort(_ context.Context, _ *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if abort := c.flying[string(text)]; abort != nil {
		abort(context.Canceled)
	}
	return nil, nil, nil
}

// send makes one hop.
func (c *Client) send(ctx context.Context, r *request) (*http.Response, error) {
	var body io.Reader
	if len(r.body) > 0 {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.url.String(), body)
	if err != nil {
		return nil, fail(hostcall.InvalidInput, "invalid-url", "%q", r.url.Redacted())
	}
	req.Header = r.header.Clone()
	c.reached(r.url.Hostname())
	res, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, c.failure(err)
	}
	if res.StatusCode < 200 {
		// 101: what follows is no body of HTTP, and its reads do not end with ctx.
		res.Body.Close()
		return nil, fail(hostcall.Runtime, "io", "the server switched to a protocol nobody asked for")
	}
	return res, nil
}

// reply reads the body and describes the response.
func (c *Client) reply(account *budget.Account, r *request, res *http.Response, redirected bool) ([]byte, []byte, error) {
	defer res.Body.Close()
	reading := &share{account: account, of: &c.bodies}
	defer reading.close()
	body, err := readBody(res, reading)
	if err != nil {
		return nil, nil, c.failure(err)
	}
	shown := *r.url
	shown.Fragment, shown.RawFragment = "", ""
	head := responseHead{
		Status:     res.StatusCode,
		StatusText: statusTexts[res.StatusCode],
		URL:        shown.String(),
		Redirected: redirected,
		Headers:    joinHeaders(res.Header),
	}
	text, err := json.Marshal(head)
	if body == nil {
		body = []byte{} // present and empty
	}
	return text, body, err
}

// statusTexts are the phrases of the reference; every other status has none.
var statusTexts = map[int]string{
	200: "OK", 201: "Created", 204: "No Content",
	301: "Moved Permanently", 302: "Found", 304: "Not Modified",
	400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
	500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
}

// redirect returns the request that a response asks for instead, or nil when the
// response is the answer.
func (c *Client) redirect(r *request, res *http.Response, mode string) (*request, error) {
	location := res.Header.Get("Location")
	switch res.StatusCode {
	case 301, 302, 303, 307, 308:
	default:
		return nil, nil
	}
	if location == "" || mode == "manual" {
		return nil, nil
	}
	if mode == "error" {
		return nil, fail(hostcall.Runtime, "redirected", "the response is a redirect, status %s", strconv.Itoa(res.StatusCode))
	}
	target, err := parseURL(location, r.url)
	if err != nil {
		return nil, fail(hostcall.Runtime, "invalid-redirect", "the redirect leads to no URL")
	}
	if err := c.admit(target); err != nil {
		return nil, err
	}
	return r.follow(res.StatusCode, target), nil
}
