package telemetry

import (
	"log/slog"
	"sync"
	"time"
)

// A client can cause warnings by what it sends, as often as it likes. Of each event
// paceBurst lines are written in paceTime; the next one written says how many were not.
const (
	paceBurst = 10
	paceTime  = time.Minute
	// maxEvents bounds the memory. Events are named in this program; there are far fewer.
	maxEvents = 1000
)

// pace bounds the lines of each event from level warning.
type pace struct {
	now  func() time.Time
	mu   sync.Mutex
	seen map[string]*burst
}

type burst struct {
	since   time.Time
	written int
	held    int // lines that were not written
}

func newPace() *pace { return &pace{now: time.Now, seen: map[string]*burst{}} }

// admit reports whether a line is written, and how many of its event were not before.
func (p *pace) admit(r slog.Record) (held int, ok bool) {
	if r.Level < slog.LevelWarn {
		return 0, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	event, now := r.Message, p.now()
	b := p.seen[event]
	if b == nil && len(p.seen) >= maxEvents {
		event = other
		b = p.seen[event]
	}
	if b == nil {
		b = &burst{since: now}
		p.seen[event] = b
	}
	if now.Sub(b.since) >= paceTime {
		b.since, b.written = now, 0
	}
	if b.written >= paceBurst {
		b.held++
		return 0, false
	}
	b.written++
	held, b.held = b.held, 0
	return held, true
}
