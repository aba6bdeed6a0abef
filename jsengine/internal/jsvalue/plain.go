package jsvalue

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Most results are plain data: objects and arrays with nothing but data in them.
// JSON.stringify takes some 12,000 instructions for an object of two members, so
// plain data is read from guest memory directly. Values that could run code or
// need a rule of their own (accessors, toJSON, proxies, class instances, integer
// keys, cycles, very much data) are left to JSON.stringify; the result is the
// same.

// Offsets in QuickJS structures. The boot compares this file's reading of a value
// with JSON.stringify's, so a wrong offset cannot go unnoticed.
const (
	objectFlags = 5  // bit 2: exotic, bit 3: a fast array
	objectClass = 6  // 16 bits
	objectShape = 16 // address
	objectProps = 20 // address of eight bytes a property
	arrayValues = 36 // of a fast array: address of eight bytes an element
	arrayCount  = 40

	shapeCount = 32 // properties, deleted ones too
	shapeProto = 44
	shapeProps = 48 // eight bytes each: six bits of flags on top of 26 others, then the atom

	classObject = 1
	classArray  = 2
	flagsExotic = 1 << 2
	flagsFast   = 1 << 3

	propEnumerable = 1 << 2
	propSpecial    = 3 << 4 // accessor, or a value that is not there yet

	atomInteger   = 1 << 31
	atomString    = 1 // kind of atom, in the two top bits of a string's flags
	atomKindShift = 30
)

// Bounds of what is worth doing here; larger values are left to JSON.stringify,
// which is metered.
const (
	plainSteps = 1 << 18
	plainDepth = 64
)

// Layout is what reading plain data needs to know of a realm.
type Layout struct {
	atoms                       uint32 // address of the field that holds the table of atoms
	length, toJSON              uint32 // atoms
	objectPrototype, arrayProto uint32
}

// plain reads plain data.
type plain struct {
	heap
	layout *Layout
	atoms  uint32
	out    []byte
	limit  int
	steps  int
	over   bool // the text is over the limit, and appending has stopped
}

// AppendJSON appends the JSON of a value. isPlain is false when it is not plain
// data, fits false when the text is longer than the limit.
func (l *Layout) AppendJSON(to, memory []byte, v Value, limit int) (text []byte, isPlain, fits bool) {
	p := plain{heap: memory, layout: l, out: to, limit: limit, steps: plainSteps}
	p.atoms = p.word(l.atoms)
	isPlain = !p.tampered() && p.json(v, plainDepth)
	if p.over || isPlain && len(p.out) > limit {
		return to, true, false
	}
	return p.out, isPlain, true
}

// tampered reports whether plain objects or arrays may inherit a toJSON.
func (p *plain) tampered() bool {
	shape := p.word(p.layout.arrayProto + objectShape)
	return p.word(shape+shapeProto) != p.layout.objectPrototype || p.hasToJSON(p.layout.arrayProto) || p.hasToJSON(p.layout.objectPrototype)
}

// hasToJSON reports whether an object has a property toJSON of its own.
func (p *plain) hasToJSON(object uint32) bool {
	shape := p.word(object + objectShape)
	count := p.word(shape + shapeCount)
	for n := range min(count, plainSteps) {
		if p.word(shape+shapeProps+8*n+4) == p.layout.toJSON {
			return true
		}
	}
	return count > plainSteps
}

// longestScalar is more than any value without members or elements takes.
const longestScalar = 64

// json appends one value; false means that it is not plain, or over the limit.
func (p *plain) json(v Value, depth int) bool {
	if p.steps--; p.steps < 0 || depth == 0 {
		return false
	}
	p.out = grow(p.out, longestScalar)
	switch v.tag() {
	case tagString:
		return p.text(v.Address())
	case tagObject:
		return p.object(v.Address(), depth)
	case 0:
		p.out = strconv.AppendInt(p.out, int64(int32(v)), 10)
		return true
	}
	switch v {
	case Null:
		p.out = append(p.out, "null"...)
		return true
	case True:
		p.out = append(p.out, "true"...)
		return true
	case False:
		p.out = append(p.out, "false"...)
		return true
	}
	if f, ok := v.Number(); ok {
		p.out = appendNumber(p.out, f)
		return true
	}
	return false
}

