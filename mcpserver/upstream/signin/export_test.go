package signin

import "time"

// SetTimeout bounds requests to the issuer, before the first one.
func (c *Client) SetTimeout(d time.Duration) { c.http.Timeout = d }

// ClaimFor is how long one gateway has to renew tokens.
const ClaimFor = claimFor
