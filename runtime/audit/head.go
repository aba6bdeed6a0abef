package audit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	stdhash "hash"
	"io"
	"os"
	"path/filepath"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

// position is a place in the chain: the number of records before it, the hash of the
// last of them, and the size of the growing file at that point.
type position struct {
	count uint64
	last  hash
	size  int64
}

// The head file begins with headMagic, whose last byte is the version of the layout.
// Slots of equal length follow. The first holds the committed position, the second the
// one that an append is about to reach. A process killed between the two leaves a chain
// that ends at either; the key authenticates both, so a crash can be told from a
// forged or truncated tail. The third holds a position up to which the lines are known to
// be on disk, the fourth the boot of the machine it belongs to: see powercut.go. All of
// them fit into one sector of a disk, 512 bytes, which is written whole or not at all.
const (
	headMagic   = "gbhead\x00\x01"
	slotPayload = 8 + sha256.Size + 8
	slotLength  = slotPayload + sha256.Size // payload and its MAC
)

type slot int64

const (
	committed slot = 0
	intended  slot = 1
	flushed   slot = 2
	booted    slot = 3
)

type headFile struct {
	file *os.File
	key  []byte
	kept *kept // nil for a head that is read once
}

// kept spares work to the process that appends. One goroutine uses it at a time.
type kept struct {
	keyed stdhash.Hash     // of the key
	bytes [slotLength]byte // of the committed slot, as read or written last
	at    position         // what they say
}

var (
	errHeadForged = errors.New("the head does not match its key")
	// errNewer reports a file written by a newer version. Continuing would drop fields
	// that this version does not know.
	errNewer = errors.New("written in a format that this version does not know")
)

// openHead opens the head. With O_CREATE it creates the head and key of a new chain;
// the caller must hold the lock.
func openHead(path string, flag int) (headFile, error) {
	key, err := readKey(path)
	if errors.Is(err, os.ErrNotExist) && flag&os.O_CREATE != 0 {
		key, err = createHead(path)
	}
	if err != nil {
		return headFile{}, err
	}
	f, err := os.OpenFile(headName(path), flag&^os.O_CREATE, 0o600)
	if errors.Is(err, os.ErrNotExist) && flag&os.O_CREATE != 0 {
		err = fmt.Errorf("%s is missing although its key is there: the record was taken away; restore it, or move the key away to start a new chain", headName(path))
	}
	if err != nil {
		return headFile{}, err
	}
	var magic [len(headMagic)]byte
	_, err = f.ReadAt(magic[:], 0)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
	case string(magic[:]) == headMagic:
		return headFile{file: f, key: key}, nil
	case string(magic[:len(magic)-1]) == headMagic[:len(magic)-1]:
		err = fmt.Errorf("%s: %w (%d)", f.Name(), errNewer, magic[len(magic)-1])
	default:
		err = errHeadForged
	}
	f.Close()
	return headFile{}, err
}

// read returns the contents of a slot. The head is created with its first slot, so only
// the others may be empty.
func (h headFile) read(s slot) (position, error) {
	var buf [slotLength]byte
	n, err := h.file.ReadAt(buf[:], s.offset())
	if errors.Is(err, io.EOF) {
		if n == 0 && s != committed {
			return position{}, nil
		}
		return position{}, errHeadForged
	}
	if err != nil {
		return position{}, fmt.Errorf("head: %w", err)
	}
	if buf == [slotLength]byte{} && s != committed {
		return position{}, nil // a hole before a slot that was written first
	}
	if h.kept != nil && s == committed && h.kept.at.count > 0 && h.kept.bytes == buf {
		return h.kept.at, nil
	}
	mac := h.mac(s, nil, buf[:slotPayload])
	if !hmac.Equal(mac, buf[slotPayload:]) {
		return position{}, errHeadForged
	}
	p := position{count: binary.BigEndian.Uint64(buf[:]), size: int64(binary.BigEndian.Uint64(buf[slotPayload-8:]))}
	copy(p.last[:], buf[8:])
	h.keep(s, buf[:], p)
	return p, nil
}

func (s slot) offset() int64 { return int64(len(headMagic)) + int64(s)*slotLength }

func (h headFile) write(s slot, p position) error {
	var buf [slotLength]byte
	text := h.encode(buf[:0], s, p)
	if _, err := h.file.WriteAt(text, s.offset()); err != nil {
		return err
	}
	h.keep(s, text, p)
	return nil
}

// keep remembers what the committed slot holds.
func (h headFile) keep(s slot, text []byte, p position) {
	if h.kept != nil && s == committed {
		copy(h.kept.bytes[:], text)
		h.kept.at = p
	}
}

// encode appends a slot to buf, which is empty.
func (h headFile) encode(buf []byte, s slot, p position) []byte {
	buf = binary.BigEndian.AppendUint64(buf, p.count)
	buf = append(buf, p.last[:]...)
	buf = binary.BigEndian.AppendUint64(buf, uint64(p.size))
	return h.mac(s, buf, buf)
}

// mac appends the code of a slot's payload to dst.
func (h headFile) mac(s slot, dst, payload []byte) []byte {
	var m stdhash.Hash
	if h.kept != nil {
		m = h.kept.keyed
		m.Reset()
	} else {
		m = hmac.New(sha256.New, h.key)
	}
	m.Write([]byte{byte(s)})
	m.Write(payload)
	return m.Sum(dst)
}

const keyLength = 32

func readKey(path string) ([]byte, error) {
	name := keyName(path)
	key, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if len(key) != keyLength {
		return nil, fmt.Errorf("%s: %d bytes, want %d", name, len(key), keyLength)
	}
	return key, nil
}

// createHead creates the head of an empty chain and then its key, so a key without a
// head means a deletion and never a process killed in between. A chain that has
// records but no key has lost it; creating a new one would hide that.
func createHead(path string) ([]byte, error) {
	files, err := chainFiles(path)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if info, err := os.Stat(name); err != nil || info.Size() > 0 {
			return nil, errors.Join(err, fmt.Errorf("%s is missing although the folder holds records: restore it, or move the chain away to start a new chain", keyName(path)))
		}
	}
	if old, err := os.ReadFile(headName(path)); err == nil && len(old) >= len(headMagic)+8 && binary.BigEndian.Uint64(old[len(headMagic):]) > 0 {
		return nil, fmt.Errorf("%s is missing although the head counts records: restore it, or move the chain away to start a new chain", keyName(path))
	}
	if _, err := os.Stat(archivedName(path)); err == nil {
		return nil, fmt.Errorf("%s is missing although records were archived: restore it, or move the chain away to start a new chain", keyName(path))
	}
	key := make([]byte, keyLength)
	rand.Read(key)
	h := headFile{key: key}
	content := append([]byte(headMagic), h.encode(nil, committed, position{})...)
	return key, errors.Join(writeFile(headName(path), content), writeFile(keyName(path), key))
}

// writeFile replaces name with content so that neither a reader nor a crash sees half
// of it.
func writeFile(name string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(content)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(tmp.Name(), name), osfile.SyncDir(filepath.Dir(name)))
}
