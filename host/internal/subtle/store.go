package subtle

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// maxKeys is how many keys one call may hold.
const maxKeys = 1_000

// Store holds the keys of one call.
type Store struct {
	random io.Reader

	mu   sync.Mutex
	keys []*key
}

// New returns a store without keys. random is where keys and salts come from.
func New(random io.Reader) *Store { return &Store{random: random} }

// key is a CryptoKey. material is []byte, *ecdsa, *ecdh, ed25519 or *rsa keys.
type key struct {
	kind        string // "secret", "private", "public"
	algorithm   keyAlgorithm
	extractable bool
	usages      []string
	material    any
}

// keyAlgorithm is what a CryptoKey shows of its algorithm.
type keyAlgorithm struct {
	Name           string    `json:"name"`
	Hash           *hashName `json:"hash,omitempty"`
	Length         int       `json:"length,omitempty"`
	NamedCurve     string    `json:"namedCurve,omitempty"`
	ModulusLength  int       `json:"modulusLength,omitempty"`
	PublicExponent []byte    `json:"publicExponent,omitempty"`
}

type hashName struct {
	Name string `json:"name"`
}

// Key is what the guest gets to know of a key.
type Key struct {
	Handle      int          `json:"handle"`
	Type        string       `json:"type"`
	Algorithm   keyAlgorithm `json:"algorithm"`
	Extractable bool         `json:"extractable"`
	Usages      []string     `json:"usages"`
}

// add keeps a key, after its usages were checked against its kind. A nil list
// means everything that the algorithm can do.
func (s *Store) add(account *budget.Account, k *key, asked []string) (Key, error) {
	_, f, err := familyOf(k.algorithm.Name)
	if err != nil {
		return Key{}, err
	}
	allowed := f.secret
	if k.kind == "public" {
		allowed = f.public
	}
	if asked == nil {
		asked = allowed
	}
	for _, u := range asked {
		if !slices.Contains(allowed, u) {
			return Key{}, invalid(invalidAccess, "a %s key of %s is not for %.20q", k.kind, k.algorithm.Name, u)
		}
	}
	if len(asked) == 0 && k.kind != "public" {
		return Key{}, invalid(invalidAccess, "a %s key needs a usage: %v", k.kind, allowed)
	}
	k.usages = slices.DeleteFunc(slices.Clone(allowed), func(u string) bool { return !slices.Contains(asked, u) })
	if err := account.Keep(keySize + secretSize(k)); err != nil {
		return Key{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.keys) == maxKeys {
		return Key{}, invalid(tooManyKeys, "one call holds at most %d keys", maxKeys)
	}
	s.keys = append(s.keys, k)
	return Key{len(s.keys) - 1, k.kind, k.algorithm, k.extractable, append([]string{}, k.usages...)}, nil
}

// find returns the key of a handle.
func (s *Store) find(handle int) (*key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if handle < 0 || handle >= len(s.keys) {
		return nil, invalid(invalidKey, "no such key")
	}
	return s.keys[handle], nil
}

// use returns a key that may be used for something with an algorithm.
func (s *Store) use(account *budget.Account, handle int, algorithm, usage string) (*key, error) {
	k, err := s.find(handle)
	if err != nil {
		return nil, err
	}
	name, _, err := familyOf(algorithm)
	switch {
	case err != nil:
		return nil, err
	case k.algorithm.Name != name:
		return nil, invalid(invalidAccess, "the key is for %s, not for %s", k.algorithm.Name, name)
	case !slices.Contains(k.usages, usage):
		return nil, invalid(invalidAccess, "the key is not for %s", usage)
	}
	return k, account.Charge(work(k.material))
}

// Request is the text of every operation; the data is the blob. Second names how
// many bytes at the end of the blob are a second piece of data: a signature.
type Request struct {
	Algorithm   Algorithm       `json:"algorithm"`
	Key         int             `json:"key"`
	Format      string          `json:"format"`
	Extractable bool            `json:"extractable"`
	Usages      []string        `json:"usages"`
	Second      int             `json:"second"`
	Length      *int            `json:"length"` // bits to derive
	JWK         json.RawMessage `json:"jwk"`
	Derived     Algorithm       `json:"derived"` // of a key that is derived or unwrapped
	Wrapping    int             `json:"wrapping"`

	account *budget.Account
}

// Reply writes an operation's answer: JSON or bytes.
type reply struct {
	value any
	blob  []byte
}

// operation makes a handler of a function over a request and its data.
func operation(f func(r *Request, data []byte) (reply, error)) hostcall.Handler {
	return func(_ context.Context, account *budget.Account, text, blob []byte) ([]byte, []byte, error) {
		r := Request{account: account}
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, nil, invalid(missingArgs, "%v", err)
		}
		if r.Second < 0 || r.Second > len(blob) {
			return nil, nil, invalid(missingArgs, "the second piece of data is missing")
		}
		answer, err := f(&r, blob)
		if err != nil {
			return nil, nil, err
		}
		if answer.blob != nil {
			return nil, answer.blob, nil
		}
		out, err := json.Marshal(answer.value)
		return out, nil, err
	}
}

// Digest serves crypto.digest.
func (s *Store) Digest() hostcall.Handler {
	return operation(func(r *Request, data []byte) (reply, error) {
		if r.Algorithm.Name == "" {
			return reply{}, invalid(missingArgs, "no algorithm is named")
		}
		_, h, err := hashNamed(r.Algorithm.Name, unsupportedAlgorithm)
		if err != nil {
			return reply{}, err
		}
		sum, err := digest(r.account, h, data)
		return reply{blob: sum}, err
	})
}
