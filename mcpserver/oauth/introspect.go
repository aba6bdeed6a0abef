package oauth

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/singleflight"
)

// answers caches the issuer's answers about tokens (RFC 7662) for a short time.
type answers struct {
	issuer   *issuer
	clientID string
	secret   string
	hold     time.Duration
	asking   singleflight.Group // by the hash of the token
	known    memory
}

func newAnswers(i *issuer, c Config, secret string) *answers {
	return &answers{issuer: i, clientID: c.ClientID, secret: secret, hold: c.Cache}
}

// of returns the issuer's answer about a token. It keeps only the hash of the
// token.
func (a *answers) of(ctx context.Context, token string) (claims, error) {
	if len(token) > maxToken {
		return claims{}, invalid("it is too long")
	}
	hash := hashOf(token)
	if c, ok := a.known.get(hash, a.issuer.now()); ok {
		return c, nil
	}
	// Concurrent requests with one token share one query, which continues if the
	// first of them gives up.
	came := a.asking.DoChan(string(hash[:]), func() (any, error) {
		c, err := a.ask(context.WithoutCancel(ctx), token)
		if err == nil && a.hold > 0 {
			a.known.put(hash, c, a.issuer.now().Add(a.hold))
		}
		return c, err
	})
	select {
	case result := <-came:
		return result.Val.(claims), result.Err
	case <-ctx.Done():
		return claims{}, fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
	}
}

func (a *answers) ask(ctx context.Context, token string) (c claims, err error) {
	m, err := a.issuer.known.get(ctx, false)
	if err != nil {
		return c, err
	}
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.IntrospectionEndpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return c, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(url.QueryEscape(a.clientID), url.QueryEscape(a.secret)) // escaped: RFC 6749, 2.3.1
	r.GetBody = nil                                                        // a redirect must not send the token again
	text, err := a.issuer.read(r)
	if err != nil {
		return c, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("%w: its answer: %w", ErrUnavailable, err)
	}
	return c, nil
}
