// Package jsvalue reads QuickJS's values in place, in guest memory. It never runs
// the guest and never writes. Addresses are not trusted, and a value that cannot
// be read here is reported as such.
//
//   - Value is a JSValue: a number, a constant, or the address of something.
//   - AppendText takes a string out.
//   - Layout takes plain data out as JSON.
package jsvalue

import (
	"encoding/binary"
	"math"
	"unicode/utf16"
	"unicode/utf8"
)

// Value is a JSValue of the guest, NaN-boxed: a tag in the upper half, an int or
// an address in the lower; anything else is a float.
type Value uint64

const (
	tagString    = 0xfffffff9
	tagRope      = 0xfffffffa // a string that was concatenated and not read yet
	tagObject    = 0xffffffff
	tagException = 6

	False     = Value(1) << 32
	True      = Value(1)<<32 | 1
	Null      = Value(2) << 32
	Undefined = Value(3) << 32
	Nothing   = Value(4) << 32 // not a value of the language: no exception is pending
	Exception = Value(tagException) << 32

	// What QuickJS subtracts, modulo 2^64, from the bits of a float: 0x7ff80000 -
	// JS_TAG_FIRST + 1 in the upper half, where JS_TAG_FIRST is -9.
	floatAddend = uint64(0x7ff8000a) << 32
)

// Int makes a Value of an integer.
func Int(n int32) Value { return Value(uint32(n)) }

func (v Value) tag() uint32       { return uint32(v >> 32) }
func (v Value) Address() uint32   { return uint32(v) }
func (v Value) IsException() bool { return v.tag() == tagException }
func (v Value) IsObject() bool    { return v.tag() == tagObject }
func (v Value) IsString() bool    { return v.tag() == tagString || v.tag() == tagRope }

// Float makes a Value of a number that is not an int.
func Float(f float64) Value { return Value(math.Float64bits(f) - floatAddend) }

// Number returns the number of an int or a float.
func (v Value) Number() (float64, bool) {
	switch tag := v.tag(); {
	case tag == 0:
		return float64(int32(v)), true
	case tag > 7 && tag < 0xfffffff7: // outside of the tags, -9 to 7
		return math.Float64frombits(uint64(v) + floatAddend), true
	}
	return 0, false
}

// Offsets in a JSString: its length, with the top bit set when it has two bytes
// a character, flags, and the characters.
const (
	stringLength = 4
	stringFlags  = 8
	stringChars  = 20

	wideBit  = 1 << 31
	kindBits = 3 << 28 // zero for characters in place; else a slice or a reference to another string
)

// heap is guest memory. Reads outside it give zero, or nothing.
type heap []byte

func (h heap) word(at uint32) uint32 {
	if uint64(at)+4 > uint64(len(h)) {
		return 0
	}
	return binary.LittleEndian.Uint32(h[at:])
}

func (h heap) value(at uint32) Value {
	return Value(h.word(at)) | Value(h.word(at+4))<<32
}

func (h heap) bytes(at, length uint32) []byte {
	end := uint64(at) + uint64(length)
	if end > uint64(len(h)) {
		return nil
	}
	return h[at:end]
}

// AppendText appends a string as UTF-8; lone surrogates become U+FFFD. inPlace is
// false for a string whose characters are elsewhere, which only the guest can put
// together; fits is false when the text would be longer than limit.
func AppendText(to, memory []byte, v Value, limit int) (text []byte, inPlace, fits bool) {
	h, at := heap(memory), v.Address()
	if v.tag() != tagString || h.word(at+stringFlags)&kindBits != 0 {
		return to, false, true
	}
	length := h.word(at + stringLength)
	if length&wideBit == 0 {
		text, fits = appendLatin1(to, h.bytes(at+stringChars, length), limit)
	} else {
		text, fits = appendUTF16(to, h.bytes(at+stringChars, 2*(length&^wideBit)), limit)
	}
	return text, true, fits
}

func appendLatin1(to, chars []byte, limit int) ([]byte, bool) {
	if len(to)+len(chars) > limit {
		return to, false
	}
	ascii := asciiPrefix(chars)
	to = appendPieces(to, chars[:ascii])
	for _, c := range chars[ascii:] {
		if c < utf8.RuneSelf {
			to = append(to, c)
		} else {
			to = append(to, 0xc0|c>>6, 0x80|c&0x3f)
		}
	}
	return to, len(to) <= limit
}

