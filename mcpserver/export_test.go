package mcpserver

import (
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

// BytesHeld returns the bytes held for messages.
func (s *Server) BytesHeld() int64 { return s.gate.Bytes() }

// Calls returns how many calls run and how many wait.
func (s *Server) Calls() (running, waiting int) { return s.gate.Calls() }

// Connections returns how many connections have an owner.
func (s *Server) Connections() (n int) {
	s.conns.mu.Lock()
	defer s.conns.mu.Unlock()
	for _, some := range s.conns.byOwner {
		n += some
	}
	return n
}

// Charge returns the charge for a message.
func Charge(t testing.TB, text string) int64 {
	body, err := wire.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return charge(len(text), body.Inner(func([]byte) string { return "" }))
}

// Sessions returns how many sessions there are, and how many of them sleep.
func (s *Server) Sessions() (open, asleep int) {
	for _, seat := range s.allSeats() {
		if seat.asleep() {
			asleep++
		}
	}
	return s.sessions(), asleep
}
