package jsvalue

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// Bounds of the search. Values beyond them are not examined: JSON.stringify has
// limits of its own.
const (
	findSteps = 1 << 20 // properties and elements
	findDepth = 512
	findProto = 16 // links of a prototype chain
)

// finder searches what JSON.stringify would write for an object of a class.
type finder struct {
	plain
	class uint16
	path  []string
	seen  map[uint32]bool
}

// ClassOf returns the class of an object, as QuickJS numbers it.
func ClassOf(memory []byte, v Value) (class uint16, ok bool) {
	at := uint64(v.Address()) + objectClass
	if !v.IsObject() || at+2 > uint64(len(memory)) {
		return 0, false
	}
	return binary.LittleEndian.Uint16(memory[at:]), true
}

// Find returns the path within a value to an object of the class, as in
// "items[2].name", and "" if the value itself is one. The output of a toJSON is
// unknown and is skipped.
func (l *Layout) Find(memory []byte, v Value, class uint16) (path string, found bool) {
	f := finder{plain: plain{heap: memory, layout: l, steps: findSteps}, class: class, seen: map[uint32]bool{}}
	f.atoms = f.word(l.atoms)
	if !f.value(v, findDepth) {
		return "", false
	}
	return strings.TrimPrefix(strings.Join(f.path, ""), "."), true
}

func (f *finder) value(v Value, depth int) bool {
	if f.steps--; f.steps < 0 || depth == 0 || v.tag() != tagObject {
		return false
	}
	at := v.Address()
	class, ok := ClassOf(f.heap, v)
	switch {
	case !ok:
		return false
	case class == f.class:
		return true
	case f.seen[at] || f.writesItself(at):
		return false
	}
	f.seen[at] = true
	if class == classArray && f.heap[at+objectFlags]&flagsFast != 0 {
		return f.list(f.word(at+arrayValues), f.word(at+arrayCount), depth)
	}
	return f.object(f.word(at+objectShape), f.word(at+objectProps), depth)
}

// writesItself reports whether an object has a toJSON, of its own or inherited.
func (f *finder) writesItself(object uint32) bool {
	for range findProto {
		if object == 0 {
			return false
		}
		f.steps -= int(min(f.word(f.word(object+objectShape)+shapeCount), plainSteps))
		if f.steps < 0 || f.hasToJSON(object) {
			return true
		}
		object = f.word(f.word(object+objectShape) + shapeProto)
	}
	return true
}

func (f *finder) list(values, count uint32, depth int) bool {
	for n := range count {
		if f.steps < 0 {
			return false
		}
		f.path = append(f.path, "["+strconv.Itoa(int(n))+"]")
		if f.value(f.heap.value(values+8*n), depth-1) {
			return true
		}
		f.path = f.path[:len(f.path)-1]
	}
	return false
}

func (f *finder) object(shape, props uint32, depth int) bool {
	for n := range f.word(shape + shapeCount) {
		if f.steps--; f.steps < 0 {
			return false
		}
		flags, atom := f.word(shape+shapeProps+8*n)>>26, f.word(shape+shapeProps+8*n+4)
		if atom == 0 || flags&propSpecial != 0 || flags&propEnumerable == 0 {
			continue
		}
		v := f.heap.value(props + 8*n)
		if v.tag() != tagObject {
			continue
		}
		name, ok := f.name(atom)
		if !ok {
			continue // a symbol
		}
		f.path = append(f.path, name)
		if f.value(v, depth-1) {
			return true
		}
		f.path = f.path[:len(f.path)-1]
	}
	return false
}

// maxName bounds a name in a path, in bytes.
const maxName = 64

// name is a step of a path.
func (f *finder) name(atom uint32) (string, bool) {
	if atom&atomInteger != 0 {
		return "[" + strconv.Itoa(int(atom&^uint32(atomInteger))) + "]", true
	}
	at := f.word(f.atoms + 4*atom)
	if f.word(at+stringFlags)>>atomKindShift != atomString {
		return "", false
	}
	text, inPlace, _ := AppendText(nil, f.heap, Value(tagString)<<32|Value(at), maxName)
	if !inPlace || len(text) == 0 {
		text = []byte("…")
	}
	return "." + string(text), true
}
