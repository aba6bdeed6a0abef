package oauth

import (
	"crypto/sha256"
	"sync"
	"time"
)

// maxKnown bounds the tokens that are remembered; each takes about a kilobyte.
const maxKnown = 4096

// tokenHash stands for a token: the token itself is not kept.
type tokenHash [sha256.Size]byte

func hashOf(token string) tokenHash { return sha256.Sum256([]byte(token)) }

// memory holds what is known of tokens for a while.
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
	for other := range m.known { // any of them: it is found out again
		if len(m.known) < maxKnown {
			break
		}
		delete(m.known, other)
	}
	m.known[h] = known{c, until}
}
