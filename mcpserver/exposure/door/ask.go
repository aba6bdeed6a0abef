package door

import (
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// Admit has everything admitted again, now, and returns the offer.
func (d *Door) Admit() *exposure.Offer {
	d.round()
	return d.Offer()
}

// Known returns what a server listed last, nil if that is not known, and why it could
// not be listed since, if it was tried.
func (d *Door) Known(name string) (listed *upstream.Surface, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.known[name]; k != nil {
		return k.surface, k.why
	}
	return nil, ""
}
