package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// heads records how far each stream of an embedded store was acknowledged. JetStream
// truncates a block where it becomes unreadable. That is right for a write in flight
// when the process died, but would silently lose acknowledged writes.
//
// A head is written after the records it counts were synced, so it is never ahead of
// the disk. It needs no sync of its own: at worst it detects less loss.
type heads struct {
	dir   string
	marks *marks
	mu    sync.Mutex
	open  map[string]*head
}

type head struct {
	file *os.File
	seq  uint64
}

func (h *heads) name(stream string) string { return filepath.Join(h.dir, stream+".head") }

// A head is the version of its format, a space, the number and a line end. Version 0
// was the number alone.
const (
	headVersion   = "1 "
	numberLength  = 21 // bytes of the largest number and a line end
	versionOfHead = 1
)

// reached records that a sequence number of a stream was acknowledged.
func (h *heads) reached(stream string, seq uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.open[stream]
	if at == nil {
		f, err := os.OpenFile(h.name(stream), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err != nil {
			f.Close()
			return err
		}
		at = &head{file: f}
		h.open[stream] = at
		h.marks.set(f.Name(), info)
	}
	if seq <= at.seq {
		return nil // a later write was recorded first
	}
	at.seq = seq
	_, err := at.file.WriteAt(fmt.Appendf(nil, "%s%0*d\n", headVersion, numberLength-1, seq), 0)
	return err
}

// behind returns an error if a stream that ends at last has lost its end.
func (h *heads) behind(stream string, last uint64) error {
	text, err := os.ReadFile(h.name(stream))
	if errors.Is(err, os.ErrNotExist) || err == nil && len(text) == 0 {
		return nil // nothing was acknowledged
	}
	if err != nil {
		return err
	}
	if version, rest, found := strings.Cut(string(text), " "); found {
		n, err := strconv.Atoi(version)
		if err != nil || n < versionOfHead {
			return fmt.Errorf("%s.head is damaged", stream)
		}
		if n > versionOfHead {
			return fmt.Errorf("%s.head has version %d, and this program knows %d: a newer one has written it", stream, n, versionOfHead)
		}
		text = []byte(rest)
	}
	if len(text) != numberLength {
		return fmt.Errorf("%s.head holds %d bytes", stream, len(text))
	}
	seq, err := strconv.ParseUint(string(text[:numberLength-1]), 10, 64)
	if err != nil {
		return fmt.Errorf("%s.head: %w", stream, err)
	}
	if last < seq {
		return fmt.Errorf("%s ends at %d, and %d was acknowledged", stream, last, seq)
	}
	return nil
}

func (h *heads) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, at := range h.open {
		at.file.Close()
	}
}
