package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"
)

// PartyConfig is an operator's settings for people who sign in at an authorization
// server. Algorithms, Skew, Timeout and Roots are those of [Config].
type PartyConfig struct {
	// Issuer is the authorization server, exactly as its tokens name it.
	Issuer string
	// ClientID is the name of this program with the issuer.
	ClientID string
	// SecretFile holds the secret that goes with it, mode 0600; empty for a public client.
	SecretFile string
	// Scopes are asked for. Without Audience, openid must be one of them.
	Scopes []string
	// Audience is set for issuers without ID tokens: then the access token says who
	// somebody is. It must be a JWT that is made for this audience, which is asked for
	// as the resource of RFC 8707 if it is a URL.
	Audience string

	Algorithms []string
	Skew       time.Duration
	Timeout    time.Duration
	Roots      *x509.CertPool
}

// Check reports what is wrong with the configuration, as far as possible without asking
// the issuer.
func (c PartyConfig) Check() error {
	if err := secure(c.Issuer, "issuer"); err != nil {
		return err
	}
	if c.ClientID == "" {
		return errors.New("the issuer must know this program by a client id")
	}
	for _, s := range c.Scopes {
		if !validScope(s) {
			return fmt.Errorf("%q is no scope (RFC 6749, 3.3)", s)
		}
	}
	if c.Audience == "" && !slices.Contains(c.Scopes, "openid") {
		return errors.New("without the scope openid the issuer does not say who signed in; add it, or name the audience of its access tokens")
	}
	return checkSigned(c.Algorithms, c.Skew)
}

// Party has people sign in at an issuer: authorization code with PKCE. It is safe for
// concurrent use.
type Party struct {
	config   PartyConfig
	secret   string
	accepted []jose.SignatureAlgorithm
	issuer   *issuer
	exchange *http.Client // for codes: follows no redirect, which would get the code and the secret
}

// OpenParty reads the secret. It does not contact the issuer, so a server starts without
// it.
func OpenParty(c PartyConfig) (*Party, error) { return openParty(c, time.Now) }

func openParty(c PartyConfig, now func() time.Time) (*Party, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	secret, err := secretIn(c.SecretFile)
	if err != nil {
		return nil, err
	}
	if c.Skew == 0 {
		c.Skew = 30 * time.Second
	}
	if c.Timeout <= 0 {
		c.Timeout = 5 * time.Second
	}
	p := &Party{config: c, secret: secret, accepted: accepted(c.Algorithms)}
	p.issuer = newIssuer(c.Issuer, c.Roots, c.Timeout, p.lack, now)
	strict := *p.issuer.http
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("it redirects elsewhere") }
	p.exchange = &strict
	return p, nil
}

// lack reports what a sign-in needs and the issuer's metadata does not have.
func (p *Party) lack(m metadata) error {
	for _, e := range [...][2]string{{m.JWKSURI, "jwks_uri"}, {m.AuthorizationEndpoint, "authorization_endpoint"}, {m.TokenEndpoint, "token_endpoint"}} {
		if err := secure(e[0], e[1]); err != nil {
			return err
		}
	}
	switch {
	case slices.Contains(m.ChallengeMethods, "S256"):
	case len(m.ChallengeMethods) > 0:
		return errors.New("code_challenge_methods_supported lacks S256, and a code that is stolen on its way could be used")
	case p.config.Audience != "":
		// An ID token is bound to its sign-in by a nonce, too; large issuers say
		// nothing about PKCE although they have it.
		return errors.New("code_challenge_methods_supported is missing, and an access token is bound to its sign-in by nothing else")
	}
	return nil
}

// Issuer is where people sign in.
func (p *Party) Issuer() string { return p.config.Issuer }

// Reach asks the issuer now for its addresses.
func (p *Party) Reach(ctx context.Context) error {
	_, err := p.issuer.discover(ctx)
	return err
}

// Begun is a sign-in that a person is in the middle of. All of it is secret, and belongs
// to the browser that began.
type Begun struct {
	State    string
	Nonce    string
	Verifier string // of PKCE
	Redirect string
}

