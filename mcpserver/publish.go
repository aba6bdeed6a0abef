package mcpserver

import "github.com/glovebox-run/glovebox/runtime/governed"

// Withheld names a tool that is not offered and the reason, for the operator.
type Withheld struct{ Name, Reason string }

// Publish replaces the published tools of a source, all at once, and returns those
// whose name another source already uses. Clients are notified if the list
// changed.
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
