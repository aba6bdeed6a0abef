package mcpserver

// BytesHeld is what messages take.
func (s *Server) BytesHeld() int64 { return s.gate.Bytes() }

// Calls is how many run and how many wait.
func (s *Server) Calls() (running, waiting int) { return s.gate.Calls() }
