package service

import (
	"bytes"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/governed"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// shelf publishes the specs of the library to a server's clients. Changes are made
// one at a time.
type shelf struct {
	server   *mcpserver.Server
	observed *telemetry.Telemetry
	tell     func(Event)

	prepared map[string]*runtime.Tool // as last published, by name
	told     map[Withheld]bool        // already reported as withheld
	served   map[string]bool          // served after the last offer; nil before the first

	// revisions keeps the texts of the operator's specs; nil keeps none.
	revisions *library.Revisions

	// specs are all specs of the library with what they are granted, for the console.
	specs atomic.Pointer[[]console.Spec]
}

// offer publishes the tools of a stock that may be published, reports the withheld
// ones, and returns how many they are. An unchanged tool keeps its compiled code. reloaded is the error
// of reading the stock again, if any; the previous tools are then offered.
func (s *shelf) offer(rt *runtime.Runtime, from *stock, lookup catalog.Lookup, reloaded error) (hidden int) {
	if reloaded != nil {
		s.tell(Stale{reloaded})
	}
	// Read this again too: other processes add to it.
	passes, err := from.specs.Passes()
	if err != nil {
		s.tell(PassesUnread{err})
	}
	var withheld []Withheld
	for _, t := range from.specs.Trouble() {
		withheld = append(withheld, Withheld{Reason: oneLine(t.Error())})
	}
	var offered []governed.Tool
	var secrets []string
	prepared := map[string]*runtime.Tool{}
	var all []console.Spec
	for _, t := range from.specs.Tools(passes, from.pins, lookup) {
		name := t.Spec.Name()
		all = append(all, specOf(rt, t))
		s.keep(t)
		if !t.Published() {
			withheld = append(withheld, Withheld{name, oneLine(t.Why())})
			continue
		}
		tool, err := s.prepare(rt, t)
		if err != nil {
			withheld = append(withheld, Withheld{name, oneLine(err.Error())})
			continue
		}
		prepared[name] = tool
		offered, secrets = append(offered, tool), append(secrets, tool.Secrets()...)
	}
	s.prepared = prepared
	s.specs.Store(&all)
	s.observed.Learn(rt.Sanitiser(), secrets)
	for _, w := range s.server.Publish(risk.Library, offered) {
		withheld = append(withheld, Withheld{w.Name, oneLine(w.Reason)})
	}
	served := map[string]bool{}
	for name := range prepared {
		served[name] = !slices.ContainsFunc(withheld, func(w Withheld) bool { return w.Name == name })
	}
	s.tellWithheld(withheld, served)
	return len(withheld)
}

// keep keeps the text of an operator's spec. Nothing is decided by what is kept, so a
// failure is only said.
func (s *shelf) keep(t library.Tool) {
	if t.Origin == library.Builtin || s.revisions == nil {
		return
	}
	if err := s.revisions.Keep(t.Spec.Name(), t.Spec.Hash().String(), t.Spec.Raw(), time.Now()); err != nil {
		s.observed.Logger().Warn("specs.revision", "tool", t.Spec.Name(), "cause", err)
	}
}

// all returns the specs of the library as last offered.
func (s *shelf) all() []console.Spec {
	if specs := s.specs.Load(); specs != nil {
		return *specs
	}
	return nil
}

// tellWithheld reports newly withheld tools, and those served since the last offer; the
// tools of the first offer are counted elsewhere. It forgets a tool that is no longer
// withheld, and reports it again if it comes back.
func (s *shelf) tellWithheld(now []Withheld, served map[string]bool) {
	told := map[Withheld]bool{}
	for _, name := range slices.Sorted(maps.Keys(served)) {
		if s.served != nil && served[name] && !s.served[name] {
			s.tell(Serving{name})
		}
	}
	s.served = served
	for _, w := range now {
		if !s.told[w] {
			s.tell(w)
		}
		told[w] = true
	}
	s.told = told
}

// prepare makes a tool from a spec, or returns the published one if it is the same.
func (s *shelf) prepare(rt *runtime.Runtime, t library.Tool) (*runtime.Tool, error) {
	known := s.prepared[t.Spec.Name()]
	if known != nil && known.Of(rt) && bytes.Equal(known.Spec().Raw(), t.Spec.Raw()) {
		return known, nil
	}
	tool, problems := rt.Prepare(t.Spec, sourceOf(t))
	return tool, problems.Err()
}

func sourceOf(t library.Tool) string {
	if t.Origin == library.Builtin {
		return catalog.SourceBuiltin
	}
	return catalog.SourceUser
}

// specOf adds to a spec what it is granted.
func specOf(rt *runtime.Runtime, t library.Tool) console.Spec {
	s := console.Spec{Tool: t}
	var problems catalog.Problems
	s.Posture, _, problems = rt.Resolve(t.Spec, sourceOf(t))
	if problems.Err() != nil {
		s.Refused = problems
	}
	return s
}
