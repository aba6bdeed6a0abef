package exposure

import (
	"context"
	"encoding/json"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/exposure/internal/kept"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// useEvery is how often the last use of a server is written down: it is held against 90
// days, and a write costs more than a call.
const useEvery = time.Hour

// Used notes that a call of a server ran.
func (r *Registry) Used(ctx context.Context, upstream string) error {
	now := r.now().UTC()
	r.mu.Lock()
	fresh := now.Sub(r.used[upstream]) < useEvery
	if !fresh {
		r.used[upstream] = now
	}
	r.mu.Unlock()
	if fresh {
		return nil
	}
	return r.uses.Change(ctx, upstream, func(u *use, _ bool) error {
		if now.Sub(u.Last) < useEvery {
			return kept.ErrUnchanged
		}
		u.Last = now
		return nil
	})
}

// LastUsed returns when a call of a server ran last, to the hour; zero for never.
func (r *Registry) LastUsed(upstream string) time.Time {
	return r.uses.Value(upstream).Last
}

// Sighted notes that the tools of a server were pinned.
func (r *Registry) Sighted(ctx context.Context, upstream string) error {
	return r.uses.Change(ctx, upstream, func(u *use, _ bool) error {
		if !u.Sighted.IsZero() {
			return kept.ErrUnchanged
		}
		u.Sighted = r.now().UTC()
		return nil
	})
}

// WasSighted reports whether the tools of a server were pinned before. What cannot be
// read counts as yes: then nothing is trusted for being new.
func (r *Registry) WasSighted(upstream string) bool {
	uses, damaged := r.uses.Now()
	return damaged[upstream] != nil || !uses[upstream].Sighted.IsZero()
}

// maxSurface is how much of what a server lists is kept, in bytes. A server that lists
// more is asked after a start before it offers anything beside tools.
const maxSurface = maxValue / 2

// Keep stores what a server listed, for the next start. Its tools are in the ledger.
func (r *Registry) Keep(ctx context.Context, name string, s *upstream.Surface) error {
	rest := *s
	rest.Tools = nil
	if text, err := json.Marshal(&rest); err != nil || len(text) > maxSurface {
		rest.Resources, rest.Templates, rest.Prompts = nil, nil, nil
	}
	return r.surfaces.Change(ctx, name, func(v *upstream.Surface, there bool) error {
		if there && same(v, &rest) {
			return kept.ErrUnchanged
		}
		*v = rest
		return nil
	})
}

// same reports whether two surfaces list the same, whenever they did.
func same(a, b *upstream.Surface) bool {
	x, y := *a, *b
	x.Listed, y.Listed = time.Time{}, time.Time{}
	one, err1 := json.Marshal(&x)
	other, err2 := json.Marshal(&y)
	return err1 == nil && err2 == nil && string(one) == string(other)
}

// Kept returns what servers listed last, without their tools.
func (r *Registry) Kept(ctx context.Context) (map[string]upstream.Surface, error) {
	return r.surfaces.Load(ctx)
}
