package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/glovebox-run/glovebox/risk/score"
)

// wire looks at the TLS handshake and makes the plain GET.
func (s *scan) wire(ctx context.Context) {
	seen := &score.Wire{}
	if s.url.Scheme == "https" {
		seen.TLS = s.handshake(ctx)
	}
	s.get(ctx, seen)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.o.Wire = seen
}

var tlsVersions = map[uint16]string{tls.VersionTLS10: "1.0", tls.VersionTLS11: "1.1", tls.VersionTLS12: "1.2", tls.VersionTLS13: "1.3"}

// handshake completes a TLS handshake with whatever the server offers and says what is
// wrong with it. Nothing is sent over that connection: it exists to be looked at.
func (s *scan) handshake(ctx context.Context) *score.TLS {
	ctx, cancel := context.WithTimeout(ctx, s.Prober.o.Timeout)
	defer cancel()
	address := s.url.Host
	if s.url.Port() == "" {
		address = net.JoinHostPort(s.url.Hostname(), "443")
	}
	conn, err := s.rt.guard.DialContext(ctx, "tcp", address)
	if err != nil {
		s.failed("TLS handshake", err)
		return &score.TLS{Problem: "unreachable", Detail: cut(err.Error(), maxWhy)}
	}
	defer conn.Close()
	client := tls.Client(conn, &tls.Config{
		ServerName: s.url.Hostname(),
		MinVersion: tls.VersionTLS10,
		NextProtos: []string{"h2", "http/1.1"},
		// The certificate is verified below, and every connection that carries a request
		// verifies it too.
		InsecureSkipVerify: true,
	})
	if err := client.HandshakeContext(ctx); err != nil {
		s.failed("TLS handshake", err)
		return &score.TLS{Problem: "handshake failed", Detail: cut(err.Error(), maxWhy)}
	}
	state := client.ConnectionState()
	seen := &score.TLS{Version: tlsVersions[state.Version]}
	if len(state.PeerCertificates) == 0 {
		seen.Problem = "no certificate"
		return seen
	}
	leaf := state.PeerCertificates[0]
	seen.NotAfter, seen.CN = leaf.NotAfter.UTC(), cut(leaf.Subject.CommonName, maxWhy)
	seen.SANs = slices.Clone(leaf.DNSNames[:min(len(leaf.DNSNames), maxNames)])
	for _, ip := range leaf.IPAddresses[:min(len(leaf.IPAddresses), maxNames)] {
		seen.SANs = append(seen.SANs, ip.String())
	}
	between := x509.NewCertPool()
	for _, c := range state.PeerCertificates[1:] {
		between.AddCert(c)
	}
	_, err = leaf.Verify(x509.VerifyOptions{DNSName: s.url.Hostname(), Roots: s.Prober.o.Roots, Intermediates: between, CurrentTime: s.o.Seen})
	seen.Problem, seen.Detail = problem(err)
	return seen
}

// maxNames bounds the names of a certificate that are kept: shared ones have hundreds.
const maxNames = 100

// problem classes what is wrong with a certificate.
func problem(err error) (class, detail string) {
	if err == nil {
		return "", ""
	}
	detail = cut(err.Error(), maxWhy)
	invalid, host, authority := x509.CertificateInvalidError{}, x509.HostnameError{}, x509.UnknownAuthorityError{}
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "expired", detail
	case errors.As(err, &host):
		return "wrong host", detail
	case errors.As(err, &authority):
		return "unknown authority", detail
	}
	return "invalid certificate", detail
}

// get requests the endpoint as a browser would, without credentials, and follows up to
// score.MaxRedirects redirects. It reads no body.
func (s *scan) get(ctx context.Context, seen *score.Wire) {
	ctx, cancel := context.WithTimeout(ctx, s.Prober.o.Timeout)
	defer cancel()
	resp, hops, err := s.follow(ctx, "plain GET", s.url)
	seen.Redirects = hops
	if err != nil {
		s.failed("plain GET", err)
	}
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	seen.Status, seen.ContentType = resp.StatusCode, cut(resp.Header.Get("Content-Type"), maxWhy)
	seen.FinalURL = resp.Request.URL.String()
	if resp.Request.URL.Hostname() == s.url.Hostname() {
		seen.HSTS = cut(resp.Header.Get("Strict-Transport-Security"), maxWhy)
	}
}

var errRedirects = errors.New("more than 3 redirects")

// follow makes a GET request and follows redirects. The last response is returned beside
// an error if there were too many.
func (s *scan) follow(ctx context.Context, step string, to *url.URL) (*http.Response, []score.Hop, error) {
	var hops []score.Hop
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
		if err != nil {
			return nil, hops, err
		}
		req.Header.Set("User-Agent", s.Prober.o.Name+"/"+s.Prober.o.Version)
		req.Header.Set("Accept", "application/json, text/html;q=0.9, */*;q=0.5")
		resp, err := s.rt.RoundTrip(req)
		if err != nil {
			return nil, hops, err
		}
		location := resp.Header.Get("Location")
		if resp.StatusCode < 300 || resp.StatusCode > 399 || location == "" {
			return resp, hops, nil
		}
		if len(hops) == score.MaxRedirects {
			s.stop("redirects", step)
			return resp, hops, errRedirects
		}
		next, err := to.Parse(location)
		if err != nil || (next.Scheme != "http" && next.Scheme != "https") {
			return resp, hops, errors.New("a redirect to no http or https URL")
		}
		next.User = nil
		hops = append(hops, score.Hop{Status: resp.StatusCode, To: cut(next.String(), maxWhy)})
		drain(resp)
		to = next
	}
}

// maxDrain is how much of a body that nobody reads is read, so that the connection can be
// used again.
const maxDrain = 4 << 10

func drain(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxDrain)
	resp.Body.Close()
}
