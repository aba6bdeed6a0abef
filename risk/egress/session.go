package egress

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strconv"
	"sync"
)

// mostNumbered is how many different values one session distinguishes. It limits
// the memory of a session that lasts for days to about 5 MB.
const mostNumbered = 1 << 16

// Session gives the same value the same placeholder for as long as it lives. It
// keeps keyed hashes, never values. It is safe for use by several goroutines.
type Session struct {
	known   *Masker
	mu      sync.Mutex
	key     []byte
	mac     hash.Hash // keyed; nil before the first value, and most sessions see none
	numbers map[digest]int
	last    map[string]int // per kind
}

type digest [sha256.Size]byte

// NewSession starts a session. The key, 32 random bytes, prevents values from being
// guessed from the hashes in the record. known, which may be nil, masks the secrets
// that the process itself gave out.
func NewSession(key []byte, known *Masker) *Session {
	return &Session{key: key, known: known}
}

// digest is the keyed hash of a value.
func (s *Session) digest(kind string, value []byte) (d digest) {
	if s.mac == nil {
		s.mac, s.numbers, s.last = hmac.New(sha256.New, s.key), map[digest]int{}, map[string]int{}
	}
	s.mac.Reset()
	_, _ = io.WriteString(s.mac, kind) // a hash takes everything
	s.mac.Write([]byte{0})
	s.mac.Write(value)
	s.mac.Sum(d[:0])
	return d
}

// placeholder returns the placeholder for a value, and the value's hash for the
// record.
func (s *Session) placeholder(kind string, value []byte) (text, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.digest(kind, value)
	hash = hex.EncodeToString(d[:8])
	n, ok := s.numbers[d]
	if !ok {
		if len(s.numbers) >= mostNumbered {
			return "[REDACTED:" + kind + "]", hash
		}
		s.last[kind]++
		n = s.last[kind]
		s.numbers[d] = n
	}
	return "[REDACTED:" + kind + "#" + strconv.Itoa(n) + "]", hash
}
