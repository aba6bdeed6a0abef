package signin

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// renew gets a token that is usable. One goroutine of the process is in it at a time.
func (c *Client) renew(ctx context.Context, refused string) (string, error) {
	if c.config.Grant == ClientCredentials {
		return c.renewAccount(ctx, refused)
	}
	for {
		if access, err := c.writeDown(ctx); err != nil || access != "" {
			return access, err
		}
		k, revision, err := c.vault.load(ctx, c.name)
		if err != nil {
			return "", err
		}
		if reason := c.unfit(k); reason != "" {
			return "", c.loginRequired(reason)
		}
		switch {
		case c.usable(*k, refused):
			return c.use(*k), nil
		case k.Refresh == "":
			return "", c.loginRequired("its access has ended, and the issuer gave nothing to renew it with")
		case k.Access == refused && c.now().Sub(k.Obtained) < youngest:
			return "", c.loginRequired("the server refuses a token that it was given just now")
		case c.now().Before(k.Claimed):
			select {
			case <-ctx.Done():
				return "", fmt.Errorf("%s: another gateway is renewing its access: %w", c.name, ctx.Err())
			case <-time.After(claimPoll):
			}
			continue
		case c.live(*k, refused):
			c.use(*k)
		}
		access, again, err := c.refresh(ctx, *k, revision, refused)
		if !again {
			return access, err
		}
	}
}

// unfit says why a sign-in cannot be used for the server as it is configured now.
func (c *Client) unfit(k *kept) string {
	switch {
	case k == nil:
		return "nobody has signed in"
	case k.URL != c.url.String():
		return "the sign-in is for another address"
	case c.config.Issuer != "" && !c.trusts(k.Issuer):
		return "the sign-in is from another issuer"
	case c.config.ClientID != "" && c.config.ClientID != k.ClientID:
		return "the sign-in is of another client"
	case k.Access == "" && k.Refresh == "":
		return "the issuer no longer renews its access"
	}
	return ""
}

// refresh claims the renewal, asks the issuer, and writes the result down. It says again if
// somebody else has changed the sign-in meanwhile.
func (c *Client) refresh(ctx context.Context, k kept, revision uint64, refused string) (access string, again bool, err error) {
	claimed := k
	claimed.Claimed = c.now().Add(claimFor)
	revision, err = c.vault.save(ctx, c.name, claimed, revision)
	if err != nil {
		return "", errors.Is(err, store.Conflict), err
	}
	if c.config.ClientSecret != "" {
		k.ClientSecret = c.config.ClientSecret // it may have been changed
	}
	fresh, err := c.ask(ctx, k, nil, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {k.Refresh}})
	if err == nil {
		c.mu.Lock()
		c.unkept = &unkept{fresh, revision, k.Refresh}
		c.mu.Unlock()
		access, err = c.writeDown(ctx)
		return access, access == "" && err == nil, err
	}
	var no *Refused
	ended := errors.As(err, &no) && no.final()
	if ended {
		k.Access, k.Refresh = "", ""
	}
	k.Claimed = time.Time{}
	// If this fails, the claim ends by itself.
	_, _ = c.vault.save(ctx, c.name, k, revision)
	if ended {
		c.use(kept{})
		return "", false, c.loginRequired(no.Error())
	}
	return "", false, fmt.Errorf("%s: its access cannot be renewed: %w", c.name, err)
}

// writeDown keeps renewed tokens before anybody uses them. A token that was used and not kept is
// lost with the process, and with it the refresh token that replaced the last one.
func (c *Client) writeDown(ctx context.Context) (access string, err error) {
	c.mu.Lock()
	u := c.unkept
	c.mu.Unlock()
	if u == nil {
		return "", nil
	}
	for range replaceTries {
		_, err = c.vault.save(ctx, c.name, u.kept, u.revision)
		if !errors.Is(err, store.Conflict) {
			break
		}
		// What is kept counts if a login came between, or if our own write did arrive.
		now, revision, loading := c.vault.load(ctx, c.name)
		if err = loading; err != nil {
			break
		}
		if now == nil || now.Refresh != u.replaced || now.Access == u.Access {
			c.settled()
			return "", nil
		}
		u.Wanted, u.revision = now.Wanted, revision
		err = store.Conflict
	}
	if err != nil {
		return "", fmt.Errorf("%s: its renewed access cannot be kept, and is not used before it is: %w", c.name, err)
	}
	c.settled()
	return c.use(u.kept), nil
}

func (c *Client) settled() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unkept = nil
}

// renewAccount gets a token for the gateway's own account. It needs no place to be kept.
func (c *Client) renewAccount(ctx context.Context, refused string) (string, error) {
	c.mu.Lock()
	known, found := c.known, c.account
	c.mu.Unlock()
	if c.usable(known, refused) {
		return known.Access, nil
	}
	if known.Access != "" && known.Access == refused && c.now().Sub(known.Obtained) < youngest {
		return "", fmt.Errorf("%s refuses a token that it was given just now; check what its account may do", c.name)
	}
	if found == nil {
		p, err := c.discover(ctx)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.name, err)
		}
		found = &p
	}
	scopes := c.config.Scopes
	if len(scopes) == 0 {
		scopes = found.scopes
	}
	k, err := c.ask(ctx, kept{
		Resource: found.resource, Issuer: found.issuer.Issuer, TokenURL: found.issuer.TokenEndpoint,
		ClientID: c.config.ClientID, ClientSecret: c.config.ClientSecret,
		AuthStyle: authStyle(c.config.ClientSecret, found.issuer.TokenEndpointAuthMethodsSupported),
	}, scopes, url.Values{})
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.name, err)
	}
	c.mu.Lock()
	c.account = found
	c.mu.Unlock()
	return c.use(k), nil
}
