package oauth

import (
	"crypto/sha256"
	"sync"
	"time"
)

// maxKnown bounds the tokens remembered; each takes about a kilobyte.
const maxKnown = 4096

// tokenHash identifies a token: the token itself is not kept.
type tokenHash [sha256.Size]byte

func hashOf(token string) tokenHash { return sha256.Sum256([]byte(token)) }

// memory remembers claims of tokens for a while.
type memory struct {
	mu    sync.Mutex
	known map[tokenHash]known
}

type known struct {
	claims claims
	until  time.Time
}

func (m *memory) get(h tokenHash, now time.Time) (claims, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.known[h]
	return k.claims, ok && now.Before(k.until)
}

func (m *memory) put(h tokenHash, c claims, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[tokenHash]known{}
	}
	for other := range m.known { // any of them: it can be looked up again
		if len(m.known) < maxKnown {
			break
		}
		delete(m.known, other)
	}
	m.known[h] = known{c, until}
}
