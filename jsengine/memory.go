package jsengine

// wasmPage is the unit of memory.grow.
const wasmPage = 64 << 10

// imageFile is what a list of the process's mappings calls those of instances.
const imageFile = "glovebox-image"

// linearMemory is the memory of one instance: address space of its own, of which
// only touched pages cost anything. It implements wazero's LinearMemory, so the
// engine decides what growth is granted, to the page.
type linearMemory struct {
	space   []byte // reserved; the guest sees space[:size]
	size    uint64
	limit   uint64 // of the running call
	refused bool   // a growth was refused since the call began
	grown   bool   // larger than its image: cannot be reset, memory.size only grows
}

func newLinearMemory(size, reserve uint64) (*linearMemory, error) {
	space, err := reservePages(int(max(size, reserve)))
	if err != nil {
		return nil, err
	}
	return &linearMemory{space: space, size: size, limit: size}, nil
}

// Reallocate is asked for the module's minimum first, which may be less than an
// image has, and then for every growth.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size <= m.size {
		return m.space[:m.size]
	}
	if size > m.limit {
		m.refused = true
		return nil
	}
	if size > uint64(len(m.space)) && !m.move(size) {
		m.refused = true
		return nil
	}
	m.size = size
	m.grown = true
	return m.space[:size]
}

// move finds a larger space: only for calls whose limit is above the default.
func (m *linearMemory) move(size uint64) bool {
	space, err := reservePages(int(min(m.limit, 2*size)))
	if err != nil {
		return false
	}
	copy(space, m.space[:m.size])
	releasePages(m.space)
	m.space = space
	return true
}

func (m *linearMemory) Free() {
	if m.space != nil {
		releasePages(m.space)
		m.space = nil
	}
}
