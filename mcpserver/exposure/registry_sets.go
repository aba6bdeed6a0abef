package exposure

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/glovebox-run/glovebox/mcpserver/exposure/internal/kept"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// Expose lets f change what is exposed of a server; at first nothing is. If f leaves
// nothing exposed, the exposure is deleted.
func (r *Registry) Expose(ctx context.Context, upstream, by string, f func(*Exposure) error) error {
	if err := cmp.Or(ValidName(upstream), r.owned("exposure", upstream)); err != nil {
		return err
	}
	if _, damaged := r.sets.Now(); damaged[exposurePrefix+upstream] != nil {
		return r.exposeAgain(ctx, upstream, f)
	}
	empty := false
	err := r.sets.Change(ctx, exposurePrefix+upstream, func(v *set, there bool) error {
		if !there {
			v.Exposure = &Exposure{Upstream: upstream, Origin: ByCommand}
		}
		if v.Exposure == nil {
			return errors.New("the exposure is damaged")
		}
		if err := f(v.Exposure); err != nil {
			return err
		}
		e := v.Exposure
		if e.Upstream != upstream {
			return fmt.Errorf("the exposure of %q cannot be moved", upstream)
		}
		e.Updated, e.By = r.now().UTC(), by
		if empty = e.nothing(); empty && !there {
			return kept.ErrUnchanged
		}
		return e.Check()
	})
	if err == nil && empty {
		_, err = r.sets.Delete(ctx, exposurePrefix+upstream)
	}
	return r.did(err)
}

// exposeAgain is Expose for an exposure that cannot be read: it can only be ended.
func (r *Registry) exposeAgain(ctx context.Context, upstream string, f func(*Exposure) error) error {
	e := &Exposure{Upstream: upstream}
	if err := f(e); err != nil {
		return err
	}
	if !e.nothing() {
		return fmt.Errorf("the exposure of %q cannot be read; end it with glovebox unexpose %s, and then expose it again", upstream, upstream)
	}
	_, err := r.sets.Delete(ctx, exposurePrefix+upstream)
	return r.did(err)
}

// nothing reports whether nothing is exposed.
func (e *Exposure) nothing() bool {
	return !e.All && len(e.Tools) == 0 && !e.Resources && !e.Prompts
}

// CreateComposition keeps a new composition, which is not enabled: [Enable] decides
// whether it may be.
func (r *Registry) CreateComposition(ctx context.Context, c Composition) error {
	c.Enabled, c.Revision, c.Created = false, 1, r.now().UTC()
	c.Updated = c.Created
	if c.Cap == mcp.Unrated {
		c.Cap = CompositionCap
	}
	if err := cmp.Or(c.Check(), r.owned("composition", c.Name)); err != nil {
		return err
	}
	return r.did(r.sets.Change(ctx, compositionPrefix+c.Name, func(v *set, there bool) error {
		if there {
			return fmt.Errorf("composition %q: %w", c.Name, ErrExists)
		}
		v.Composition = &c
		return nil
	}))
}

// UpdateComposition lets f change a composition. It cannot change the name.
func (r *Registry) UpdateComposition(ctx context.Context, name, by string, f func(*Composition) error) error {
	if err := r.owned("composition", name); err != nil {
		return err
	}
	return r.did(r.sets.Change(ctx, compositionPrefix+name, func(v *set, there bool) error {
		if !there || v.Composition == nil {
			return fmt.Errorf("composition %q: %w", name, ErrNone)
		}
		c := v.Composition
		if err := f(c); err != nil {
			return err
		}
		if c.Name != name {
			return fmt.Errorf("composition %q: its name cannot be changed; create another one", name)
		}
		c.Revision, c.Updated, c.By = c.Revision+1, r.now().UTC(), by
		return c.Check()
	}))
}

// DeleteComposition forgets a composition, also when it cannot be read.
func (r *Registry) DeleteComposition(ctx context.Context, name string) error {
	if err := r.owned("composition", name); err != nil {
		return err
	}
	there, err := r.sets.Delete(ctx, compositionPrefix+name)
	if err == nil && !there {
		err = fmt.Errorf("composition %q: %w", name, ErrNone)
	}
	return r.did(err)
}
