package probe

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/risk/score"
)

// router sends requests for the target's host through a guard that may be allowed
// private addresses, and all others through one that is not: a server must not lead
// the scanner into the operator's network.
type router struct {
	host          string
	guard         *netguard.Guard // of the target
	target, other *netguard.Transport
}

func (p *Prober) route(u *url.URL) (*router, error) {
	hosts, err := netguard.ParseHostSet([]string{u.Hostname()})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTarget, err)
	}
	own := &netguard.Guard{Resolve: p.o.Resolve, Dial: p.o.Dial, Hosts: hosts, Private: p.o.AllowPrivate}
	if _, err := own.CheckURL(u); err != nil {
		refused := (*netguard.Refusal)(nil)
		if errors.As(err, &refused) && refused.Reason == netguard.LiteralPrivate {
			return nil, fmt.Errorf("%w: %w; --allow-private scans it", ErrTarget, err)
		}
		return nil, fmt.Errorf("%w: %w", ErrTarget, err)
	}
	others := &netguard.Guard{Resolve: p.o.Resolve, Dial: p.o.Dial, Hosts: netguard.AnyHost()}
	return &router{host: u.Hostname(), guard: own, target: own.Transport(p.o.Roots), other: others.Transport(p.o.Roots)}, nil
}

func (r *router) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Hostname() == r.host {
		return r.target.RoundTrip(req)
	}
	return r.other.RoundTrip(req)
}

func (r *router) close() {
	r.target.CloseIdleConnections()
	r.other.CloseIdleConnections()
}

// wall is an answer that demands authorization.
type wall struct {
	status    int
	challenge string
}

// watcher bounds the bodies of the answers in a session and notices a wall.
type watcher struct {
	next   http.RoundTripper
	scan   *scan
	stream bool // everything arrives on one stream, whose messages are bounded one by one
}

func (w *watcher) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		w.scan.meet(&wall{resp.StatusCode, cut(resp.Header.Get("WWW-Authenticate"), maxChallenge)})
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if !w.stream || kind != "text/event-stream" {
		resp.Body = &bounded{body: resp.Body, over: func() { w.scan.stop("size", "answer of the server") }}
	}
	return resp, nil
}

// maxChallenge bounds WWW-Authenticate, in bytes.
const maxChallenge = 4 << 10

var errTooLarge = fmt.Errorf("the answer is longer than %d bytes", score.MaxBody)

// bounded is a body that fails after score.MaxBody bytes.
type bounded struct {
	body io.ReadCloser
	over func()
	read atomic.Int64
}

func (b *bounded) Read(p []byte) (int, error) {
	left := score.MaxBody - b.read.Load()
	if left < 0 {
		return 0, errTooLarge
	}
	// One byte more than the bound tells a body of exactly that size from a longer one.
	n, err := b.body.Read(p[:min(int64(len(p)), left+1)])
	if b.read.Add(int64(n)) > score.MaxBody {
		b.over()
		return 0, errTooLarge
	}
	return n, err
}

func (b *bounded) Close() error { return b.body.Close() }
