package oauth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// maxAnswer bounds the part of an issuer's answer that is read, in bytes. Key
	// sets of large providers have a few kilobytes.
	maxAnswer = 1 << 20
	// metadataFresh is how long the issuer's addresses are cached.
	metadataFresh = time.Hour
	// metadataStale is how long they are used while the issuer is unreachable.
	metadataStale = 24 * time.Hour
	// retryIssuer is the minimum time between requests for something the issuer
	// could not or would not answer, across all callers: a flood of tokens must not
	// become a flood of requests to the issuer.
	retryIssuer = 10 * time.Second
)

// ErrUnavailable is wrapped by errors that say nothing about a token: the issuer
// could not be asked.
var ErrUnavailable = errors.New("the authorization server cannot be asked")

// issuer sends requests to the authorization server.
type issuer struct {
	url  string
	lack func(metadata) error // of what its metadata must have
	http *http.Client
	now  func() time.Time

	known cached[metadata]
	keys  cached[[]jose.JSONWebKey]
}

// metadata holds the fields used of RFC 8414, OpenID Connect Discovery and RP-Initiated
// Logout.
type metadata struct {
	Issuer                string   `json:"issuer"`
	JWKSURI               string   `json:"jwks_uri"`
	IntrospectionEndpoint string   `json:"introspection_endpoint"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	EndSessionEndpoint    string   `json:"end_session_endpoint"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	NamesItself           bool     `json:"authorization_response_iss_parameter_supported"`
}

func newIssuer(url string, roots *x509.CertPool, timeout time.Duration, lack func(metadata) error, now func() time.Time) *issuer {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	transport.MaxResponseHeaderBytes = 64 << 10
	transport.MaxConnsPerHost = 16
	i := &issuer{url: url, lack: lack, now: now, http: &http.Client{Transport: transport, Timeout: timeout, CheckRedirect: sameHost}}
	i.known = cached[metadata]{fetch: i.discover, now: now, fresh: metadataFresh, stale: metadataStale}
	i.keys = cached[[]jose.JSONWebKey]{fetch: i.fetchKeys, now: now, fresh: keysFresh, stale: keysStale}
	return i
}

// sameHost follows a few redirects, and none to a host other than the operator's
// setting.
func sameHost(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	if r.URL.Scheme != first.Scheme || r.URL.Host != first.Host {
		return fmt.Errorf("redirected to another host, %s", r.URL.Host)
	}
	if r.Method != via[0].Method || len(via) > 3 {
		return errors.New("redirected too often")
	}
	return nil
}

// wellKnown returns the locations of the metadata, in the order of the MCP
// specification: RFC 8414, then OpenID Connect with the path after and before.
func wellKnown(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil // Check has parsed it
	}
	path := strings.TrimSuffix(u.Path, "/")
	at := func(path string) string { return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}).String() }
	places := []string{at("/.well-known/oauth-authorization-server" + path), at("/.well-known/openid-configuration" + path)}
	if path != "" {
		places = append(places, at(path+"/.well-known/openid-configuration"))
	}
	return places
}

// discover fetches the issuer's addresses.
func (i *issuer) discover(ctx context.Context) (m metadata, err error) {
	var errs []error
	for _, place := range wellKnown(i.url) {
		m = metadata{}
		if err := i.get(ctx, place, &m); err != nil {
			errs = append(errs, err)
			continue
		}
		if m.Issuer != i.url {
			errs = append(errs, fmt.Errorf("%s speaks for the issuer %q", place, m.Issuer))
			continue
		}
		if err := i.lack(m); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", place, err))
			continue
		}
		return m, nil
	}
	return m, errors.Join(errs...)
}

// get fetches a JSON document.
func (i *issuer) get(ctx context.Context, address string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	text, err := i.read(r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	return nil
}

// read sends a request and returns the body of the response.
func (i *issuer) read(r *http.Request) ([]byte, error) {
	r.Header.Set("Accept", "application/json")
	response, err := i.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", r.URL.Redacted(), response.Status)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err == nil && len(text) > maxAnswer {
		err = fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.URL.Redacted(), err)
	}
	return text, nil
}