// appendNumber writes a float as JavaScript does.
func appendNumber(to []byte, f float64) []byte {
	size := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(to, "null"...)
	case f == 0:
		return append(to, '0') // also -0
	case size >= 1e-6 && size < 1e21:
		return strconv.AppendFloat(to, f, 'f', -1, 64)
	}
	to = strconv.AppendFloat(to, f, 'e', -1, 64)
	if n := len(to); to[n-4] == 'e' && to[n-2] == '0' { // Go writes two digits at least: e-07
		to = append(to[:n-2], to[n-1])
	}
	return to
}

func (p *plain) object(at uint32, depth int) bool {
	if uint64(at)+objectProps+4 > uint64(len(p.heap)) {
		return false
	}
	shape := p.word(at + objectShape)
	proto := p.word(shape + shapeProto)
	flags := p.heap[at+objectFlags]
	switch binary.LittleEndian.Uint16(p.heap[at+objectClass:]) {
	case classObject:
		if flags&flagsExotic != 0 || proto != 0 && proto != p.layout.objectPrototype {
			return false
		}
		return p.members(shape, p.word(at+objectProps), depth)
	case classArray:
		count := p.word(at + arrayCount)
		if flags&flagsFast == 0 || proto != p.layout.arrayProto || p.word(shape+shapeCount) != 1 ||
			p.word(shape+shapeProps+4) != p.layout.length || p.heap.value(p.word(at+objectProps)) != Value(count) {
			return false
		}
		return p.elements(p.word(at+arrayValues), count, depth)
	}
	return false
}

func (p *plain) elements(values, count uint32, depth int) bool {
	p.out = append(p.out, '[')
	for n := range count {
		if n > 0 {
			p.out = append(p.out, ',')
		}
		v := p.heap.value(values + 8*n)
		if v == Undefined {
			v = Null
		}
		if !p.json(v, depth-1) {
			return false
		}
	}
	p.out = append(p.out, ']')
	return true
}

func (p *plain) members(shape, props uint32, depth int) bool {
	p.out = append(p.out, '{')
	first := true
	for n := range p.word(shape + shapeCount) {
		if p.steps--; p.steps < 0 {
			return false
		}
		flags, atom := p.word(shape+shapeProps+8*n)>>26, p.word(shape+shapeProps+8*n+4)
		if atom == 0 { // deleted
			continue
		}
		if flags&propSpecial != 0 || atom&atomInteger != 0 || atom == p.layout.toJSON {
			return false
		}
		name := p.word(p.atoms + 4*atom)
		if p.word(name+stringFlags)>>atomKindShift != atomString || p.startsWithDigit(name) {
			return false // a symbol; or a large integer, which comes before other names
		}
		v := p.heap.value(props + 8*n)
		if flags&propEnumerable == 0 || v == Undefined {
			continue
		}
		if !first {
			p.out = append(p.out, ',')
		}
		first = false
		if !p.text(name) {
			return false
		}
		p.out = append(p.out, ':')
		if !p.json(v, depth-1) {
			return false
		}
	}
	p.out = append(p.out, '}')
	return true
}

func (p *plain) startsWithDigit(text uint32) bool {
	c := p.word(text+stringChars) & 0xff
	return p.word(text+stringLength)&^wideBit != 0 && c >= '0' && c <= '9'
}

// text appends a quoted string; false when its characters are stored elsewhere, or
// are too many.
func (p *plain) text(at uint32) bool {
	length := p.word(at + stringLength)
	size, wide := length&^wideBit, length&wideBit != 0
	if wide {
		size *= 2
	}
	end := uint64(at) + stringChars + uint64(size)
	if p.word(at+stringFlags)&kindBits != 0 || end > uint64(len(p.heap)) {
		return false
	}
	if len(p.out)+int(length&^wideBit) > p.limit { // whatever is in it
		p.over = true
		return false
	}
	p.out = append(p.out, '"')
	for chars := p.heap[at+stringChars : end]; len(chars) > 0; {
		part := chars[:min(len(chars), piece)]
		if wide && len(part) < len(chars) && isHighSurrogate(part[len(part)-2:]) {
			part = part[:len(part)-2]
		}
		chars = chars[len(part):]
		p.out = grow(p.out, len(part)+2)
		if wide {
			p.out = appendQuotedUTF16(p.out, part)
		} else {
			p.out = appendQuotedLatin1(p.out, part)
		}
		if len(p.out) > p.limit {
			p.over = true
			return false
		}
	}
	p.out = append(p.out, '"')
	return true
}

