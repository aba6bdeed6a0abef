package replica

import (
	"context"
	"errors"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

const (
	// moving is how long nobody may listen where a member answered before, until it is taken
	// for gone. One whose connection to the cluster is made anew, since the node that had it
	// ends or cannot write, is back within some tenths of a second.
	moving = time.Second
	// firstPause is that before it is asked again, and each further one is twice as long.
	firstPause = 20 * time.Millisecond
	// maxMet bounds the subjects that are remembered. Those that clients make up are not.
	maxMet = 1024
)

// reach asks another member, and one that answered before again while it moves.
func (m *Member) reach(ctx context.Context, subject string, message []byte) ([]byte, error) {
	if !m.knows(subject) {
		answer, err := m.line.Ask(ctx, subject, message)
		if err == nil {
			m.meets(subject, true)
		}
		return answer, err
	}
	answer, err := m.insist(ctx, subject, message)
	if errors.Is(err, store.NotFound) { // it is not waited for again
		m.meets(subject, false)
	}
	return answer, err
}

// insist asks again while nobody listens. What nobody listened to was not heard.
func (m *Member) insist(ctx context.Context, subject string, message []byte) ([]byte, error) {
	until := time.Now().Add(moving)
	for pause := firstPause; ; pause *= 2 {
		answer, err := m.line.Ask(ctx, subject, message)
		if !errors.Is(err, store.NotFound) || time.Now().Add(pause).After(until) {
			return answer, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

func (m *Member) knows(subject string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.met[subject]
}

// meets notes whether somebody answers at a subject.
func (m *Member) meets(subject string, answers bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !answers {
		delete(m.met, subject)
		return
	}
	if len(m.met) >= maxMet {
		clear(m.met)
	}
	m.met[subject] = true
}
