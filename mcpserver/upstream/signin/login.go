package signin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

const (
	// longestLogin bounds a sign-in: reading mail for a code takes minutes, and issuers forget
	// a request after ten.
	longestLogin = 10 * time.Minute
	callbackPath = "/callback"
)

// Login is a sign-in that a person is in the middle of.
type Login struct {
	URL    string   // to open in a browser
	Issuer string   // whose page that is
	Scopes []string // that are asked for

	client   *Client
	listener net.Listener
	server   *http.Server
	answered chan url.Values // of the browser's return, with our state

	kept     kept
	config   oauth2.Config
	state    string
	verifier string
	saysIss  bool // the issuer names itself in its answer (RFC 9207)
}

// Login finds the issuer, makes us known to it, and listens on loopback for the browser to come
// back. Wait or Close must follow.
func (c *Client) Login(ctx context.Context) (*Login, error) {
	l, err := c.login(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	return l, nil
}

func (c *Client) login(ctx context.Context) (_ *Login, err error) {
	if c.config.Grant != Code {
		return nil, fmt.Errorf("its grant is %s, which needs no login", c.config.Grant)
	}
	found, err := c.discover(ctx)
	if err != nil {
		return nil, err
	}
	if !secure(found.issuer.AuthorizationEndpoint) || !slices.Contains(found.issuer.CodeChallengeMethodsSupported, "S256") {
		return nil, errors.New("its issuer has no page with https to sign in at, or no PKCE with S256")
	}
	l := &Login{client: c, Issuer: found.issuer.Issuer, answered: make(chan url.Values, 1), state: rand.Text(), verifier: oauth2.GenerateVerifier(), saysIss: found.issuer.AuthorizationResponseIssParameterSupported}
	l.listener, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.config.RedirectPort)))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l.listener.Close()
		}
	}()
	if l.Scopes, err = c.scopes(ctx, found); err != nil {
		return nil, err
	}
	l.config = oauth2.Config{
		Endpoint: oauth2.Endpoint{AuthURL: found.issuer.AuthorizationEndpoint, TokenURL: found.issuer.TokenEndpoint},
		Scopes:   l.Scopes, RedirectURL: "http://" + l.listener.Addr().String() + callbackPath,
	}
	if err := c.identify(ctx, found.issuer, &l.config); err != nil {
		return nil, err
	}
	l.kept = kept{
		URL: c.url.String(), Resource: found.resource, Issuer: found.issuer.Issuer, TokenURL: found.issuer.TokenEndpoint,
		ClientID: l.config.ClientID, ClientSecret: l.config.ClientSecret, AuthStyle: l.config.Endpoint.AuthStyle,
	}
	l.URL = l.config.AuthCodeURL(l.state, oauth2.S256ChallengeOption(l.verifier), oauth2.SetAuthURLParam("resource", found.resource))
	l.server = &http.Server{Handler: http.HandlerFunc(l.callback), ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, MaxHeaderBytes: 64 << 10}
	go l.server.Serve(l.listener)
	return l, nil
}