func isHighSurrogate(unit []byte) bool { return unit[1]&0xfc == 0xd8 }

func appendQuotedLatin1(to, chars []byte) []byte {
	from := 0
	for n, c := range chars {
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			continue
		}
		to = append(to, chars[from:n]...)
		from = n + 1
		if c >= utf8.RuneSelf {
			to = append(to, 0xc0|c>>6, 0x80|c&0x3f)
		} else {
			to = appendEscaped(to, c)
		}
	}
	return append(to, chars[from:]...)
}

func appendQuotedUTF16(to, chars []byte) []byte {
	for n := 0; n < len(chars); n += 2 {
		r := rune(binary.LittleEndian.Uint16(chars[n:]))
		switch {
		case r < ' ' || r == '"' || r == '\\':
			to = appendEscaped(to, byte(r))
		case !utf16.IsSurrogate(r):
			to = utf8.AppendRune(to, r)
		default:
			var low rune
			if n+3 < len(chars) {
				low = rune(binary.LittleEndian.Uint16(chars[n+2:]))
			}
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				to = utf8.AppendRune(to, pair)
				n += 2
			} else {
				to = fmt.Appendf(to, `\u%04x`, r)
			}
		}
	}
	return to
}

func appendEscaped(to []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(to, '\\', c)
	case '\b':
		return append(to, `\b`...)
	case '\t':
		return append(to, `\t`...)
	case '\n':
		return append(to, `\n`...)
	case '\f':
		return append(to, `\f`...)
	case '\r':
		return append(to, `\r`...)
	}
	const digits = "0123456789abcdef"
	return append(to, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
}

// Sample is JSON that a realm must have parsed for Learn.
const Sample = `{"first":[1,-2.5,1e+300,"é\u0001\"",{},[]],"toJSON":"世界","last":{"yes":true,"no":false,"nothing":null}}`

// Learn finds, from the parsed Sample, where a realm keeps what reading plain data
// needs; it searches a range for the address of the table of atoms. The layout
// must read Sample back to the byte, or there is an error.
func Learn(memory []byte, sample Value, from, to uint32) (Layout, error) {
	var l Layout
	p := plain{heap: memory, layout: &l, limit: math.MaxInt32}
	shape := p.word(sample.Address() + objectShape)
	firstAtom, secondAtom := p.word(shape+shapeProps+4), p.word(shape+shapeProps+8+4)
	array := p.heap.value(p.word(sample.Address() + objectProps)).Address()
	l.objectPrototype = p.word(shape + shapeProto)
	l.arrayProto = p.word(p.word(array+objectShape) + shapeProto)
	l.length = p.word(p.word(array+objectShape) + shapeProps + 4)
	for field := from; field < to && l.atoms == 0; field += 4 {
		table := p.word(field)
		if string(p.name(p.word(table+4*firstAtom))) == `"first"` && string(p.name(p.word(table+4*secondAtom))) == `"toJSON"` {
			l.atoms = field
		}
	}
	read, _, _ := l.AppendJSON(nil, memory, sample, math.MaxInt32)
	l.toJSON = secondAtom // only now: Sample has it as a name
	if _, isPlain, _ := l.AppendJSON(nil, memory, sample, math.MaxInt32); string(read) != Sample || isPlain {
		return l, fmt.Errorf("jsvalue: values are not laid out as known: read %q, want %q", read, Sample)
	}
	return l, nil
}

// name is a string in quotes, nil when there is none at the address.
func (p *plain) name(at uint32) []byte {
	if length := p.word(at + stringLength); length == 0 || length > 64 {
		return nil
	}
	p.out = p.out[:0]
	if !p.text(at) {
		return nil
	}
	return p.out
}
