package mcpserver

import (
	"reflect"
	"slices"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wildcard"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// ToolSet shows a part of what is served to some clients. In patterns * stands for any
// characters; an empty list is no condition.
type ToolSet struct {
	// Principals and Scopes say who: a client whose principal fits one of the patterns,
	// and whose access token has all of the scopes.
	Principals, Scopes []string
	// Servers and Names say what: tools, prompts and resources of a source that fits,
	// with a name or URI that fits.
	Servers, Names []string
}

// Allot replaces the sets. Without any, every client sees everything. With some, a
// client sees what one of its sets shows; the rest does not exist for it, in lists
// and in calls. Scopes that a tool needs are something else: such a tool is listed,
// and a call without them is told which are missing.
func (s *Server) Allot(sets []ToolSet) {
	sets = slices.Clone(sets)
	if before := s.sets.Swap(&sets); before == nil && len(sets) == 0 || before != nil && reflect.DeepEqual(*before, sets) {
		return
	}
	for _, v := range s.content.all() {
		v.toolsChanged()
		v.relayChanged(&sources{}, &v.shown.Load().sources)
	}
}

// audience is what one client sees. The zero audience sees everything.
type audience struct {
	sets []*ToolSet // nil: no sets are in use
	held *Holder    // of a named token, which may show less; nil shows everything
	key  string     // the same for clients that see the same
}

// audienceOf returns what a client sees.
func (s *Server) audienceOf(who peer) audience {
	a := audience{}
	if who.holder != nil && who.holder.limited() {
		a.held, a.key = who.holder, who.holder.key()
	}
	all := s.sets.Load()
	if all == nil || len(*all) == 0 {
		return a
	}
	a.sets = []*ToolSet{}
	key := make([]byte, len(*all))
	for i := range *all {
		key[i] = '-'
		if set := &(*all)[i]; set.covers(who) {
			key[i] = '+'
			a.sets = append(a.sets, set)
		}
	}
	a.key += string(key)
	return a
}

// covers reports whether the set is for a client.
func (t *ToolSet) covers(who peer) bool {
	if !fits(t.Principals, who.principal) {
		return false
	}
	return !slices.ContainsFunc(t.Scopes, func(scope string) bool {
		return who.grant == nil || !slices.Contains(who.grant.Scopes, scope)
	})
}

// sees reports whether something of a source is there for the audience.
func (a audience) sees(source, name string) bool {
	if a.held != nil && !fits(a.held.Names, name) {
		return false
	}
	return a.sets == nil || slices.ContainsFunc(a.sets, func(t *ToolSet) bool {
		return fits(t.Servers, source) && fits(t.Names, name)
	})
}

// calls reports whether a tool is there for the audience.
func (a audience) calls(about *governed.About) bool {
	return a.sees(about.Source, about.Name) && (a.held == nil || a.held.Cap == nil || about.Level.Within(*a.held.Cap))
}

// limited reports whether some clients see more.
func (a audience) limited() bool { return a.sets != nil || a.held != nil }

func fits(patterns []string, text string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return wildcard.Match(p, text) })
}
