// Package approve keeps the questions that people are asked about calls, and
// makes sure that a yes counts once and for the very call it was given to.
//
//	Call  what a yes is bound to
//	Desk  the open questions; Ask opens one, Redeem takes its answer
//
// The state of a question travels through the client, which is not trusted: it is
// sealed, and it is worth nothing without the open question in the desk's memory.
// The package knows nothing of MCP, nor how a person is asked.
package approve

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/risk"
)

// Call is what an approval is bound to. Approvals for calls that differ in any
// field are different approvals.
type Call struct {
	Principal string             // who calls, as authentication has it
	Tool      risk.ToolHash      // this version of the tool
	Arguments risk.ArgumentsHash // these bytes
	Policy    string             // the policy under which the question came up
}

// digest is a hash of all fields; the lengths keep neighbouring texts apart.
func (c Call) digest() (d [sha256.Size]byte) {
	h := sha256.New()
	for _, field := range [][]byte{[]byte(c.Principal), c.Tool[:], c.Arguments[:], []byte(c.Policy)} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(field))))
		h.Write(field)
	}
	h.Sum(d[:0])
	return d
}

// Reasons for which no question is opened, or an answer does not count.
var (
	ErrTooMany   = errors.New("too many questions are open")
	ErrForged    = errors.New("the state of the question was not made here")
	ErrExpired   = errors.New("the question has expired")
	ErrOtherCall = errors.New("the question was about another call")
	ErrSpent     = errors.New("the question was answered before, or asked again since")
)

const (
	// perPrincipal bounds the open questions of one principal: nobody reads more
	// than a few before saying yes to all.
	perPrincipal = 8
	// inAll bounds the memory for questions that nobody answers.
	inAll = 4096
)

type id [16]byte

type question struct {
	principal string
	digest    [sha256.Size]byte
	expires   time.Time
}

// Desk holds the open questions of one process. It is safe for concurrent use.
// Questions do not outlive it: its key is random.
type Desk struct {
	seal  cipher.AEAD
	valid time.Duration
	now   func() time.Time

	mu   sync.Mutex
	open map[id]question
}

// NewDesk returns a desk whose questions can be answered for that long.
func NewDesk(valid time.Duration, now func() time.Time) *Desk {
	key := make([]byte, 32)
	rand.Read(key)
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has a length that AES knows
	}
	seal, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return &Desk{seal: seal, valid: valid, now: now, open: map[id]question{}}
}

// Valid is how long a question can be answered.
func (d *Desk) Valid() time.Duration { return d.valid }

// Ask opens a question about a call and returns its state. A question about the
// same call that is still open is closed: a yes to it would be a second one. The
// error is ErrTooMany or nil.
func (d *Desk) Ask(c Call) (state string, err error) {
	now := d.now()
	q := question{principal: c.Principal, digest: c.digest(), expires: now.Add(d.valid)}
	d.mu.Lock()
	defer d.mu.Unlock()
	mine := 0
	for other, o := range d.open { // at most inAll
		switch {
		case !now.Before(o.expires), o.digest == q.digest:
			delete(d.open, other)
		case o.principal == c.Principal:
			mine++
		}
	}
	if mine >= perPrincipal || len(d.open) >= inAll {
		return "", ErrTooMany
	}
	var n id
	rand.Read(n[:])
	d.open[n] = q
	return d.sealed(n, q), nil
}

// Redeem takes the answer to a question, whatever it is: the question is closed,
// and nil means that the answer counts for the call. Otherwise the error is
// ErrForged, ErrExpired, ErrOtherCall or ErrSpent, possibly wrapped.
func (d *Desk) Redeem(state string, c Call) error {
	n, q, err := d.unsealed(state)
	if err != nil {
		return err
	}
	// Compared before the question is closed: one who overheard a state must not be
	// able to close it.
	if q.digest != c.digest() {
		return ErrOtherCall
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, open := d.open[n]
	delete(d.open, n)
	switch {
	case !d.now().Before(q.expires):
		return ErrExpired
	case !open:
		return ErrSpent
	}
	return nil
}

// The state is a random nonce and, sealed, the id, the digest and the expiry in
// Unix nanoseconds.
const stateLength = 16 + sha256.Size + 8

// purpose keeps seals apart that the same key might make for something else.
var purpose = []byte("glovebox approval 1")

func (d *Desk) sealed(n id, q question) string {
	text := append(append([]byte{}, n[:]...), q.digest[:]...)
	text = binary.BigEndian.AppendUint64(text, uint64(q.expires.UnixNano()))
	nonce := make([]byte, d.seal.NonceSize())
	rand.Read(nonce)
	return base64.RawURLEncoding.EncodeToString(d.seal.Seal(nonce, nonce, text, purpose))
}

func (d *Desk) unsealed(state string) (n id, q question, err error) {
	size := d.seal.NonceSize() + stateLength + d.seal.Overhead()
	if len(state) != base64.RawURLEncoding.EncodedLen(size) {
		return n, q, fmt.Errorf("%w: its length is %d", ErrForged, len(state))
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(state)
	if err != nil {
		return n, q, fmt.Errorf("%w: %v", ErrForged, err)
	}
	nonce := raw[:d.seal.NonceSize()]
	text, err := d.seal.Open(nil, nonce, raw[len(nonce):], purpose)
	if err != nil {
		return n, q, ErrForged
	}
	copy(n[:], text)
	copy(q.digest[:], text[len(n):])
	q.expires = time.Unix(0, int64(binary.BigEndian.Uint64(text[len(n)+len(q.digest):])))
	return n, q, nil
}
