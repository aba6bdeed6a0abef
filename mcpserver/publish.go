package mcpserver

import "github.com/glovebox-run/glovebox/runtime/governed"

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
	if s.Tools() > 0 {
		s.hadTools.Store(true)
	}
	var withheld []Withheld
	for _, clash := range change.Clashes {
		withheld = append(withheld, Withheld{clash.Name, clash.Why()})
	}
	return withheld
}

// Tools returns how many tools are offered.
func (s *Server) Tools() int { return s.published.Len() }
