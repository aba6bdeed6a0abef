// Package tokens keeps named bearer tokens: one for each person or agent, so that each
// has its own record, workspace, limits and approvals, may see a part of the tools, and
// can be revoked alone.
//
//	Book    the tokens of a state folder or a cluster: create, rotate, revoke, list
//	Find    who sent a text, asked at every request
//
// The store holds hashes. A token is 256 random bits, so a plain hash is enough: there
// is nothing to guess. What it may do is looked up at every request and not written into
// it, so a change counts at once, in every process that shares the store.
package tokens

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk"
)

const (
	// bucketName is the bucket of the tokens; its keys are the names.
	bucketName = "glovebox-tokens"
	// maxToken bounds one entry in bytes, maxTokens all of them: some thousand tokens.
	maxToken, maxTokens = 16 << 10, 16 << 20
	// Prefix begins every named token, so that scanners for secrets know one.
	Prefix = "gbx_"
	// tokenBytes is the randomness of a token.
	tokenBytes = 32
	// maxPatterns bounds Tools.
	maxPatterns = 100
	// version of an entry; it grows when an older program must not read it. An entry has the
	// lowest that fits: 2 if it is an approver's, which older programs would let call tools.
	version, plainVersion = 2, 1
)

var (
	// ErrNoSuch means that there is no token of this name.
	ErrNoSuch = errors.New("there is no such token")
	// ErrExists means that the name is taken.
	ErrExists = errors.New("there is a token of this name")
	// ErrInvalid means that a token cannot be as asked.
	ErrInvalid = errors.New("no token can be made")
)

// Token is one named token, without its text.
type Token struct {
	Name string `json:"name"`
	// Tools are patterns of the names that its holder sees and calls, in which * stands
	// for any characters; empty is every tool.
	Tools []string `json:"tools,omitempty"`
	// Cap is the highest Risk Level of a tool that its holder sees and calls; nil is no
	// cap.
	Cap *risk.Level `json:"cap,omitempty"`
	// Approver means that its holder answers the questions of others, and calls nothing.
	Approver bool      `json:"approver,omitempty"`
	Created  time.Time `json:"created"`
	By       string    `json:"by"`                // who made it
	Expires  time.Time `json:"expires,omitzero"`  // zero is never
	Rotated  time.Time `json:"rotated,omitzero"`  // when it last got a new text
	Expired  bool      `json:"expired,omitempty"` // as of the listing
}

// Principal names the holder in records, limits, approvals and workspaces.
func (t Token) Principal() string { return "named:" + t.Name }

// entry is a token as it is stored.
type entry struct {
	Version int    `json:"v"`
	Hash    string `json:"sha256"` // of the text, in hex
	Token
}

