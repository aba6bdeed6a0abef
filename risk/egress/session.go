package egress

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"sync"
)

// mostNumbered is how many different values one session tells apart. It bounds
// the memory of a session that lives for days at about 5 MB.
const mostNumbered = 1 << 16

// Session gives the same value the same placeholder for as long as it lives. It
// keeps keyed hashes, never values. It is safe for use by several goroutines.
type Session struct {
	key     []byte
	known   *Masker
	mu      sync.Mutex
	numbers map[digest]int
	last    map[string]int // per kind
}

type digest [sha256.Size]byte

// NewSession starts a session. The key, of 32 random bytes, keeps the hashes in
// the record from being guessed; known, which may be nil, are the secrets the
// process itself gave out.
func NewSession(key []byte, known *Masker) *Session {
	return &Session{key: append([]byte(nil), key...), known: known, numbers: map[digest]int{}, last: map[string]int{}}
}

// digest is the keyed hash of a value.
func (s *Session) digest(kind string, value []byte) digest {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(kind))
	mac.Write([]byte{0})
	mac.Write(value)
	return digest(mac.Sum(nil))
}

// placeholder returns what stands in the place of a value, and the hash of the
// value for the record.
func (s *Session) placeholder(kind string, value []byte) (text, hash string) {
	d := s.digest(kind, value)
	hash = hex.EncodeToString(d[:8])
	s.mu.Lock()
	defer s.mu.Unlock()
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