// asciiPrefix is the number of bytes before the first one that is not ASCII.
func asciiPrefix(chars []byte) int {
	n := 0
	for ; n+32 <= len(chars); n += 32 {
		c := chars[n : n+32 : n+32]
		all := binary.LittleEndian.Uint64(c) | binary.LittleEndian.Uint64(c[8:]) | binary.LittleEndian.Uint64(c[16:]) | binary.LittleEndian.Uint64(c[24:])
		if all&0x8080808080808080 != 0 {
			break
		}
	}
	for n < len(chars) && chars[n] < utf8.RuneSelf {
		n++
	}
	return n
}

func appendUTF16(to, chars []byte, limit int) ([]byte, bool) {
	for n := 0; n+1 < len(chars); n += 2 {
		r := rune(binary.LittleEndian.Uint16(chars[n:]))
		if utf16.IsSurrogate(r) {
			low := rune(utf8.RuneError)
			if n+3 < len(chars) {
				low = rune(binary.LittleEndian.Uint16(chars[n+2:]))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				n += 2
			}
		}
		if to = utf8.AppendRune(to, r); len(to) > limit {
			return to, false
		}
	}
	return to, true
}

// TextSize returns the size of the string a text makes: its UTF-16 units, and
// whether they take two bytes each, which they do when one is not Latin-1. ok is
// false when the text is not UTF-8.
func TextSize(text []byte) (units int, wide, ok bool) {
	ascii := asciiPrefix(text)
	if units = ascii; ascii == len(text) {
		return units, false, true
	}
	if !utf8.Valid(text[ascii:]) {
		return 0, false, false
	}
	for rest := text[ascii:]; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		rest = rest[size:]
		if units++; r > math.MaxUint8 {
			wide = true
			if r > math.MaxUint16 {
				units++
			}
		}
	}
	return units, wide, true
}

// PutHeader writes what QuickJS has in front of the characters of a new string: one
// reference, the length, and zeros for what strings get later; and the zero byte that
// follows Latin-1 characters. memory has the size that StringSize gives.
func PutHeader(memory []byte, units int, wide bool) {
	clear(memory[:stringChars])
	binary.LittleEndian.PutUint32(memory, 1)
	length := uint32(units)
	if wide {
		length |= wideBit
	} else {
		memory[stringChars+units] = 0
	}
	binary.LittleEndian.PutUint32(memory[stringLength:], length)
}

// StringSize is the size in bytes of a string of that many UTF-16 units in memory.
func StringSize(units int, wide bool) int {
	if wide {
		return stringChars + 2*units
	}
	return stringChars + units + 1
}

// StringAt is the string at an address.
func StringAt(at uint32) Value { return tagString<<32 | Value(at) }

// PutText writes a text over the characters of a string of the size that TextSize
// gives; false when the string has another size.
func PutText(memory []byte, v Value, text []byte) bool {
	h, at := heap(memory), v.Address()
	if v.tag() != tagString || h.word(at+stringFlags)&kindBits != 0 {
		return false
	}
	length := h.word(at + stringLength)
	if length&wideBit != 0 {
		return putUTF16(h.bytes(at+stringChars, 2*(length&^wideBit)), text)
	}
	return putLatin1(h.bytes(at+stringChars, length), text)
}

func putLatin1(chars, text []byte) bool {
	n := 0
	// A short piece is looked at and then copied out of the processor's cache.
	for len(text) > 0 {
		part := text[:min(len(text), 16<<10)]
		ascii := asciiPrefix(part)
		if copy(chars[n:], part[:ascii]) < ascii {
			return false
		}
		n, text = n+ascii, text[ascii:]
		if ascii < len(part) {
			break
		}
	}
	for ; len(text) > 0; n++ {
		r, size := utf8.DecodeRune(text)
		if text = text[size:]; n == len(chars) {
			return false
		}
		chars[n] = byte(r)
	}
	return n == len(chars)
}

func putUTF16(chars, text []byte) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if r > math.MaxUint16 && len(chars) >= 2 {
			first, second := utf16.EncodeRune(r)
			binary.LittleEndian.PutUint16(chars, uint16(first))
			chars, r = chars[2:], second
		}
		if len(chars) < 2 {
			return false
		}
		binary.LittleEndian.PutUint16(chars, uint16(r))
		chars = chars[2:]
	}
	return len(chars) == 0
}

// AppendValidUTF8 appends text and replaces the guest's encoding of lone
// surrogates.
func AppendValidUTF8(to, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		to = utf8.AppendRune(to, r)
		text = text[size:]
	}
	return to
}