// names are 1 to 64 letters, digits, dots, dashes and underscores, with a letter or digit
// at both ends: they are part of keys and principals.
var names = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$`)

// Book holds the tokens. It is safe for concurrent use, by many processes in a cluster.
type Book struct {
	kept *store.Bucket
	view *store.View // nil until Follow
	now  func() time.Time

	mu     sync.Mutex
	byHash map[[sha256.Size]byte]*holder
	byName map[string]*holder
	seen   map[string]uint64 // the newest revision of each key: a watch lags behind
}

// holder is a token in memory. Its context ends when the text is no longer valid.
type holder struct {
	Token
	hash [sha256.Size]byte
	ctx  context.Context
	end  context.CancelFunc
}

// Open opens the book in a store.
func Open(ctx context.Context, s *store.Store, now func() time.Time) (*Book, error) {
	kept, err := s.Bucket(ctx, store.BucketConfig{Name: bucketName, MaxValue: maxToken, MaxBytes: maxTokens})
	if err != nil {
		return nil, err
	}
	b := &Book{kept: kept, now: now, byHash: map[[sha256.Size]byte]*holder{}, byName: map[string]*holder{}, seen: map[string]uint64{}}
	all, err := kept.List(ctx, store.All)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if err := b.take(e); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Follow takes what other processes change, until ctx ends. An entry that cannot be read
// admits nobody, and is passed to failed.
func (b *Book) Follow(ctx context.Context, failed func(error)) error {
	var err error
	b.view, err = b.kept.Follow(ctx, func(e store.Entry) {
		if err := b.take(e); err != nil {
			failed(err)
		}
	})
	return err
}

// Fresh returns nil if the book has every change that was acknowledged longer than
// [store.Staleness] ago, anywhere. What the answer is about is text: only a named token
// needs it.
func (b *Book) Fresh(ctx context.Context, text string) error {
	if b.view == nil || !strings.HasPrefix(text, Prefix) {
		return nil
	}
	return b.view.Fresh(ctx)
}

// take puts an entry of the store into effect.
func (b *Book) take(e store.Entry) error {
	var read entry
	var err error
	if !e.Deleted {
		read, err = parse(e)
	}
	var hash [sha256.Size]byte
	if err == nil && !e.Deleted {
		if n, decodeErr := hex.Decode(hash[:], []byte(read.Hash)); decodeErr != nil || n != len(hash) {
			err = fmt.Errorf("the token %q has no hash", e.Key)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.Revision < b.seen[e.Key] {
		return nil
	}
	b.seen[e.Key] = e.Revision
	old := b.byName[e.Key]
	if err == nil && !e.Deleted && old != nil && old.hash == hash {
		old.Token = read.Token // its text stays valid
		return nil
	}
	if old != nil {
		old.end()
		delete(b.byHash, old.hash)
		delete(b.byName, e.Key)
	}
	if e.Deleted || err != nil {
		return err
	}
	h := &holder{Token: read.Token, hash: hash}
	h.ctx, h.end = context.WithCancel(context.Background())
	b.byHash[hash], b.byName[e.Key] = h, h
	return nil
}

func parse(e store.Entry) (read entry, err error) {
	if err := json.Unmarshal(e.Value, &read); err != nil {
		return read, fmt.Errorf("the token %q cannot be read: %w", e.Key, err)
	}
	if read.Version > version {
		return read, fmt.Errorf("the token %q has version %d, and this program knows %d: a newer one has written it", e.Key, read.Version, version)
	}
	if read.Name != e.Key {
		return read, fmt.Errorf("the token %q is stored as %q", read.Name, e.Key)
	}
	return read, nil
}

// Find returns the token whose text this is, unless it has expired. valid ends when the
// text is revoked or replaced.
func (b *Book) Find(text string) (t Token, valid context.Context, ok bool) {
	if !strings.HasPrefix(text, Prefix) {
		return Token{}, nil, false
	}
	// The lookup is by hash, so its time says nothing about the text.
	hash := sha256.Sum256([]byte(text))
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.byHash[hash]
	if h == nil || b.expired(h.Token) {
		return Token{}, nil, false
	}
	return h.Token, h.ctx, true
}

func (b *Book) expired(t Token) bool { return !t.Expires.IsZero() && !b.now().Before(t.Expires) }

// Create makes a token as t says, which names it; text is shown once and not kept.
func (b *Book) Create(ctx context.Context, t Token) (made Token, text string, err error) {
	if err := b.check(t); err != nil {
		return made, "", err
	}
	t.Created, t.Rotated = b.now().UTC().Truncate(time.Second), time.Time{}
	e, text := newEntry(t)
	value, err := json.Marshal(e)
	if err != nil {
		return made, "", err
	}
	revision, err := b.kept.Create(ctx, t.Name, value)
	if errors.Is(err, store.Conflict) {
		return made, "", fmt.Errorf("%w: %q; rotate it, or revoke it first", ErrExists, t.Name)
	}
	if err == nil {
		err = b.take(store.Entry{Key: t.Name, Value: value, Revision: revision})
	}
	return t, text, err
}

func (b *Book) check(t Token) error {
	switch {
	case !names.MatchString(t.Name):
		return fmt.Errorf("%w: a name is 1 to 64 letters, digits, dots, dashes and underscores, not %q", ErrInvalid, t.Name)
	case !t.Expires.IsZero() && !t.Expires.After(b.now()):
		return fmt.Errorf("%w: it would have expired already", ErrInvalid)
	case t.Cap != nil && (*t.Cap < risk.L0 || *t.Cap > risk.L5):
		return fmt.Errorf("%w: the cap is L0, L1, L2, L3, L4 or L5", ErrInvalid)
	case t.Approver && (len(t.Tools) > 0 || t.Cap != nil):
		return fmt.Errorf("%w: an approver calls nothing, so tools and a cap say nothing", ErrInvalid)
	case len(t.Tools) > maxPatterns || slices.ContainsFunc(t.Tools, func(p string) bool { return p == "" || len(p) > 128 }):
		return fmt.Errorf("%w: at most %d patterns of 1 to 128 characters say which tools", ErrInvalid, maxPatterns)
	}
	return nil
}

func newEntry(t Token) (entry, string) {
	random := make([]byte, tokenBytes)
	rand.Read(random)
	text := Prefix + base64.RawURLEncoding.EncodeToString(random)
	hash := sha256.Sum256([]byte(text))
	e := entry{Version: plainVersion, Hash: hex.EncodeToString(hash[:]), Token: t}
	if t.Approver {
		e.Version = version
	}
	return e, text
}

// Rotate gives a token a new text; the old one is no longer valid.
func (b *Book) Rotate(ctx context.Context, name string) (t Token, text string, err error) {
	old, revision, err := b.latest(ctx, name)
	if err != nil {
		return t, "", err
	}
	old.Rotated = b.now().UTC().Truncate(time.Second)
	e, text := newEntry(old.Token)
	value, err := json.Marshal(e)
	if err == nil {
		revision, err = b.kept.Update(ctx, name, value, revision)
	}
	if err == nil {
		err = b.take(store.Entry{Key: name, Value: value, Revision: revision})
	}
	return e.Token, text, err
}

// Revoke ends a token. Its name can be used again, and means the same workspace and
// records then.
func (b *Book) Revoke(ctx context.Context, name string) error {
	_, revision, err := b.latest(ctx, name)
	if err != nil {
		return err
	}
	if err := b.kept.Delete(ctx, name, revision); err != nil {
		return err
	}
	return b.take(store.Entry{Key: name, Deleted: true, Revision: revision + 1}) // or a later one
}

func (b *Book) latest(ctx context.Context, name string) (entry, uint64, error) {
	if !names.MatchString(name) {
		return entry{}, 0, fmt.Errorf("%w: %q", ErrNoSuch, name)
	}
	e, err := b.kept.Latest(ctx, name)
	if errors.Is(err, store.NotFound) {
		return entry{}, 0, fmt.Errorf("%w: %q", ErrNoSuch, name)
	}
	if err != nil {
		return entry{}, 0, err
	}
	read, err := parse(e)
	return read, e.Revision, err
}

// List returns all tokens by name, those that have expired included.
func (b *Book) List() []Token {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]Token, 0, len(b.byName))
	for _, h := range b.byName {
		t := h.Token
		t.Expired = b.expired(t)
		all = append(all, t)
	}
	slices.SortFunc(all, func(x, y Token) int { return strings.Compare(x.Name, y.Name) })
	return all
}
