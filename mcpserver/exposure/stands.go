package exposure

import (
	"cmp"
	"context"
)

// Stands reports whether a server is enabled and the set through which something of it is
// called is there, in all of the cluster: by what was changed longer than [store.Staleness]
// ago and by everything that is known here. What is offered follows a moment later. The
// error is one of the store.
func (r *Registry) Stands(ctx context.Context, server, set string) (bool, error) {
	if err := cmp.Or(r.upstreams.Fresh(ctx), r.sets.Fresh(ctx)); err != nil {
		return false, err
	}
	r.mu.Lock()
	configured := &r.configured
	registration := find(configured.Upstreams, func(g *Registration) bool { return g.Config.Name == server })
	chosen := set == Exposed && find(configured.Exposures, func(e *Exposure) bool { return e.Upstream == server }) != nil ||
		set != Exposed && find(configured.Compositions, func(c *Composition) bool { return c.Name == set && c.Enabled }) != nil
	r.mu.Unlock()
	if registration == nil {
		kept, _ := r.upstreams.One(server)
		registration = &kept
	}
	if !chosen {
		key := compositionPrefix + set
		if set == Exposed {
			key = exposurePrefix + server
		}
		kept, _ := r.sets.One(key)
		chosen = kept.Exposure != nil || kept.Composition != nil && kept.Composition.Enabled
	}
	return registration.State == Enabled && chosen, nil
}
