package jsengine

import (
	"encoding/binary"
	"math"
	"unicode/utf16"
	"unicode/utf8"
)

// value is a JSValue of the guest, NaN-boxed: a tag in the upper half, an int or
// an address in the lower; anything else is a float.
type value uint64

const (
	tagString    = 0xfffffff9
	tagRope      = 0xfffffffa // a string that was concatenated and not read yet
	tagObject    = 0xffffffff
	tagException = 6

	valFalse     = value(1) << 32
	valTrue      = value(1)<<32 | 1
	valNull      = value(2) << 32
	valUndefined = value(3) << 32
	valException = value(tagException) << 32

	// What QuickJS subtracts, modulo 2^64, from the bits of a float: 0x7ff80000 -
	// JS_TAG_FIRST + 1 in the upper half, where JS_TAG_FIRST is -9.
	floatAddend = uint64(0x7ff8000a) << 32
)

func intValue(n int32) value { return value(uint32(n)) }

func (v value) tag() uint32       { return uint32(v >> 32) }
func (v value) address() uint32   { return uint32(v) }
func (v value) isException() bool { return v.tag() == tagException }
func (v value) isString() bool    { return v.tag() == tagString || v.tag() == tagRope }

// number is the value of an int or a float.
func (v value) number() (float64, bool) {
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

// appendText appends a guest string as UTF-8. ok is false when that would make
// the result longer than limit, or when the guest has trapped; lone surrogates
// become U+FFFD.
func (i *instance) appendText(to []byte, v value, limit int) (text []byte, ok bool) {
	at := v.address()
	if v.tag() == tagString {
		length := i.word(at + stringLength)
		if i.word(at+stringFlags)&kindBits == 0 {
			if length&wideBit == 0 {
				return appendLatin1(to, i.bytes(at+stringChars, length), limit)
			}
			length &^= wideBit
			return appendUTF16(to, i.bytes(at+stringChars, 2*length), limit)
		}
	}
	// A rope or a slice: the guest flattens it.
	size := i.lendStack(4)
	chars := uint32(i.invoke(fnToText, i.realm.context, uint64(size.at), uint64(v), 0))
	length := i.word(size.at)
	i.giveBack(size)
	if chars == 0 {
		i.run.stopped = i.outOfMemory()
		i.trap(errStopped)
		return to, false
	}
	if int64(len(to))+int64(length) > int64(limit) {
		return to, false
	}
	to = appendValidUTF8(to, i.bytes(chars, length))
	i.invoke(fnFreeText, i.realm.context, uint64(chars))
	return to, true
}

func appendLatin1(to, chars []byte, limit int) ([]byte, bool) {
	if len(to)+len(chars) > limit {
		return to, false
	}
	ascii := 0
	for ; ascii+8 <= len(chars); ascii += 8 {
		if binary.LittleEndian.Uint64(chars[ascii:])&0x8080808080808080 != 0 {
			break
		}
	}
	to = append(to, chars[:ascii]...)
	for _, c := range chars[ascii:] {
		if c < utf8.RuneSelf {
			to = append(to, c)
		} else {
			to = append(to, 0xc0|c>>6, 0x80|c&0x3f)
		}
	}
	return to, len(to) <= limit
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

// appendValidUTF8 replaces what the guest encodes for lone surrogates.
func appendValidUTF8(to, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		to = utf8.AppendRune(to, r)
		text = text[size:]
	}
	return to
}
