// Package publication gives the servers of a cluster the same specs: one folder of files,
// kept in the store as a whole, that every server copies to its disk and serves like any
// other folder. The passes of the specs come with them, signed; a server takes them only
// from keys that its operator named, so the folder alone makes nothing run.
//
//	Read      what of a folder can be published
//	Shelf     the folder in the store: Put, Now, Withdraw
//	Mirror    copies it into a folder whenever it changes
package publication

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

const (
	bucketName = "glovebox-specs"
	currentKey = "current"
	blobPrefix = "file."

	// MaxFile bounds one file in bytes: a message of a cluster has at most 1 MiB.
	MaxFile = 900 << 10
	// MaxFiles bounds the files of a publication, whose names and hashes are one value.
	MaxFiles = 5000
	maxAll   = 256 << 20 // the bucket, with the files of earlier publications
	version  = 1
)

// Publication is a folder as it was published.
type Publication struct {
	Version int               `json:"version"`
	Files   map[string]string `json:"files"` // by name, the SHA-256 of the content in hexadecimal
	By      string            `json:"by"`
	At      time.Time         `json:"at"`
}

var (
	// ErrNone means that nothing is published.
	ErrNone = errors.New("nothing is published")
	// ErrFile is a file that cannot be published.
	ErrFile = errors.New("it cannot be published")
)

// Shelf keeps the publication of a store. It is safe for concurrent use, by several
// processes of a cluster.
type Shelf struct{ values *store.Bucket }

// Open opens the shelf of a store.
func Open(ctx context.Context, s *store.Store) (*Shelf, error) {
	values, err := s.Bucket(ctx, store.BucketConfig{Name: bucketName, MaxValue: MaxFile + 1<<10, MaxBytes: maxAll})
	if err != nil {
		return nil, err
	}
	return &Shelf{values}, nil
}

// Put publishes files instead of what was published, all at once: servers see the old
// folder or the new one. It returns what was published before.
func (s *Shelf) Put(ctx context.Context, files map[string][]byte, by string, at time.Time) (before *Publication, err error) {
	p := Publication{Version: version, Files: map[string]string{}, By: by, At: at.UTC()}
	if len(files) > MaxFiles {
		return nil, fmt.Errorf("%w: %d files; at most %d are published", ErrFile, len(files), MaxFiles)
	}
	for name, text := range files {
		if !plain(name) {
			return nil, fmt.Errorf("%q: %w: it is no plain file name", name, ErrFile)
		}
		if len(text) > MaxFile {
			return nil, fmt.Errorf("%s: %w: it has %d bytes; a cluster keeps files of at most %d", name, ErrFile, len(text), MaxFile)
		}
		p.Files[name] = hashOf(text)
	}
	for name, text := range files {
		_, err := s.values.Create(ctx, blobPrefix+p.Files[name], text)
		if err != nil && !errors.Is(err, store.Conflict) { // it is there already
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, text)
}

// Withdraw ends a publication and returns it.
func (s *Shelf) Withdraw(ctx context.Context, by string, at time.Time) (before *Publication, err error) {
	text, err := json.Marshal(Publication{Version: version, Files: map[string]string{}, By: by, At: at.UTC()})
	if err != nil {
		return nil, err
	}
	return s.change(ctx, text)
}

// change replaces the publication. Of two at a time the later one counts.
func (s *Shelf) change(ctx context.Context, text []byte) (before *Publication, err error) {
	for {
		e, err := s.values.Latest(ctx, currentKey)
		switch {
		case errors.Is(err, store.NotFound):
			_, err = s.values.Create(ctx, currentKey, text)
		case err != nil:
			return nil, err
		default:
			if before, err = parse(e.Value); err != nil {
				return nil, err // a newer program's: it is not thrown away
			}
			_, err = s.values.Update(ctx, currentKey, text, e.Revision)
		}
		if err == nil {
			s.tidy(ctx, text, before)
			return before, nil
		}
		if !errors.Is(err, store.Conflict) || ctx.Err() != nil {
			return nil, err
		}
	}
}

// tidy removes the files that only the publication before had. What cannot be removed now
// only takes room.
func (s *Shelf) tidy(ctx context.Context, now []byte, before *Publication) {
	current, err := parse(now)
	if err != nil || before == nil {
		return
	}
	needed := map[string]bool{}
	for _, hash := range current.Files {
		needed[hash] = true
	}
	for _, hash := range before.Files {
		if needed[hash] {
			continue
		}
		if e, err := s.values.Get(ctx, blobPrefix+hash); err == nil {
			_ = s.values.Delete(ctx, e.Key, e.Revision)
		}
	}
}

// Now returns what is published; the error is ErrNone if nothing is.
func (s *Shelf) Now(ctx context.Context) (*Publication, error) {
	e, err := s.values.Latest(ctx, currentKey)
	if errors.Is(err, store.NotFound) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	p, err := parse(e.Value)
	if err == nil && len(p.Files) == 0 {
		err = ErrNone
	}
	return p, err
}

// file returns the content of a file, as it was published and not otherwise.
func (s *Shelf) file(ctx context.Context, hash string) ([]byte, error) {
	e, err := s.values.Latest(ctx, blobPrefix+hash)
	if err != nil {
		return nil, err
	}
	if hashOf(e.Value) != hash {
		return nil, errors.New("its content in the store is not what was published; publish it again")
	}
	return e.Value, nil
}

func parse(text []byte) (*Publication, error) {
	var p Publication
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("what is published cannot be read: %w", err)
	}
	if p.Version != version {
		return nil, fmt.Errorf("what is published has the form %d, and this program reads %d; use the program that published it, or a newer one", p.Version, version)
	}
	if len(p.Files) > MaxFiles {
		return nil, fmt.Errorf("%d files are published; at most %d are taken", len(p.Files), MaxFiles)
	}
	for name, hash := range p.Files {
		if !plain(name) || len(hash) != 2*sha256.Size || strings.Trim(hash, "0123456789abcdef") != "" {
			return nil, fmt.Errorf("a published file has the name %q, or no hash, and is not taken", name)
		}
	}
	return &p, nil
}

// plain reports whether a name is that of a file in the folder itself, on every system,
// and none that a folder hides or a copy in progress has.
func plain(name string) bool {
	return name != "" && len(name) <= 200 && filepath.IsLocal(name) && !strings.ContainsAny(name, `/\:*?"<>|`) && !strings.HasPrefix(name, ".") &&
		strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
