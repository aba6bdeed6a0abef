package signin

import (
	"context"
	"errors"
	"time"
)

// Status is what is known about a sign-in without asking anybody.
type Status struct {
	Issuer   string    `json:"issuer,omitempty"`
	ClientID string    `json:"client_id,omitempty"`
	Scopes   []string  `json:"scopes,omitempty"` // granted, as far as is known
	Since    time.Time `json:"since,omitzero"`
	// Until is when the access token ends; zero if the issuer does not say. Renews is set if
	// it is followed by another one without a person.
	Until  time.Time `json:"until,omitzero"`
	Renews bool      `json:"renews,omitempty"`
	// Wanted are scopes that the server has asked for since.
	Wanted []string `json:"wanted,omitempty"`
	// Needs says what a person has to do; empty for nothing.
	Needs string `json:"needs,omitempty"`
}

// Status returns how a sign-in is.
func (c *Client) Status(ctx context.Context) (Status, error) {
	if c.config.Grant == ClientCredentials {
		c.mu.Lock()
		defer c.mu.Unlock()
		s := statusOf(c.known)
		s.ClientID, s.Renews = c.config.ClientID, true
		return s, nil
	}
	k, _, err := c.vault.load(ctx, c.name)
	if errors.Is(err, errSealed) {
		return Status{Needs: c.loginRequired(err.Error()).Error()}, nil
	}
	if err != nil {
		return Status{}, err
	}
	if reason := c.unfit(k); reason != "" {
		return Status{Needs: c.loginRequired(reason).Error()}, nil
	}
	s := statusOf(*k)
	s.Renews = k.Refresh != ""
	switch {
	case !s.Renews && !s.Until.IsZero() && !c.now().Before(s.Until):
		s.Needs = c.loginRequired("its access has ended, and the issuer gave nothing to renew it with").Error()
	case len(s.Wanted) > 0:
		s.Needs = (&ScopeRequired{c.name, s.Wanted}).Error()
	}
	return s, nil
}

func statusOf(k kept) Status {
	return Status{Issuer: k.Issuer, ClientID: k.ClientID, Scopes: k.Scopes, Since: k.Obtained, Until: k.Expires, Wanted: k.Wanted}
}

// Logout forgets a person's sign-in. The issuer is not told.
func (c *Client) Logout(ctx context.Context) error {
	err := c.vault.Forget(ctx, c.name)
	c.settled()
	c.use(kept{})
	return err
}
