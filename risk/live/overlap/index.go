package overlap

import "slices"

// MaxMarks is how many marks an index remembers: with its table 1 MB, which holds the
// text of ten results of 30 KB.
const MaxMarks = 3 << 14

// perMark is how many places of one mark are remembered; the newest stay.
const perMark = 4

// Place is where a mark was met.
type Place struct {
	Text uint16 // the number that Add was given
	At   uint32 // byte offset
}

// Index remembers marks with their places. The zero value is empty and ready. It is not
// safe for concurrent use.
type Index struct {
	heads   []uint32 // number of an entry plus one
	entries []entry
	full    bool
}

// entry is one place, in 16 bytes. 40 bits of the hash tell marks apart: in a full index
// one of 16 million lookups of a foreign mark finds something by chance.
type entry struct {
	tag  uint32
	next uint32
	at   uint32
	text uint16
	more uint8
	kind Kind
}

// Full reports whether marks were left out.
func (x *Index) Full() bool { return x.full }

// Len returns how many marks are remembered.
func (x *Index) Len() int { return len(x.entries) }

// Add remembers the marks of a text.
func (x *Index) Add(text uint16, marks []Mark) {
	if room := min(len(x.entries)+len(marks), MaxMarks); room > cap(x.entries) {
		x.entries = slices.Grow(x.entries, min(room+room/4, MaxMarks)-len(x.entries))
	}
	x.grow(min(len(x.entries)+len(marks), MaxMarks))
	for _, m := range marks {
		x.add(text, m)
	}
}

func (x *Index) slot(tag uint32) *uint32 { return &x.heads[tag&uint32(len(x.heads)-1)] }

func (x *Index) add(text uint16, m Mark) {
	new := entry{tag: uint32(m.Hash >> 32), more: uint8(m.Hash), at: m.At, text: text, kind: m.Kind}
	slot, same := x.slot(new.tag), 0
	var oldest *entry
	for n := *slot; n != 0; n = x.entries[n-1].next {
		e := &x.entries[n-1]
		if e.tag != new.tag || e.more != new.more || e.kind != new.kind {
			continue
		}
		if e.text == text && e.at == m.At {
			return
		}
		if same++; oldest == nil || e.text < oldest.text || e.text == oldest.text && e.at < oldest.at {
			oldest = e
		}
	}
	switch {
	case same >= perMark:
		oldest.text, oldest.at = text, m.At
	case len(x.entries) >= MaxMarks:
		x.full = true
	default:
		new.next = *slot
		x.entries = append(x.entries, new)
		*slot = uint32(len(x.entries))
	}
}

// grow makes the table large enough that a chain has about one entry.
func (x *Index) grow(entries int) {
	size := max(256, len(x.heads))
	for size < entries {
		size *= 2
	}
	if size == len(x.heads) {
		return
	}
	x.heads = make([]uint32, size)
	for i := range x.entries {
		e := &x.entries[i]
		slot := x.slot(e.tag)
		e.next, *slot = *slot, uint32(i+1)
	}
}

// Lookup appends the places of a mark.
func (x *Index) Lookup(out []Place, hash uint64, kind Kind) []Place {
	if len(x.heads) == 0 {
		return out
	}
	tag, more := uint32(hash>>32), uint8(hash)
	for n := *x.slot(tag); n != 0; n = x.entries[n-1].next {
		if e := &x.entries[n-1]; e.tag == tag && e.more == more && e.kind == kind {
			out = append(out, Place{e.text, e.at})
		}
	}
	return out
}