// scopes are those of the configuration or of the server, what it has asked for since the last
// login, and the one that some issuers want for a refresh token.
func (c *Client) scopes(ctx context.Context, found place) ([]string, error) {
	all := c.config.Scopes
	if len(all) == 0 {
		all = found.scopes
	}
	last, _, err := c.vault.load(ctx, c.name)
	if err != nil && !errors.Is(err, errSealed) { // what does not open is replaced
		return nil, err
	}
	if last != nil && c.unfit(last) == "" && len(last.Wanted) > 0 {
		all = slices.Concat(all, last.Scopes, last.Wanted)
	}
	if slices.Contains(found.issuer.ScopesSupported, "offline_access") {
		all = append(slices.Clip(all), "offline_access")
	}
	var once []string
	for _, s := range validScopes(all) {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once, nil
}

// identify says who we are: by a document at our address, by what the configuration says, or by
// registering, in the order of MCP.
func (c *Client) identify(ctx context.Context, issuer *oauthex.AuthServerMeta, config *oauth2.Config) error {
	switch {
	case c.config.ClientMetadata != "" && issuer.ClientIDMetadataDocumentSupported:
		config.ClientID = c.config.ClientMetadata
		config.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	case c.config.ClientID != "":
		config.ClientID, config.ClientSecret = c.config.ClientID, c.config.ClientSecret
		config.Endpoint.AuthStyle = authStyle(config.ClientSecret, issuer.TokenEndpointAuthMethodsSupported)
	case issuer.RegistrationEndpoint != "":
		registered, err := oauthex.RegisterClient(ctx, issuer.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
			ClientName: "Glovebox", ApplicationType: "native", RedirectURIs: []string{config.RedirectURL},
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
		}, c.http)
		if err != nil {
			return fmt.Errorf("registration: %w", undressed(err))
		}
		if len(registered.ClientID) > maxToken || len(registered.ClientSecret) > maxToken {
			return errors.New("registration: the issuer gives us too long a name")
		}
		config.ClientID, config.ClientSecret = registered.ClientID, registered.ClientSecret
		method := registered.TokenEndpointAuthMethod
		config.Endpoint.AuthStyle = authStyle(config.ClientSecret, []string{method})
	default:
		return fmt.Errorf("its issuer %q registers nobody; ask it for a client_id, and put it into the configuration", issuer.Issuer)
	}
	return nil
}

// callback is where the browser comes back to. Only an answer with our state counts: anybody can
// send a browser here.
func (l *Login) callback(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer") // the address holds the code
	h.Set("X-Content-Type-Options", "nosniff")
	q := r.URL.Query()
	if r.Method != http.MethodGet || r.URL.Path != callbackPath || r.Host != l.listener.Addr().String() {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(l.state)) != 1 {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintln(w, "This is not the sign-in that Glovebox is waiting for. Nothing was changed.")
		return
	}
	select {
	case l.answered <- q:
		fmt.Fprintln(w, "Glovebox has the answer. The page or the terminal where you began says what came of it; this one can be closed.")
	default:
		fmt.Fprintln(w, "Glovebox has an answer already.")
	}
}

// Wait waits until the person has signed in, and keeps the tokens. It ends after ten minutes.
func (l *Login) Wait(ctx context.Context) error {
	defer l.Close()
	ctx, cancel := context.WithTimeout(ctx, longestLogin)
	defer cancel()
	var answer url.Values
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s: nobody has signed in: %w", l.client.name, ctx.Err())
	case answer = <-l.answered:
	}
	if err := l.finish(ctx, answer); err != nil {
		return fmt.Errorf("%s: %w", l.client.name, err)
	}
	return nil
}

// finish checks the answer and exchanges its code.
func (l *Login) finish(ctx context.Context, answer url.Values) error {
	// An answer of another issuer would send its code, or this issuer's, to the wrong place.
	switch iss := answer.Get("iss"); {
	case iss == "" && l.saysIss:
		return errors.New("the answer does not say which issuer it is from, although this one always does; it is not used")
	case iss != "" && iss != l.Issuer:
		return errors.New("the answer is from another issuer; it is not used")
	}
	if refused := answer.Get("error"); refused != "" {
		return &Refused{Code: code(refused)}
	}
	c := l.client
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, c.http), exchangeTimeout)
	defer cancel()
	token, err := l.config.Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(l.verifier), oauth2.SetAuthURLParam("resource", l.kept.Resource))
	if err != nil {
		return plain(err)
	}
	k, err := c.granted(l.kept, l.Scopes, token)
	if err != nil {
		return err
	}
	if err := c.vault.replace(ctx, c.name, k); err != nil {
		return fmt.Errorf("the sign-in cannot be kept: %w", err)
	}
	c.settled()
	c.use(k)
	return nil
}

// Close stops waiting.
func (l *Login) Close() {
	// A page that is being answered gets a second.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.server.Shutdown(ctx)
	l.listener.Close()
}
