package gateway

import (
	"context"
	"errors"

	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/risk/fingerprint"
)

// Version is one step in the history of a tool's pin, with what its definition has that the
// one before did not have.
type Version struct {
	ledger.Step
	// Changes and Grew compare with the definition of the step before; neither is set if the
	// definition is the same, the first, or not kept.
	fingerprint.Difference
	// Before and After are the two definitions, if they differ and are kept.
	Before, After []byte
	// Lost says that a definition that differs is not kept any more.
	Lost bool
}

// History returns what was decided about a tool of a server, oldest first.
func (g *Gateway) History(ctx context.Context, server, tool string) ([]Version, error) {
	pin := g.ledger.Pins().Of(server, tool)
	if pin == nil {
		return nil, g.noPins(server)
	}
	var all []Version
	before := ""
	for _, step := range pin.History {
		v := Version{Step: step}
		if before != "" && step.Hash != before {
			var err error
			if v.Before, err = g.ledger.Form(ctx, server, before); err == nil {
				v.After, err = g.ledger.Form(ctx, server, step.Hash)
			}
			switch {
			case errors.Is(err, ledger.ErrNoForm):
				v.Lost, v.Before, v.After = true, nil, nil
			case err != nil:
				return nil, err
			default:
				if v.Difference, err = fingerprint.Compare(v.Before, v.After, fingerprint.Instructions(nil)); err != nil {
					return nil, err
				}
			}
		}
		before = step.Hash
		all = append(all, v)
	}
	return all, nil
}
