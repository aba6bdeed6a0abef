// Package linear is the memory of instances: mappings of our own, in which an
// engine decides what growth is granted, and images from which memory is restored.
//
//   - Memory is what one instance sees. It implements wazero's LinearMemory.
//   - Image is recorded content. One image can be based on another, with which it
//     then shares the pages that are equal.
//
// It knows nothing of the memory's content.
package linear

import "github.com/glovebox-run/glovebox/budget"

// WasmPage is the unit of memory.grow, in bytes.
const WasmPage = 64 << 10

// FileName is the name of instances' mappings in the process's list of mappings.
const FileName = "glovebox-image"

// Memory is the memory of one instance: address space of its own, of which
// only touched pages cost anything. It implements wazero's LinearMemory, so the
// engine decides what growth is granted, to the page.
type Memory struct {
	space   []byte // reserved; the guest sees space[:size]
	size    uint64
	base    *Image         // that it is mapped from; nil without
	limit   uint64         // of the running call
	ledger  *budget.Ledger // also counts what the call holds outside this memory; nil while that is nothing
	refused bool
	grown   bool

	pagemap *pagemap // nil where nobody can say what has been written
	written written
}

// written are the pages of an instance that it has written since it was mapped or they
// were given back, one bit each.
type written []uint64

func (w written) has(page int) bool { return w[page/64]>>(page%64)&1 != 0 }

func (w written) add(s Span) {
	for page := s.From / PageSize; page < s.To/PageSize; page++ {
		w[page/64] |= 1 << (page % 64)
	}
}

// findWritten reports whether m.written could be filled.
func (m *Memory) findWritten() bool {
	if m.pagemap == nil || m.base == nil {
		return false
	}
	if words := (int(m.size)/PageSize + 63) / 64; len(m.written) != words {
		m.written = make(written, words)
	}
	clear(m.written)
	return m.pagemap.each(m.Bytes(), m.written.add)
}

// New returns a memory of the given size, with address space to grow in.
func New(size, reserve uint64) (*Memory, error) {
	space, err := reservePages(int(max(size, reserve)))
	if err != nil {
		return nil, err
	}
	return &Memory{space: space, size: size, limit: size}, nil
}

// Reallocate is called first for the module's minimum, which may be less than an
// image has, and then for every growth.
func (m *Memory) Reallocate(size uint64) []byte {
	if size <= m.size {
		return m.space[:m.size]
	}
	if size > m.limit || !m.reserve(size-m.size) {
		m.refused = true
		return nil
	}
	if size > uint64(len(m.space)) && !m.move(size) {
		m.refused = true
		return nil
	}
	if size-m.size >= hugePage {
		useHugePages(m.space[m.size:size])
	}
	m.size = size
	m.grown = true
	return m.space[:size]
}

func (m *Memory) reserve(more uint64) bool {
	return m.ledger == nil || m.ledger.Reserve(int64(more))
}

// A guest that asks for this much at once will touch it all, mostly with one
// instruction that cannot be interrupted: 24 ms for 56 MiB in pages of 2 MiB, 41
// in pages of 4 KiB.
const hugePage = 2 << 20

// moved is how many bytes move copies at a time.
const moved = 256 << 10

// move finds a larger space: only for calls whose limit is above the default.
func (m *Memory) move(size uint64) bool {
	space, err := reservePages(int(min(m.limit, 2*size)))
	if err != nil {
		return false
	}
	for at := uint64(0); at < m.size; at += moved { // in pieces, between which Go can stop the world
		copy(space[at:], m.space[at:min(at+moved, m.size)])
	}
	releasePages(m.space)
	m.space, m.base = space, nil
	return true
}

// Bytes is the memory itself: valid until it grows.
func (m *Memory) Bytes() []byte { return m.space[:m.size] }

// Size is in bytes.
func (m *Memory) Size() uint64 { return m.size }

// Limit sets how far the memory may grow, and clears the record of refusals.
func (m *Memory) Limit(bytes uint64) {
	m.limit = bytes
	m.refused = false
	m.ledger = nil
}

// Share applies the limit to this memory and all that Go holds for the call
// together, and returns the ledger of both.
func (m *Memory) Share() *budget.Ledger {
	if m.ledger == nil {
		m.ledger = budget.NewLedger(m.limit, m.size)
	}
	return m.ledger
}

// Peak is the most that the call has held at one time, in bytes.
func (m *Memory) Peak() uint64 {
	if m.ledger == nil {
		return m.size
	}
	return m.ledger.Peak()
}

// Refused reports whether a growth was refused since the limit was set.
func (m *Memory) Refused() bool { return m.refused }

// Grown reports whether the memory has grown since it was made. It cannot be
// restored then: memory.size only grows.
func (m *Memory) Grown() bool { return m.grown }

func (m *Memory) Free() {
	if m.space != nil {
		releasePages(m.space)
		m.space = nil
	}
}
