// Package passnote reads and writes Local Passes that travel with the specs: a file
// beside them, signed with an operator's key, in the form of golang.org/x/mod/sumdb/note.
//
//	Note    the passes of one folder, and until when they count
//	Open    reads a file and refuses what no accepted key signed
//	Keys    the public keys that are accepted
//	Key     the private key that signs
//
// It knows nothing about where files are, and does not run tools.
package passnote

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/glovebox-run/glovebox/catalog"
)

// Name is the file beside the specs. It does not end in .json, so that it is not taken
// for a spec.
const Name = "passes.note"

// MaxBytes is the size of a file that is read: 100 bytes for each of 10,000 specs.
const MaxBytes = 1 << 20

// Note holds the passes of one folder.
type Note struct {
	Until  time.Time // when they stop to count; the zero time is never
	Passes map[catalog.ContentHash]Pass
}

// Pass is one tool that passed with the content that its hash stands for.
type Pass struct {
	Tool string
	At   time.Time
}

// format is the first line. Its number grows when a line changes its meaning.
const (
	format        = "glovebox-passes/"
	formatVersion = "1"
	never         = "-"
)

// maxNamed is how many unknown keys an error names.
const maxNamed = 3

// Errors of Open. Each says what helps; nothing of the file is used.
var (
	ErrNoNote   = errors.New("it is no file of signed passes, or a part of it is missing: copy it again, or move it away and run glovebox test --sign on the specs")
	ErrChanged  = errors.New("it was changed after it was signed: copy it again, or run glovebox test --sign on the specs")
	ErrNewer    = errors.New("a newer version of this program has written it: use that one, or move it away and run glovebox test --sign with this one")
	ErrUnknown  = errors.New("specs.pass_keys does not name the key that signed it")
	ErrExpired  = errors.New("its passes have expired: run glovebox test --sign on the specs")
	ErrOtherBox = errors.New("its specs passed in another runtime: run glovebox test --sign with this one")
)

// Open reads a file. It returns an error unless one of the keys signed exactly this
// text, for this runtime, and the passes count now.
func Open(text []byte, keys Keys, now time.Time) (Note, error) {
	signed, err := note.Open(text, keys)
	if err != nil {
		return Note{}, refusal(err)
	}
	n, err := parse(signed.Text)
	if err != nil {
		return Note{}, err
	}
	if !n.Counts(now) {
		return Note{}, fmt.Errorf("%w (until %s)", ErrExpired, n.Until.Format(time.RFC3339))
	}
	return n, nil
}

// refusal says in our words why package note does not accept a signature.
func refusal(err error) error {
	var (
		unverified *note.UnverifiedNoteError
		invalid    *note.InvalidSignatureError
	)
	switch {
	case errors.As(err, &unverified):
		var by []string
		for _, s := range unverified.Note.UnverifiedSigs {
			// The other names may be anything, and there may be a hundred.
			if s.Name == keyName && len(by) < maxNamed {
				by = append(by, fmt.Sprintf("%s+%08x", s.Name, s.Hash))
			}
		}
		if by == nil {
			return ErrNoNote
		}
		return fmt.Errorf("%w, %s: add its public key there if you trust whoever has it, or run glovebox test on the specs here", ErrUnknown, strings.Join(by, ", "))
	case errors.As(err, &invalid):
		return ErrChanged
	}
	return ErrNoNote
}

// Counts reports whether the passes count at that time.
func (n Note) Counts(at time.Time) bool { return n.Until.IsZero() || at.Before(n.Until) }

// Sign writes the file.
func (n Note) Sign(key Key) ([]byte, error) {
	until := never
	if !n.Until.IsZero() {
		until = stamp(n.Until)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n%s\n%s\n", format, formatVersion, catalog.RuntimeID, until)
	hashes := slices.SortedFunc(maps.Keys(n.Passes), func(a, b catalog.ContentHash) int { return strings.Compare(a.String(), b.String()) })
	for _, h := range hashes {
		fmt.Fprintf(&b, "%s %s %s\n", h, stamp(n.Passes[h].At), n.Passes[h].Tool)
	}
	text, err := note.Sign(&note.Note{Text: b.String()}, key)
	if err == nil && len(text) > MaxBytes {
		err = fmt.Errorf("%d passes take more than %d bytes: put the specs into several folders", len(n.Passes), MaxBytes)
	}
	return text, err
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func parse(text string) (Note, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	version, ours := strings.CutPrefix(lines[0], format)
	switch {
	case !ours:
		return Note{}, ErrNoNote
	case version != formatVersion:
		return Note{}, fmt.Errorf("%w (format %s)", ErrNewer, version)
	case len(lines) < 3:
		return Note{}, ErrNoNote
	case lines[1] != catalog.RuntimeID:
		return Note{}, fmt.Errorf("%w (%s)", ErrOtherBox, lines[1])
	}
	n := Note{Passes: make(map[catalog.ContentHash]Pass, len(lines)-3)}
	if lines[2] != never {
		var err error
		if n.Until, err = time.Parse(time.RFC3339, lines[2]); err != nil || n.Until.IsZero() {
			return Note{}, ErrNoNote
		}
	}
	for _, line := range lines[3:] {
		hash, rest, _ := strings.Cut(line, " ")
		at, tool, _ := strings.Cut(rest, " ")
		sum, err := hex.DecodeString(hash)
		when, badTime := time.Parse(time.RFC3339, at)
		if err != nil || badTime != nil || len(sum) != len(catalog.ContentHash{}) || tool == "" {
			return Note{}, ErrNoNote
		}
		n.Passes[catalog.ContentHash(sum)] = Pass{Tool: tool, At: when}
	}
	return n, nil
}
