package mcpserver

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/runtime"
	"github.com/glovebox-run/glovebox/runtime/library"
)

// Withheld is a tool that is not offered, and why, for the operator.
type Withheld struct{ Name, Reason string }

// Offer makes the published ones of the given tools the ones that clients see,
// and says which are withheld. A tool that did not change keeps what was compiled
// for it. Clients are told if the list differs from what it was.
func (s *Server) Offer(rt *runtime.Runtime, found []library.Tool) []Withheld {
	var withheld []Withheld
	offered := map[string]*runtime.Tool{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range found {
		name := t.Spec.Name()
		if !t.Published() {
			withheld = append(withheld, Withheld{name, whyWithheld(t)})
			continue
		}
		if s.reserved(name) {
			withheld = append(withheld, Withheld{name, "the name belongs to a tool of the tool risk contract"})
			continue
		}
		if known := s.tools[name]; known != nil && known.Of(rt) && bytes.Equal(known.Spec().Raw(), t.Spec.Raw()) {
			offered[name] = known
			continue
		}
		source := catalog.SourceUser
		if t.Origin == library.Builtin {
			source = catalog.SourceBuiltin
		}
		tool, problems := rt.Prepare(t.Spec, source)
		if err := problems.Err(); err != nil {
			withheld = append(withheld, Withheld{name, err.Error()})
			continue
		}
		offered[name] = tool
	}
	var gone []string
	for name := range s.tools {
		if offered[name] == nil {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		s.sdk.RemoveTools(gone...)
	}
	s.rt = rt
	var secrets []string
	for _, tool := range offered {
		secrets = append(secrets, tool.Secrets()...)
	}
	s.config.Telemetry.Learn(rt.Sanitiser(), secrets)
	for name, tool := range offered {
		if s.tools[name] != tool {
			s.sdk.AddTool(listed(tool), s.handler(tool))
		}
	}
	s.tools = offered
	return withheld
}

// Tools returns how many tools are offered.
func (s *Server) Tools() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tools) + len(s.contractTools)
}

func whyWithheld(t library.Tool) string {
	switch {
	case t.Problems.Err() != nil:
		return t.Problems.Err().Error()
	case !t.Integrity.Exposed():
		return "its content is not what was pinned"
	case t.State == catalog.MissingRequirements:
		return "not set: " + strings.Join(t.Missing, ", ")
	case t.State == catalog.Draft:
		return "a draft; run glovebox test --write on it"
	case t.Hidden:
		return "toolMcpServerSetting of its bundle does not expose it"
	}
	return fmt.Sprintf("its state is %v", t.State)
}
