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

// Trim gives back all but the last kept bytes, a whole number of pages.
func (s Stack) Trim(kept int) {
	if len(s) > kept {
		dropPages(s[:len(s)-kept])
	}
}

// Free releases the stack, which must not be in use.
func (s Stack) Free() {
	if s != nil {
		releasePages(s)
	}
}
