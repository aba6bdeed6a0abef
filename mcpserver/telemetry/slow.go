package telemetry

import (
	"log/slog"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/runtime/governed"
)

// slow follows the phases of one call, so that a slow one can say what took the time.
type slow struct {
	call  *Call
	limit time.Duration

	mu    sync.Mutex
	took  map[governed.Phase]time.Duration
	phase governed.Phase
	since time.Time
	timer *time.Timer // tells of a call that goes on
}

func newSlow(c *Call, limit time.Duration) *slow {
	s := &slow{call: c, limit: limit, took: make(map[governed.Phase]time.Duration, len(governed.Phases)), phase: governed.Phases[0], since: c.started}
	s.timer = time.AfterFunc(limit, s.overdue)
	return s
}

// enter ends a phase and begins the next.
func (s *slow) enter(p governed.Phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(p)
}

// turn is enter; mu must be held.
func (s *slow) turn(p governed.Phase) {
	now := time.Now()
	s.took[s.phase] += now.Sub(s.since)
	s.phase, s.since = p, now
}

// counted is the time that counts: all but that of a person. mu must be held.
func (s *slow) counted() (all time.Duration) {
	for p, took := range s.took {
		if p != governed.Person {
			all += took
		}
	}
	return all
}

// overdue tells once of a call that goes on.
func (s *slow) overdue() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(s.phase)
	if left := s.limit - s.counted(); left > 0 {
		s.timer.Reset(max(left, s.limit/8))
		return
	}
	s.call.tool.t.log.Warn("call.overdue", s.line("phase", string(s.phase))...)
}

// ended tells of a call that was slow.
func (s *slow) ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer.Stop()
	s.turn(s.phase)
	if s.counted() >= s.limit {
		s.call.tool.t.log.Warn("call.slow", s.line("outcome", string(s.call.outcome))...)
	}
}

// line is what both tell. mu must be held.
func (s *slow) line(key, value string) []any {
	seconds := make([]any, 0, len(governed.Phases))
	for _, p := range governed.Phases {
		seconds = append(seconds, slog.Float64(string(p), s.took[p].Seconds()))
	}
	return []any{"cid", s.call.id, "tool", s.call.tool.name, key, value, "duration", time.Since(s.call.started).Seconds(), slog.Group("seconds", seconds...), "trace_id", s.call.Trace()}
}

// Follow returns what is told the phases of the call; nil if nobody asks what took the
// time.
func (c *Call) Follow() func(governed.Phase) {
	if c == nil || c.slow == nil {
		return nil
	}
	return c.slow.enter
}
