package audit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// position is a place in the chain: how many records stand before it, the hash
// of the last of them, and the size of the growing file there.
type position struct {
	count uint64
	last  hash
	size  int64
}

// The head file is two slots of equal length. The first holds the committed
// position, the second the one that an append is about to reach. A process
// killed between the two leaves a chain that ends at either, and both are known
// to the key, so a crash is told apart from a forged or cut tail.
const (
	slotPayload = 8 + sha256.Size + 8
	slotLength  = slotPayload + sha256.Size // payload and its MAC
)

type slot int64

const (
	committed slot = 0
	intended  slot = 1
)

type headFile struct {
	file *os.File
	key  []byte
}

var errHeadForged = errors.New("the head does not match its key")

func openHead(path string, flag int) (headFile, error) {
	key, err := readKey(path, flag&os.O_CREATE != 0)
	if err != nil {
		return headFile{}, err
	}
	f, err := os.OpenFile(headName(path), flag, 0o600)
	return headFile{f, key}, err
}

// read returns what a slot holds. An empty file is the head of an empty chain.
func (h headFile) read(s slot) (position, error) {
	var buf [slotLength]byte
	n, err := h.file.ReadAt(buf[:], int64(s)*slotLength)
	if n == 0 && errors.Is(err, io.EOF) {
		return position{}, nil
	}
	if err != nil {
		return position{}, fmt.Errorf("head: %w", err)
	}
	mac := h.mac(s, buf[:slotPayload])
	if !hmac.Equal(mac, buf[slotPayload:]) {
		return position{}, errHeadForged
	}
	p := position{count: binary.BigEndian.Uint64(buf[:]), size: int64(binary.BigEndian.Uint64(buf[slotPayload-8:]))}
	copy(p.last[:], buf[8:])
	return p, nil
}

func (h headFile) write(s slot, p position) error {
	buf := make([]byte, 0, slotLength)
	buf = binary.BigEndian.AppendUint64(buf, p.count)
	buf = append(buf, p.last[:]...)
	buf = binary.BigEndian.AppendUint64(buf, uint64(p.size))
	buf = append(buf, h.mac(s, buf)...)
	_, err := h.file.WriteAt(buf, int64(s)*slotLength)
	return err
}

func (h headFile) mac(s slot, payload []byte) []byte {
	m := hmac.New(sha256.New, h.key)
	m.Write([]byte{byte(s)})
	m.Write(payload)
	return m.Sum(nil)
}

const keyLength = 32

func readKey(path string, create bool) ([]byte, error) {
	name := keyName(path)
	key, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) && create {
		return createKey(path)
	}
	if err != nil {
		return nil, err
	}
	if len(key) != keyLength {
		return nil, fmt.Errorf("%s: %d bytes, want %d", name, len(key), keyLength)
	}
	return key, nil
}

// createKey writes the key beside its name and links it there, so that of two
// processes that start together one key wins and no half-written one is seen.
// A chain that already has records has lost its key; making a new one would
// hide that.
func createKey(path string) ([]byte, error) {
	name := keyName(path)
	if info, err := os.Stat(headName(path)); err == nil && info.Size() > 0 {
		return nil, fmt.Errorf("%s is missing although the folder holds records: restore it, or move the chain away to start a new chain", name)
	}
	key := make([]byte, keyLength)
	rand.Read(key)
	tmp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name))
	if err != nil {
		return nil, err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(key)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(tmp.Name(), name); errors.Is(err, os.ErrExist) {
		return readKey(path, false)
	} else if err != nil {
		return nil, err
	}
	return key, nil
}
