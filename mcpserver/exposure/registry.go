package exposure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/exposure/internal/kept"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

const (
	upstreamsName = "glovebox-upstreams"
	setsName      = "glovebox-compositions"
	usesName      = "glovebox-upstream-use"
	surfacesName  = "glovebox-door-surfaces"
	// Values are below the message limit of a cluster, 1 MiB; the buckets hold far more
	// servers and sets than anybody runs.
	maxValue, maxBucket = 900 << 10, 16 << 20
	registryVersion     = 1

	exposurePrefix, compositionPrefix = "exposure.", "composition."
)

// Registry keeps the registrations, exposures and compositions. Those of the
// configuration stand beside them and cannot be changed here. It is safe for
// concurrent use, by several processes of a cluster.
type Registry struct {
	upstreams *kept.Bucket[Registration]
	sets      *kept.Bucket[set]
	uses      *kept.Bucket[use]
	surfaces  *kept.Bucket[upstream.Surface]
	now       func() time.Time

	mu         sync.Mutex
	told       func()
	configured Configured
	used       map[string]time.Time // last use that is not stored yet
}

// Configured is what the configuration says.
type Configured struct {
	Upstreams    []Registration
	Exposures    []Exposure
	Compositions []Composition
}

// set is one value of the bucket of sets: one of the two.
type set struct {
	Exposure    *Exposure    `json:"exposure,omitempty"`
	Composition *Composition `json:"composition,omitempty"`
}

// use is what is known about a server that is no setting.
type use struct {
	Last    time.Time `json:"last,omitzero"`
	Sighted time.Time `json:"sighted,omitzero"` // when its tools were pinned first
}

