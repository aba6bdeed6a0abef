package exposure

import (
	"context"
	"encoding/json"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// Caller makes requests of one server; an [upstream.Upstream] is one.
type Caller interface {
	Call(ctx context.Context, r upstream.Request) (json.RawMessage, error)
}

// Reach returns how the server is reached. What it may ask of clients follows from the
// policy, whatever the configuration says.
func (r *Registration) Reach() upstream.Config {
	c := r.Config
	c.Offer = upstream.Offer{Elicitation: r.Policy.Elicitation == Allow, Sampling: r.Policy.Sampling == Allow, Roots: r.Policy.Roots == Allow}
	return c
}
