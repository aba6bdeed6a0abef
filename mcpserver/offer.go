package mcpserver

import (
	"bytes"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/governed"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// Withheld is a tool that is not offered, and why, for the operator.
type Withheld struct{ Name, Reason string }

// Publish makes tools the ones that clients see of a source, all at once, and
// returns those that another source leaves no name for. Clients are told if the
// list differs from what it was.
func (s *Server) Publish(source string, tools []governed.Tool) []Withheld {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	change := s.published.Replace(source, tools)
	if len(change.Removed) > 0 {
		s.sdk.RemoveTools(change.Removed...)
	}
	for _, tool := range change.Added {
		s.sdk.AddTool(listed(tool), s.handler(tool))
	}
	var withheld []Withheld
	for _, clash := range change.Clashes {
		withheld = append(withheld, Withheld{clash.Name, clash.Why()})
	}
	return withheld
}

// Offer publishes the specs of the operator's library that may be published, and
// says which are withheld. A tool that did not change keeps what was compiled for
// it.
func (s *Server) Offer(rt *runtime.Runtime, found []library.Tool) []Withheld {
	var withheld []Withheld
	var offered []governed.Tool
	var secrets []string
	for _, t := range found {
		name := t.Spec.Name()
		if !t.Published() {
			withheld = append(withheld, Withheld{name, t.Why()})
			continue
		}
		tool, err := s.prepared(rt, t)
		if err != nil {
			withheld = append(withheld, Withheld{name, err.Error()})
			continue
		}
		offered, secrets = append(offered, tool), append(secrets, tool.Secrets()...)
	}
	s.mu.Lock()
	s.rt = rt
	s.mu.Unlock()
	s.config.Telemetry.Learn(rt.Sanitiser(), secrets)
	return append(withheld, s.Publish(risk.Library, offered)...)
}

// prepared is a spec as a tool, the one that is published if that is the same.
func (s *Server) prepared(rt *runtime.Runtime, t library.Tool) (*runtime.Tool, error) {
	known, _ := s.published.Of(risk.Library, t.Spec.Name()).(*runtime.Tool)
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

// Tools returns how many tools are offered.
func (s *Server) Tools() int { return s.published.Len() }
