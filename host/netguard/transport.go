package netguard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Transport is an http.RoundTripper whose every request went through the guard.
type Transport struct {
	guard *Guard
	http  *http.Transport
}

// maxResponseHeader bounds the header block of a response, in bytes; browsers
// stop at the same size.
const maxResponseHeader = 256 << 10

// Transport returns a new transport with a connection pool of its own; roots nil
// means the system's. Proxies named in the environment are not used: a proxy
// would resolve the name again, out of the guard's sight. Bodies arrive as they
// were sent, compressed or not.
func (g *Guard) Transport(roots *x509.CertPool) *Transport {
	return &Transport{guard: g, http: &http.Transport{
		Proxy:                  nil,
		DialContext:            g.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    defaultConnectTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxResponseHeader,
		IdleConnTimeout:        30 * time.Second,
		// A tool may have 64 requests in flight; their connections are worth
		// keeping for its next round.
		MaxIdleConnsPerHost: 64,
	}}
}

// RoundTrip checks the request's URL and sends it.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, err := t.guard.CheckURL(req.URL); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	return t.http.RoundTrip(req)
}

// CloseIdleConnections closes the pool.
func (t *Transport) CloseIdleConnections() { t.http.CloseIdleConnections() }

// SystemResolve asks the machine's resolver. A name with a dot is absolute: a
// search domain of the operator's network is never tried.
func SystemResolve(ctx context.Context, name string) ([]netip.Addr, error) {
	if strings.Contains(name, ".") {
		name += "."
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
}

// SystemDial connects through the machine's network.
func SystemDial(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, network, to.String())
}
