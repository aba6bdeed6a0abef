package mcpserver

import (
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime"
)

// rules are what an operator may change while the server runs.
type rules struct {
	policy risk.LevelPolicy
	base   runtime.Invocation
}

// Govern puts a policy and a base into the place of those in Config. Calls that
// were judged go on; a question that is open under the old policy cannot be
// approved any more.
func (s *Server) Govern(policy risk.LevelPolicy, base runtime.Invocation) {
	s.rules.Store(&rules{policy, base})
}

// standing is what a yes to a call of a tool is bound to beside the call itself:
// the policy that made us ask, and what the tool is granted. A level that was put to
// a person says nothing about what another baseline or ceiling makes of the tool.
func (s *Server) standing(tool *runtime.Tool) string {
	return s.rules.Load().policy.String() + "; " + tool.Level().String() + ", " + tool.Posture().String()
}

// stands reports whether the tool is still offered as it was when standing was
// asked: the answer to a question may take minutes.
func (s *Server) stands(tool *runtime.Tool, standing string) bool {
	s.mu.Lock()
	now := s.tools[tool.Spec().Name()]
	s.mu.Unlock()
	return now != nil && now.Hash() == tool.Hash() && s.standing(now) == standing
}

// EndSessions ends the sessions over HTTP. What they were admitted with counts no
// more; clients begin new ones.
func (s *Server) EndSessions() {
	for session := range s.sdk.Sessions() {
		if _, stream := s.peers.Load(session); !stream {
			go session.Close() // waits for the client to take what was sent
		}
	}
}
