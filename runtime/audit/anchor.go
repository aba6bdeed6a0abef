package audit

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// anchorEvery is the maximum age of the anchor of a growing chain, and so how much a
// rollback can hide from the anchor's keeper.
const anchorEvery = time.Second

// checkpointOrigin is the first line of a checkpoint and the name of its key. The
// body has the form that transparency logs use: origin, number of records, hash.
// The hash is that of the chain's last line, not the root of a tree.
const checkpointOrigin = "glovebox-audit"

// signer signs checkpoints. Its key is derived from the chain's key, so a process that
// can write a head can sign, and others can verify with the public part.
type signer struct {
	note.Verifier
	public  string
	private ed25519.PrivateKey
}

func (s signer) Sign(text []byte) ([]byte, error) { return ed25519.Sign(s.private, text), nil }

func newSigner(key []byte) (signer, error) {
	m := hmac.New(sha256.New, key)
	m.Write([]byte("checkpoint"))
	private := ed25519.NewKeyFromSeed(m.Sum(nil))
	public, err := note.NewEd25519VerifierKey(checkpointOrigin, private.Public().(ed25519.PublicKey))
	if err != nil {
		return signer{}, err
	}
	verifier, err := note.NewVerifier(public)
	return signer{verifier, public, private}, err
}

func (s signer) checkpoint(at position) ([]byte, error) {
	text := fmt.Sprintf("%s\n%d\n%s\n", checkpointOrigin, at.count, base64.StdEncoding.EncodeToString(at.last[:]))
	return note.Sign(&note.Note{Text: text}, s)
}

// parse reads a checkpoint that this key signed.
func (s signer) parse(text []byte) (position, error) {
	signed, err := note.Open(text, note.VerifierList(s.Verifier))
	if err != nil {
		return position{}, err
	}
	lines := strings.Split(signed.Text, "\n")
	if len(lines) != 4 || lines[0] != checkpointOrigin {
		return position{}, errors.New("no checkpoint of an audit record")
	}
	return parsePosition(lines[1], lines[2])
}

func parsePosition(count, encoded string) (p position, err error) {
	if p.count, err = strconv.ParseUint(count, 10, 64); err != nil {
		return position{}, err
	}
	last, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(last) != len(p.last) {
		return position{}, errors.New("no hash of a record")
	}
	copy(p.last[:], last)
	return p, nil
}

// Checkpoint signs the current end of the chain at path, for another party to keep.
// Key verifies the signature, in the form of golang.org/x/mod/sumdb/note.
func Checkpoint(path string) (text []byte, key string, err error) {
	chain, err := takeSnapshot(path)
	if err != nil {
		return nil, "", fmt.Errorf("audit: %w", err)
	}
	defer chain.close()
	if chain.headErr != nil {
		return nil, "", fmt.Errorf("audit: %w", chain.headErr)
	}
	secret, err := readKey(path)
	if err != nil {
		return nil, "", fmt.Errorf("audit: %w", err)
	}
	s, err := newSigner(secret)
	if err == nil {
		text, err = s.checkpoint(chain.at)
	}
	return text, s.public, err
}

// openAnchor refuses a chain that is unknown to its anchor, or that has lost records
// since.
func (l *Log) openAnchor() (err error) {
	if l.signer, err = newSigner(l.head.key); err != nil || l.opts.Anchor == "" {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.opts.Anchor), 0o700); err != nil {
		return err
	}
	known, err := l.anchored()
	if err != nil {
		return fmt.Errorf("the anchor %s is not of this chain: its record was taken away or exchanged; move the anchor away to start a new chain: %w", l.opts.Anchor, err)
	}
	if known.count > l.at.count || known.count == l.at.count && known.last != l.at.last {
		return fmt.Errorf("the anchor %s knows %d records, but the chain has %d: it was rolled back; restore it, or move the anchor away", l.opts.Anchor, known.count, l.at.count)
	}
	return nil
}

// anchored is the state the anchor holds.
func (l *Log) anchored() (position, error) {
	text, err := os.ReadFile(l.opts.Anchor)
	if errors.Is(err, os.ErrNotExist) {
		return position{}, nil
	}
	if err != nil {
		return position{}, err
	}
	return l.signer.parse(text)
}

// writeAnchor writes the end of the chain to the anchor, once it is on disk. Another
// process may already have written a later one. It runs under both locks.
func (l *Log) writeAnchor() error {
	known, err := l.anchored()
	if err != nil {
		return fmt.Errorf("anchor: %w", err)
	}
	if known.count >= l.at.count {
		return nil
	}
	if err := l.syncNow(); err != nil {
		return err
	}
	text, err := l.signer.checkpoint(l.at)
	if err != nil {
		return err
	}
	return writeFile(l.opts.Anchor, text)
}

// syncNow flushes everything written to disk.
func (l *Log) syncNow() error {
	if l.synced < l.at.size {
		if err := l.sync(); err != nil {
			l.unsyncedIn(l.file, err)
			return err
		}
		l.synced = l.at.size
	}
	return nil
}

// anchorDueNow runs when the timer set by an append fires.
func (l *Log) anchorDueNow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.anchorDue = nil
	if l.closed {
		return
	}
	if err := l.locked(l.writeAnchor); err != nil {
		l.fail(err)
		l.anchorDue = time.AfterFunc(anchorEvery, l.anchorDueNow)
	}
}

// readAnchors reads checkpoints and reports those not signed with the chain's key,
// which it returns if there is one.
func (v *verifier) readAnchors(path string, kept map[string][]byte) (key signer, err error) {
	secret, missing := readKey(path)
	if missing == nil {
		key, err = newSigner(secret)
	} else if !errors.Is(missing, os.ErrNotExist) {
		err = missing
	}
	if err != nil {
		return key, err
	}
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		v.file = name
		if missing != nil {
			v.add(Missing, 0, 0, "an anchor is here, but not the key of its chain: the record was taken away")
			continue
		}
		at, err := key.parse(kept[name])
		if err != nil {
			v.add(Forged, 0, 0, "the chain's key did not sign it: "+err.Error())
			continue
		}
		v.anchors[name] = at
	}
	return key, nil
}

// pass compares a record with the anchors at its position.
func (v *verifier) pass(l line) {
	for name, at := range v.anchors {
		if at.count == l.seq && at.last == l.hash {
			delete(v.anchors, name)
		}
	}
}

// missed reports the anchors that the chain did not pass through.
func (v *verifier) missed() {
	for name, at := range v.anchors {
		if at.count == 0 {
			continue
		}
		v.file = name
		v.add(RolledBack, 0, at.count, fmt.Sprintf("the anchor knows record %d, and the chain does not have it: it was rolled back or rewritten", at.count))
	}
}
