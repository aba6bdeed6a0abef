package signin

import (
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/glovebox-run/glovebox/internal/osfile"
	"golang.org/x/crypto/chacha20poly1305"
)

// Keys seal what is kept, with XChaCha20-Poly1305. They are lines of a file that the operator
// owns: the first one seals, the others open what was sealed before a rotation.
type Keys struct {
	path string

	mu  sync.RWMutex
	all []key
}

type key struct {
	id     [4]byte // of the hash, to find the key of a sealed value
	secret []byte
	aead   cipher.AEAD
}

const (
	// keyPrefix begins a line with a key, and says which construction it is for.
	keyPrefix = "glovebox-signin-1 "
	keyHead   = "# Opens the sign-ins to other servers that Glovebox keeps. Who has this and the state\n# folder has those sign-ins. The first key seals; further ones only open.\n"
	// maxKeys bounds the file: one key, one more while a rotation goes on, and what an operator adds.
	maxKeys = 16
)

// OpenKeys reads the keys of a file, and makes it with a new key if it does not exist.
func OpenKeys(path string) (*Keys, error) {
	k := &Keys{path: path}
	err := k.read()
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		// Of two processes that begin, one makes the file; both read it.
		if err := writeKeys(path, []key{newKey(random())}, os.Link); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		err = k.read()
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

func (k *Keys) read() error {
	f, err := os.Open(k.path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := osfile.Private(k.path, info); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	text := make([]byte, 4<<10) // more than maxKeys lines
	n, err := f.Read(text)
	if err != nil && n == 0 {
		return fmt.Errorf("%s holds no key; restore it, or move it away and sign in again", k.path)
	}
	var all []key
	for line := range strings.Lines(string(text[:n])) {
		encoded, ok := strings.CutPrefix(strings.TrimSpace(line), keyPrefix)
		if !ok {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				return fmt.Errorf("%s has a line that is no key of this version", k.path)
			}
			continue
		}
		secret, err := base64.RawStdEncoding.Strict().DecodeString(encoded)
		if err != nil || len(secret) != chacha20poly1305.KeySize || len(all) == maxKeys {
			return fmt.Errorf("%s holds a damaged key, or more than %d", k.path, maxKeys)
		}
		all = append(all, newKey(secret))
	}
	if len(all) == 0 {
		return fmt.Errorf("%s holds no key; restore it, or move it away and sign in again", k.path)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = all
	return nil
}

func random() []byte {
	secret := make([]byte, chacha20poly1305.KeySize)
	rand.Read(secret)
	return secret
}

func newKey(secret []byte) key {
	aead, err := chacha20poly1305.NewX(secret)
	if err != nil {
		panic(err) // the length was checked
	}
	sum := sha256.Sum256(append([]byte("glovebox signin key id\x00"), secret...))
	return key{id: [4]byte(sum[:4]), secret: secret, aead: aead}
}

// writeKeys writes a file beside path and then puts it in place.
func writeKeys(path string, all []key, place func(from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".keys-*") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	text := bytes.NewBufferString(keyHead)
	for _, k := range all {
		text.WriteString(keyPrefix + base64.RawStdEncoding.EncodeToString(k.secret) + "\n")
	}
	_, err = f.Write(text.Bytes())
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return place(f.Name(), path)
}

// replace makes other keys the keys of the file.
func (k *Keys) replace(change func(all []key) []key) error {
	if err := k.read(); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	all := change(k.all)
	if err := writeKeys(k.path, all, os.Rename); err != nil {
		return err
	}
	k.all = all
	return nil
}

// sealedVersion is the first byte of a sealed value; then come the key's id, the nonce and
// the sealed text.
const sealedVersion = 1

// seal seals a text that belongs to a name: under another name it does not open. The file is
// read again, because what another process has dropped must seal nothing.
func (k *Keys) seal(name string, text []byte) ([]byte, error) {
	if err := k.read(); err != nil {
		return nil, err
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	first := k.all[0]
	head := append([]byte{sealedVersion}, first.id[:]...)
	nonce := make([]byte, chacha20poly1305.NonceSizeX)
	rand.Read(nonce)
	return first.aead.Seal(append(bytes.Clone(head), nonce...), nonce, text, bound(head, name)), nil
}

// bound is what a sealed value is authenticated with, beside its text.
func bound(head []byte, name string) []byte { return append(bytes.Clone(head), name...) }

var errSealed = errors.New("a kept sign-in does not open")

// open is the inverse of seal. A key that is not known is looked for in the file once: another
// process may have rotated the keys.
func (k *Keys) open(name string, sealed []byte) ([]byte, error) {
	const head = 5
	if len(sealed) < head+chacha20poly1305.NonceSizeX {
		return nil, fmt.Errorf("%w: it is cut off", errSealed)
	}
	if sealed[0] != sealedVersion {
		return nil, fmt.Errorf("%w: its format is of version %d, written by a newer Glovebox", errSealed, sealed[0])
	}
	opens, ok := k.find([4]byte(sealed[1:head]))
	if !ok {
		if err := k.read(); err != nil {
			return nil, err
		}
		if opens, ok = k.find([4]byte(sealed[1:head])); !ok {
			return nil, fmt.Errorf("%w: %s does not hold its key", errSealed, k.path)
		}
	}
	text, err := opens.aead.Open(nil, sealed[head:head+chacha20poly1305.NonceSizeX], sealed[head+chacha20poly1305.NonceSizeX:], bound(sealed[:head], name))
	if err != nil {
		return nil, fmt.Errorf("%w: it was changed", errSealed)
	}
	return text, nil
}

func (k *Keys) find(id [4]byte) (key, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, one := range k.all {
		if one.id == id {
			return one, true
		}
	}
	return key{}, false
}
