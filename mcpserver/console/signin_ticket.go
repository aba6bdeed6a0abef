package console

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/oauth"
)

const (
	// ticketTime is how long a person has at the issuer: reading mail for a code takes
	// minutes.
	ticketTime = 10 * time.Minute
	// maxSpent bounds the tickets that are remembered; the oldest goes first.
	maxSpent = 4096
)

// ticket is a sign-in that a person is in the middle of. Their browser keeps it, sealed: a
// flood of sign-ins that nobody finishes takes no memory here and ends nobody else's.
type ticket struct {
	oauth.Begun
	To    string // the page to go on to
	Until time.Time
}

// tickets seals tickets with a key of this process, and remembers which were used.
type tickets struct {
	aead cipher.AEAD

	mu    sync.Mutex
	spent map[[sha256.Size]byte]time.Time
}

func newTickets() *tickets {
	key := make([]byte, 32)
	rand.Read(key)
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // cannot fail: AES supports the length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // cannot fail: the block is AES
	}
	return &tickets{aead: aead, spent: map[[sha256.Size]byte]time.Time{}}
}

// purpose is what the seal is for.
var purpose = []byte("glovebox console sign-in 1")

func (k *tickets) seal(t ticket) string {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // cannot fail: texts and a time
	}
	return base64.RawURLEncoding.EncodeToString(k.aead.Seal(nil, nil, text, purpose))
}

// open returns a ticket; the zero one if it is none of ours or its time is over.
func (k *tickets) open(sealed string, now time.Time) (t ticket) {
	text, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		text, err = k.aead.Open(nil, nil, text, purpose)
	}
	if err != nil || json.Unmarshal(text, &t) != nil || !now.Before(t.Until) {
		return ticket{}
	}
	return t
}

// spend reports whether a ticket is used for the first time.
func (k *tickets) spend(t ticket, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := sha256.Sum256([]byte(t.State))
	if _, used := k.spent[h]; used {
		return false
	}
	var oldest [sha256.Size]byte
	for s, until := range k.spent {
		if !now.Before(until) {
			delete(k.spent, s)
		} else if first, any := k.spent[oldest]; !any || until.Before(first) {
			oldest = s
		}
	}
	if len(k.spent) >= maxSpent {
		delete(k.spent, oldest)
	}
	k.spent[h] = t.Until
	return true
}

// ticketName is the name of the cookie. Behind TLS it has a prefix with which browsers take
// it from this host alone and not from a neighbour in its domain.
func (c *Console) ticketName(r *http.Request) string {
	if c.secure(r) {
		return "__Host-glovebox_sign_in"
	}
	return "glovebox_sign_in"
}

// ticketCookie is Lax and not Strict: the browser comes back from another site.
func (c *Console) ticketCookie(r *http.Request, value string, seconds int) *http.Cookie {
	path := signInPath
	if c.secure(r) {
		path = "/" // the prefix demands it
	}
	return &http.Cookie{Name: c.ticketName(r), Value: value, Path: path, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.secure(r)}
}
