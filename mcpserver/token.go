package mcpserver

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

// tokenBytes is the randomness of a generated token: 256 bits, 43 characters.
const tokenBytes = 32

// Token is what a client over HTTP must send. The zero Token admits nobody.
type Token struct {
	// sum is the text's hash, so that a comparison takes equally long for every
	// guess. No text has the hash zero.
	sum  [sha256.Size]byte
	weak bool
}

// NewToken makes a token from a text that an operator chose. Surrounding space is
// trimmed, and a blank text is an error.
func NewToken(text string) (Token, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Token{}, errors.New("the token is blank")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Token{}, errors.New("the token holds characters that do not fit into a header")
	}
	return Token{sum: sha256.Sum256([]byte(text)), weak: weak(text)}, nil
}

const (
	// minToken and minKinds are what a text needs to be no guess: 20 characters of 10
	// kinds. Nobody limits how often a wrong token is tried.
	minToken, minKinds = 20, 10
)

// weak reports whether a text can be guessed.
func weak(text string) bool {
	kinds := map[rune]bool{}
	for _, r := range text {
		kinds[r] = true
	}
	return len(text) < minToken || len(kinds) < minKinds
}

// ErrWeak means that a token can be guessed.
var ErrWeak = fmt.Errorf("the token can be guessed: take %d characters or more, of %d different ones", minToken, minKinds)

// Weak reports whether the token can be guessed.
func (t Token) Weak() bool { return t.weak }

// Admits reports whether text is exactly the token.
func (t Token) Admits(text string) bool {
	sum := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(sum[:], t.sum[:]) == 1
}

// ID names the token in records without giving it away.
func (t Token) ID() string { return "token:" + hex.EncodeToString(t.sum[:4]) }

// ReadToken reads a token from a file. A file that other users may read is refused.
func ReadToken(path string) (Token, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Token{}, fmt.Errorf("token: %w", err)
	}
	if err := osfile.Private(path, info); err != nil {
		return Token{}, fmt.Errorf("token: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Token{}, fmt.Errorf("token: %w", err)
	}
	t, err := NewToken(string(text))
	if err != nil {
		return Token{}, fmt.Errorf("token: %s: %w", path, err)
	}
	return t, nil
}

// EnsureToken reads the token at path, or creates one there if there is none. made
// is the text of a created token, to be shown once.
func EnsureToken(path string) (t Token, made string, err error) {
	if t, err = ReadToken(path); !errors.Is(err, os.ErrNotExist) {
		return t, "", err
	}
	random := make([]byte, tokenBytes)
	rand.Read(random)
	made = base64.RawURLEncoding.EncodeToString(random)
	if err := writeNew(path, made+"\n"); errors.Is(err, os.ErrExist) {
		t, err = ReadToken(path) // another process created it first
		return t, "", err
	} else if err != nil {
		return Token{}, "", fmt.Errorf("token: %w", err)
	}
	t, err = NewToken(made)
	return t, made, err
}

// writeNew creates a file with mode 0600, completely or not at all, and never
// replaces one.
func writeNew(path, text string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".token-") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Link(f.Name(), path) // fails if path exists
}
