package linear

import "errors"

// Stack is address space for a stack, which grows down from its end. Only touched
// pages cost anything.
type Stack []byte

// NewStack reserves a stack, where the system can do so without taking memory.
func NewStack(size int) (Stack, error) {
	if !lazyPages {
		return nil, errors.ErrUnsupported
	}
	return reservePages(size)
}

// Trim gives back all but the last kept bytes, a whole number of pages. The memory is
// that of the same instance.
func (s Stack) Trim(kept int, m *Memory) {
	if len(s) <= kept {
		return
	}
	deep := s[:len(s)-kept]
	if m.pagemap == nil || !m.pagemap.each(deep, func(written Span) { dropPages(deep[written.From:written.To]) }) {
		dropPages(deep)
	}
}

// Free releases the stack, which must not be in use.
func (s Stack) Free() {
	if s != nil {
		releasePages(s)
	}
}