// Open opens the registry of a store and follows it until ctx ends. now is its clock.
func Open(ctx context.Context, s *store.Store, now func() time.Time) (*Registry, error) {
	r := &Registry{now: now, used: map[string]time.Time{}}
	for _, b := range []struct {
		name string
		open func(*store.Bucket) error
	}{
		{upstreamsName, func(b *store.Bucket) error {
			r.upstreams = kept.Of[Registration](b, "a registration", registryVersion)
			return r.upstreams.Follow(ctx, r.changed)
		}},
		{setsName, func(b *store.Bucket) error {
			r.sets = kept.Of[set](b, "a set of tools", registryVersion)
			return r.sets.Follow(ctx, r.changed)
		}},
		{usesName, func(b *store.Bucket) error {
			r.uses = kept.Of[use](b, "the use of a server", registryVersion)
			return r.uses.Follow(ctx, func(string) {})
		}},
		{surfacesName, func(b *store.Bucket) error {
			r.surfaces = kept.Of[upstream.Surface](b, "what a server listed", registryVersion)
			return nil
		}},
	} {
		bucket, err := s.Bucket(ctx, store.BucketConfig{Name: b.name, MaxValue: maxValue, MaxBytes: maxBucket})
		if err == nil {
			err = b.open(bucket)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Watch has changed called after each change, also of other processes, instead of an
// earlier function. It must not wait.
func (r *Registry) Watch(changed func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = changed
}

func (r *Registry) changed(string) {
	r.mu.Lock()
	told := r.told
	r.mu.Unlock()
	if told != nil {
		told()
	}
}

// Configure replaces what the configuration says, as a whole or not at all.
func (r *Registry) Configure(c Configured) error {
	var errs []error
	for i := range c.Upstreams {
		c.Upstreams[i].Origin = ByConfiguration
		errs = append(errs, c.Upstreams[i].Check())
	}
	for i := range c.Exposures {
		c.Exposures[i].Origin = ByConfiguration
		errs = append(errs, c.Exposures[i].Check())
	}
	for i := range c.Compositions {
		c.Compositions[i].Origin = ByConfiguration
		errs = append(errs, c.Compositions[i].Check())
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	r.mu.Lock()
	r.configured = c
	r.mu.Unlock()
	r.changed("")
	return nil
}

// View is the registry at one moment. Nobody changes it.
type View struct {
	Upstreams    []Registration // sorted by name
	Exposures    []Exposure     // sorted by server
	Compositions []Composition  // sorted by name
	Damaged      []Damage
}

// Upstream returns a registration, or nil.
func (v *View) Upstream(name string) *Registration {
	return find(v.Upstreams, func(r *Registration) bool { return r.Config.Name == name })
}

// Exposure returns what is exposed of a server, or nil.
func (v *View) Exposure(upstream string) *Exposure {
	return find(v.Exposures, func(e *Exposure) bool { return e.Upstream == upstream })
}

// Composition returns a composition, or nil.
func (v *View) Composition(name string) *Composition {
	return find(v.Compositions, func(c *Composition) bool { return c.Name == name })
}

func find[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Now returns the registry as it is now. What the configuration says goes before what
// is stored under the same name.
func (r *Registry) Now() *View {
	upstreams, damagedUpstreams := r.upstreams.Now()
	sets, damagedSets := r.sets.Now()
	exposures, compositions := map[string]Exposure{}, map[string]Composition{}
	v := &View{}
	for name, err := range damagedUpstreams {
		v.Damaged = append(v.Damaged, Damage{"upstream", name, err})
		delete(upstreams, name)
	}
	for key, s := range sets {
		switch {
		case s.Exposure != nil && key == exposurePrefix+s.Exposure.Upstream:
			exposures[s.Exposure.Upstream] = *s.Exposure
		case s.Composition != nil && key == compositionPrefix+s.Composition.Name:
			compositions[s.Composition.Name] = *s.Composition
		default:
			damagedSets[key] = errors.New("a set of tools is damaged: it stands under another name")
		}
	}
	for key, err := range damagedSets {
		kind, name, _ := strings.Cut(key, ".")
		v.Damaged = append(v.Damaged, Damage{kind, name, err})
	}
	v.Damaged = slices.DeleteFunc(v.Damaged, func(d Damage) bool { return r.owned(d.Kind, d.Name) != nil })
	r.mu.Lock()
	for _, c := range r.configured.Upstreams {
		upstreams[c.Config.Name] = c
	}
	for _, c := range r.configured.Exposures {
		exposures[c.Upstream] = c
	}
	for _, c := range r.configured.Compositions {
		compositions[c.Name] = c
	}
	r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(upstreams)) {
		v.Upstreams = append(v.Upstreams, upstreams[name])
	}
	for _, name := range slices.Sorted(maps.Keys(exposures)) {
		v.Exposures = append(v.Exposures, exposures[name])
	}
	for _, name := range slices.Sorted(maps.Keys(compositions)) {
		v.Compositions = append(v.Compositions, compositions[name])
	}
	slices.SortFunc(v.Damaged, func(a, b Damage) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
	})
	return v
}

// Reasons why a change of the registry is refused.
var (
	ErrExists     = errors.New("there is one of that name")
	ErrNone       = errors.New("there is none of that name")
	ErrConfigured = errors.New("it is in the configuration; change it there")
)

// owned returns why something cannot be changed here.
func (r *Registry) owned(kind, name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &r.configured
	var found bool
	switch kind {
	case "upstream":
		found = find(c.Upstreams, func(r *Registration) bool { return r.Config.Name == name }) != nil
	case "exposure":
		found = find(c.Exposures, func(e *Exposure) bool { return e.Upstream == name }) != nil
	case "composition":
		found = find(c.Compositions, func(c *Composition) bool { return c.Name == name }) != nil
	}
	if found {
		return fmt.Errorf("%s %q: %w", kind, name, ErrConfigured)
	}
	return nil
}

// Add registers a server.
func (r *Registry) Add(ctx context.Context, g Registration) error {
	if g.State == "" {
		g.State = Quarantined
	}
	g.Added = r.now().UTC()
	if err := cmp.Or(g.Check(), r.owned("upstream", g.Config.Name)); err != nil {
		return err
	}
	return r.did(r.upstreams.Change(ctx, g.Config.Name, func(v *Registration, there bool) error {
		if there {
			return fmt.Errorf("upstream %q: %w", g.Config.Name, ErrExists)
		}
		*v = g
		return nil
	}))
}

// Update lets f change a registration. It cannot change the name.
func (r *Registry) Update(ctx context.Context, name string, f func(*Registration) error) error {
	if err := r.owned("upstream", name); err != nil {
		return err
	}
	return r.did(r.upstreams.Change(ctx, name, func(v *Registration, there bool) error {
		if !there {
			return fmt.Errorf("upstream %q: %w", name, ErrNone)
		}
		if err := f(v); err != nil {
			return err
		}
		if v.Config.Name != name {
			return fmt.Errorf("upstream %q: its name cannot be changed; remove it and add it again", name)
		}
		return v.Check()
	}))
}

// Remove forgets a server and what is exposed of it, also when they cannot be read.
// Compositions keep their members and say that the server is gone.
func (r *Registry) Remove(ctx context.Context, name string) error {
	if err := r.owned("upstream", name); err != nil {
		return err
	}
	there, err := r.upstreams.Delete(ctx, name)
	if err != nil {
		return err
	}
	if !there {
		return fmt.Errorf("upstream %q: %w", name, ErrNone)
	}
	_, err = r.sets.Delete(ctx, exposurePrefix+name)
	if err == nil {
		_, err = r.uses.Delete(ctx, name)
	}
	if err == nil {
		_, err = r.surfaces.Delete(ctx, name)
	}
	return r.did(err)
}

// did reports a change that was made.
func (r *Registry) did(err error) error {
	if err == nil {
		r.changed("")
	}
	return err
}
