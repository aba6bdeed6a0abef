package wasm

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

var (
	errShort    = errors.New("unexpected end")
	errLEB      = errors.New("integer too long or too large")
	errCount    = errors.New("count larger than what is left")
	errUTF8     = errors.New("name is not UTF-8")
	errTrailing = errors.New("bytes after the end")
)

// reader reads bytes in order. The first error is kept and every read after it
// returns zero, so callers check once.
type reader struct {
	data []byte
	pos  int
	base int // offset of data in the module, for messages
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("at byte %d: %w", r.base+r.pos, err)
	}
}

func (r *reader) byte() byte {
	if r.err != nil || r.pos >= len(r.data) {
		r.fail(errShort)
		return 0
	}
	b := r.data[r.pos]
	r.pos++
	return b
}

func (r *reader) bytes(n uint32) []byte {
	if r.err != nil || int64(n) > int64(len(r.data)-r.pos) {
		r.fail(errShort)
		return nil
	}
	b := r.data[r.pos : r.pos+int(n) : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// u32 reads an unsigned LEB128 number of at most five bytes.
func (r *reader) u32() uint32 {
	if r.err == nil && r.pos < len(r.data) && r.data[r.pos] < 0x80 {
		r.pos++
		return uint32(r.data[r.pos-1])
	}
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if v > 1<<32-1 {
				r.fail(errLEB)
				return 0
			}
			return uint32(v)
		}
	}
	r.fail(errLEB)
	return 0
}

// signed reads a signed LEB128 number of the given number of bits.
func (r *reader) signed(bits int) int64 {
	var v int64
	for shift := 0; shift < bits; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b >= 0x80 {
			continue
		}
		if shift+7 < 64 {
			v = v << (57 - shift) >> (57 - shift)
		} else if rest := int8(b<<1) >> 1; rest != 0 && rest != -1 {
			r.fail(errLEB) // the tenth byte holds one bit and its sign
		}
		if low := v << (64 - bits) >> (64 - bits); low != v {
			r.fail(errLEB)
		}
		return v
	}
	r.fail(errLEB)
	return 0
}

// count reads the length of a vector whose elements take at least size bytes each,
// so that no count makes us allocate more than the input justifies.
func (r *reader) count(size int) int {
	n := r.u32()
	if r.err == nil && int64(n)*int64(size) > int64(len(r.data)-r.pos) {
		r.fail(errCount)
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

func (r *reader) name() string {
	b := r.bytes(r.u32())
	if !utf8.Valid(b) {
		r.fail(errUTF8)
	}
	return string(b)
}

// section returns a reader of the next n bytes.
func (r *reader) section(n uint32) reader {
	base := r.base + r.pos
	return reader{data: r.bytes(n), base: base, err: r.err}
}

func (r *reader) done() error {
	if r.err == nil && r.pos != len(r.data) {
		r.fail(errTrailing)
	}
	return r.err
}
