package exposure

import (
	"fmt"
	"slices"
)

// Enabling returns why a composition must not be enabled beside everything that is
// offered now, or nothing. It is [Admit] with the composition enabled: all its members
// have to come through.
func Enabling(in Admission, name string) []Withheld {
	in.Compositions = slices.Clone(in.Compositions)
	in.Before = nil
	c := find(in.Compositions, func(c *Composition) bool { return c.Name == name })
	switch {
	case c == nil:
		return []Withheld{{Set: name, Code: Unreadable, Why: fmt.Sprintf("there is no composition %q that can be read", name), WayOut: "glovebox composition create " + name}}
	case len(c.Members)+len(c.Resources)+len(c.Prompts) == 0:
		return []Withheld{{Set: name, Code: EmptySet, Why: "a composition without members cannot be enabled", WayOut: fmt.Sprintf("glovebox composition update %s SERVER/TOOL", name)}}
	}
	c.Enabled = true
	return slices.DeleteFunc(Admit(in).Withheld, func(w Withheld) bool { return w.Set != name })
}

// Trying returns what would be offered if an exposure were as it is given: it is [Admit]
// with that exposure in place of the one that there is.
func Trying(in Admission, e Exposure) *Offer {
	in.Exposures = append(slices.DeleteFunc(slices.Clone(in.Exposures), func(o Exposure) bool { return o.Upstream == e.Upstream }), e)
	in.Before = nil
	return Admit(in)
}

// Retire ends the tools of an earlier offer that are not in this one: calls of them are
// refused from now on.
func (o *Offer) Retire(before *Offer) {
	if before == nil {
		return
	}
	for id, t := range before.tools {
		if o.tools[id] != t {
			t.withdrawn.Store(true)
		}
	}
}
