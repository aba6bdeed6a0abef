package approve

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

const (
	keyLength = 32 // bytes of the secret both keys are derived from
	idLength  = 10 // characters of 5 bits each: hard to guess, short enough to type
)

// keys are derived from the desk's secret, one per purpose.
type keys struct {
	seal   cipher.AEAD
	digest []byte
	link   []byte
}

func newKeys(secret []byte) keys {
	derived := func(purpose string) []byte {
		key, err := hkdf.Key(sha256.New, secret, nil, purpose, keyLength)
		if err != nil {
			panic(err) // cannot fail: the hash supports the length
		}
		return key
	}
	block, err := aes.NewCipher(derived("glovebox approval seal 1"))
	if err != nil {
		panic(err) // cannot fail: AES supports the length
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return keys{seal: aead, digest: derived("glovebox approval digest 1"), link: derived("glovebox approval link 1")}
}

// tray returns the key under which the questions of a principal are kept.
func (k keys) tray(principal string) string {
	h := hmac.New(sha256.New, k.digest)
	h.Write([]byte(principal))
	return "tray." + hex.EncodeToString(h.Sum(nil))
}

// allTrays matches those keys.
const allTrays = "tray.*"

// seal is the content of a question's state.
type seal struct {
	id      string
	digest  []byte
	expires time.Time
}

// sealLength is the size of the id, the digest and the expiry in Unix
// nanoseconds. The state is a random nonce and those, sealed.
const sealLength = idLength + sha256.Size + 8

func (k keys) sealed(s seal) string {
	text := append([]byte(s.id), s.digest...)
	text = binary.BigEndian.AppendUint64(text, uint64(s.expires.UnixNano()))
	nonce := make([]byte, k.seal.NonceSize())
	rand.Read(nonce)
	return base64.RawURLEncoding.EncodeToString(k.seal.Seal(nonce, nonce, text, nil))
}

func (k keys) unsealed(state string) (s seal, err error) {
	size := k.seal.NonceSize() + sealLength + k.seal.Overhead()
	if len(state) != base64.RawURLEncoding.EncodedLen(size) {
		return s, fmt.Errorf("%w: its length is %d", ErrForged, len(state))
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(state)
	if err != nil {
		return s, fmt.Errorf("%w: %v", ErrForged, err)
	}
	nonce := raw[:k.seal.NonceSize()]
	text, err := k.seal.Open(nil, nonce, raw[len(nonce):], nil)
	if err != nil {
		return s, ErrForged
	}
	s.id = string(text[:idLength])
	s.digest = text[idLength : idLength+sha256.Size]
	s.expires = time.Unix(0, int64(binary.BigEndian.Uint64(text[idLength+sha256.Size:])))
	return s, nil
}