// Begin returns the address of the issuer's page that sends the browser back to redirect.
// The error wraps [ErrUnavailable] if the issuer cannot be asked where that page is.
func (p *Party) Begin(ctx context.Context, redirect string) (address string, b Begun, err error) {
	m, err := p.issuer.known.get(ctx, false)
	if err != nil {
		return "", b, err
	}
	b = Begun{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Redirect: redirect}
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(b.Verifier)}
	if slices.Contains(p.config.Scopes, "openid") {
		options = append(options, oauth2.SetAuthURLParam("nonce", b.Nonce))
	}
	return p.client(m, redirect).AuthCodeURL(b.State, append(options, p.resource()...)...), b, nil
}

func (p *Party) client(m metadata, redirect string) *oauth2.Config {
	style := oauth2.AuthStyleInHeader
	if p.secret == "" || slices.Contains(m.TokenAuthMethods, "client_secret_post") && !slices.Contains(m.TokenAuthMethods, "client_secret_basic") {
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID: p.config.ClientID, ClientSecret: p.secret, RedirectURL: redirect, Scopes: p.config.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: m.AuthorizationEndpoint, TokenURL: m.TokenEndpoint, AuthStyle: style},
	}
}

// resource asks for a token for the audience. RFC 8707 has URLs only.
func (p *Party) resource() []oauth2.AuthCodeOption {
	if u, err := url.Parse(p.config.Audience); err != nil || !u.IsAbs() {
		return nil
	}
	return []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("resource", p.config.Audience)}
}

// Declined is an issuer's answer that somebody is not signed in.
type Declined struct {
	Code string // of RFC 6749, such as access_denied
}

func (e *Declined) Error() string { return "the issuer says " + e.Code }

// longestCode bounds an error code, in bytes; those of the RFCs have up to 31.
const longestCode = 64

// code is an error code, if it is one: it comes from anybody.
func code(s string) string {
	if s == "" || len(s) > longestCode || strings.ContainsFunc(s, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		return "an error that is no code"
	}
	return s
}

// Finish checks what the browser brought back, exchanges the code and returns who signed
// in. The error is a [*Declined], an [*Invalid], or wraps [ErrUnavailable]. A Begun must
// not be used twice.
func (p *Party) Finish(ctx context.Context, b Begun, answer url.Values) (*Identity, error) {
	m, err := p.issuer.known.get(ctx, false)
	if err != nil {
		return nil, err
	}
	switch iss := answer.Get("iss"); { // RFC 9207
	case b.State == "" || len(answer["state"]) != 1 || subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(b.State)) != 1:
		return nil, unfit("it belongs to another sign-in")
	case len(answer["code"]) > 1 || len(answer["iss"]) > 1 || len(answer["error"]) > 1:
		return nil, unfit("it says something twice")
	case iss == "" && m.NamesItself:
		return nil, unfit("it does not say which issuer it is from, although this one always does")
	case iss != "" && iss != p.config.Issuer:
		return nil, unfit("it is from another issuer")
	}
	if refused := answer.Get("error"); refused != "" {
		return nil, &Declined{code(refused)}
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, p.exchange)
	token, err := p.client(m, b.Redirect).Exchange(ctx, answer.Get("code"), append(p.resource(), oauth2.VerifierOption(b.Verifier))...)
	var said *oauth2.RetrieveError
	switch {
	case errors.As(err, &said) && said.ErrorCode != "":
		return nil, &Declined{code(said.ErrorCode)}
	case errors.As(err, &said):
		// Its text holds the whole answer, which is the issuer's.
		return nil, fmt.Errorf("%w: its token endpoint answers %d", ErrUnavailable, said.Response.StatusCode)
	case err != nil:
		return nil, fmt.Errorf("%w: its token endpoint: %w", ErrUnavailable, err)
	}
	return p.identify(ctx, m, b, token)
}

func unfit(why string) error { return &Invalid{Why: why, what: "answer of the issuer"} }
