package passnote

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// keyName is the name of every key; which one it is, its hash says.
const keyName = "glovebox-passes"

// Keys are the public keys that are accepted. The zero value accepts none.
type Keys struct{ all []note.Verifier }

// ParseKeys reads public keys, as [Key.Public] writes them.
func ParseKeys(texts ...string) (Keys, error) {
	var keys Keys
	for i, text := range texts {
		v, err := note.NewVerifier(strings.TrimSpace(text))
		if err != nil || v.Name() != keyName {
			// The text is not shown: it may be the private key.
			return Keys{}, fmt.Errorf("key %d of %d is no public key for passes, which begins with %s+", i+1, len(texts), keyName)
		}
		keys.all = append(keys.all, v)
	}
	return keys, nil
}

// None reports whether no key is accepted.
func (k Keys) None() bool { return len(k.all) == 0 }

// And returns the keys of both.
func (k Keys) And(more Keys) Keys { return Keys{append(slices.Clip(k.all), more.all...)} }

// Verifier returns the key that a signature names; see [note.Verifiers].
func (k Keys) Verifier(name string, hash uint32) (note.Verifier, error) {
	for _, v := range k.all {
		if v.Name() == name && v.KeyHash() == hash {
			return v, nil
		}
	}
	return nil, &note.UnknownVerifierError{Name: name, KeyHash: hash}
}

// Key signs passes.
type Key struct {
	note.Signer
	private, public string
	keys            Keys
}

// NewKey makes a key.
func NewKey() (Key, error) {
	private, _, err := note.GenerateKey(rand.Reader, keyName)
	if err != nil {
		return Key{}, err
	}
	return ParseKey([]byte(private))
}

var errNoKey = errors.New("no private key for passes: move it away, and glovebox test --sign makes another")

// ParseKey reads a private key, as [Key.Private] writes it.
func ParseKey(text []byte) (Key, error) {
	k := Key{private: strings.TrimSpace(string(text))}
	var err error
	if k.Signer, err = note.NewSigner(k.private); err != nil || k.Name() != keyName {
		return Key{}, errNoKey
	}
	// The form is PRIVATE+KEY+name+hash+base64 of the algorithm's number and the seed,
	// and base64 may hold a + itself.
	fields := strings.SplitN(k.private, "+", 5)
	seed, err := base64.StdEncoding.DecodeString(fields[len(fields)-1])
	if err != nil || len(seed) != 1+ed25519.SeedSize {
		return Key{}, errNoKey
	}
	public, ok := ed25519.NewKeyFromSeed(seed[1:]).Public().(ed25519.PublicKey)
	if !ok {
		return Key{}, errNoKey
	}
	if k.public, err = note.NewEd25519VerifierKey(keyName, public); err != nil {
		return Key{}, err
	}
	k.keys, err = ParseKeys(k.public)
	return k, err
}

// Keys returns the key as the only one that is accepted.
func (k Key) Keys() Keys { return k.keys }

// Private returns the key as it is kept in a file that nobody else may read.
func (k Key) Private() string { return k.private }

// Public returns the key that checks signatures, for specs.pass_keys.
func (k Key) Public() string { return k.public }
