package gateway

import (
	"context"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/risk/live"
)

// diffTime bounds how long the two definitions of a changed tool are waited for.
const diffTime = 2 * time.Second

// Drift says whether the definition that a tool was offered with is still the accepted
// one, by the ledger as it is now. The offer follows the ledger, a moment later and in a
// cluster on each server by itself; a call that comes first is seen here.
func (g *Gateway) Drift(o exposure.Origins) live.Drift {
	if o.Pin == "" {
		return live.Same // reads resources or prompts: there is no definition
	}
	pin := g.ledger.Pins().Of(o.Upstream, o.Tool)
	if pin.State() == ledger.Active && pin.Seen.Hash == o.Pin {
		return live.Same
	}
	if pin.State() == ledger.Changed {
		ctx, cancel := context.WithTimeout(context.Background(), diffTime)
		defer cancel()
		if _, _, d, err := g.ledger.Diff(ctx, pin); err == nil && d.Grew {
			return live.Grown
		}
	}
	return live.Changed
}
