package service

import (
	"bytes"
	"maps"
	"slices"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/governed"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// shelf puts the specs of the library before a server's clients. One change of it
// is made at a time.
type shelf struct {
	server   *mcpserver.Server
	observed *telemetry.Telemetry
	tell     func(Event)

	prepared map[string]*runtime.Tool // what was offered last, by its name
	told     map[Withheld]bool        // what is withheld already
}

// offer publishes the tools of a stock that may be published, and tells which are
// withheld. A tool that did not change keeps what was compiled for it. reloaded is
// why the stock could not be read again, if it could not; what was read before is
// offered then.
func (s *shelf) offer(rt *runtime.Runtime, from *stock, lookup catalog.Lookup, reloaded error) {
	if reloaded != nil {
		s.tell(Stale{reloaded})
	}
	// Read again as well: another process adds to it.
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
	for _, t := range from.specs.Tools(passes, from.pins, lookup) {
		name := t.Spec.Name()
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
	s.observed.Learn(rt.Sanitiser(), secrets)
	for _, w := range s.server.Publish(risk.Library, offered) {
		withheld = append(withheld, Withheld{w.Name, oneLine(w.Reason)})
	}
	served := map[string]bool{}
	for name := range prepared {
		served[name] = !slices.ContainsFunc(withheld, func(w Withheld) bool { return w.Name == name })
	}
	s.tellWithheld(withheld, served)
}

// tellWithheld tells what was not told before, and what is served from now on
// although it was withheld; what is no longer withheld is told again when it comes
// back.
func (s *shelf) tellWithheld(now []Withheld, served map[string]bool) {
	told, back := map[Withheld]bool{}, map[string]bool{}
	for w := range s.told {
		back[w.Name] = served[w.Name]
	}
	for _, name := range slices.Sorted(maps.Keys(back)) {
		if back[name] {
			s.tell(Serving{name})
		}
	}
	for _, w := range now {
		if !s.told[w] {
			s.tell(w)
		}
		told[w] = true
	}
	s.told = told
}

// prepare makes a tool of a spec, or returns the one that is offered if it is the
// same.
func (s *shelf) prepare(rt *runtime.Runtime, t library.Tool) (*runtime.Tool, error) {
	known := s.prepared[t.Spec.Name()]
	if known != nil && known.Of(rt) && bytes.Equal(known.Spec().Raw(), t.Spec.Raw()) {
		return known, nil
	}
	source := catalog.SourceUser
	if t.Origin == library.Builtin {
		source = catalog.SourceBuiltin
	}
	tool, problems := rt.Prepare(t.Spec, source)
	return tool, problems.Err()
}
