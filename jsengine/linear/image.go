package linear

import (
	"bytes"
	"cmp"
	"os"
	"slices"
)

// PageSize is the unit in which images are compared and memory is given back. A
// host with larger pages only saves less: dropPages is used on ranges of many
// pages, and what it may not drop is cleared by hand.
const PageSize = 4 << 10

// Ranges cleared by hand because calls write there, so that giving them back would
// cost a page fault in every call: gaps between live pages, the stack below the
// image's stack pointer, the heap above its last live page. Calls that go further
// pay some 0.3 us a page.
const (
	gapWindow   = 16 << 10
	stackWindow = 16 << 10
	heapWindow  = 32 << 10
)

// Span is a range of addresses.
type Span struct{ From, To int }

// run is a stretch of memory with something in it.
type run struct {
	at    int
	bytes []byte
	of    *Image // the base image whose bytes they are; nil for the image's own
	// patches, in a run of one page, are where the page is not as in bytes, which are the
	// base image's.
	patches []patch
}

// Image is the content of an image's memory and the plan for restoring it: copy
// the runs, clear the small gaps and the parts that calls use most, and drop the
// rest.
type Image struct {
	size    int
	runs    []run
	clears  []Span
	drops   []Span
	shared  *os.File // of a base image: its beginning as a memory file; nil where there are none
	pagemap *os.File // says what instances have written; nil where the system does not
	mapped  int      // how much of it; the rest is the free heap, where writing to such pages costs twice
}

var zeroPage [PageSize]byte

// Take records memory. Pages equal to those of base share its bytes, and those that are
// nearly so are kept as what differs; pages inside empty are known to be zero and are not
// read, which would map them.
func Take(memory []byte, base *Image, empty ...Span) *Image {
	p := &Image{size: len(memory)}
	content := make([][]byte, len(memory)/PageSize) // by page; nil for zero
	var own, near []int                             // pages kept whole, and those kept as patches
	var patches [][]patch
	for n := range content {
		at := n * PageSize
		page := memory[at : at+PageSize]
		inside := func(s Span) bool { return s.From <= at && at+PageSize <= s.To }
		zero := slices.ContainsFunc(empty, inside) || bytes.Equal(page, zeroPage[:])
		switch below := base.Page(n); {
		case zero && below == nil:
		case zero:
			content[n] = zeroPage[:] // dropping it would show the base's
		case below != nil && bytes.Equal(page, below):
			content[n] = below
		default:
			if base != nil {
				if below == nil {
					below = zeroPage[:]
				}
				if d, ok := difference(page, below); ok {
					near, patches, content[n] = append(near, n), append(patches, d), below
					break
				}
			}
			own = append(own, n)
		}
	}
	keep(patches)
	copies := make([]byte, 0, len(own)*PageSize) // one block: neighbours make one run
	for _, n := range own {
		copies = append(copies, memory[n*PageSize:(n+1)*PageSize]...)
		content[n] = copies[len(copies)-PageSize:]
	}
	for n, page := range content {
		if k, found := slices.BinarySearch(near, n); found {
			p.runs = append(p.runs, run{at: n * PageSize, bytes: page[:PageSize:PageSize], patches: patches[k]})
		} else if page != nil {
			p.extend(n*PageSize, page)
		}
	}
	for n := range p.runs {
		r := &p.runs[n]
		if r.patches != nil {
			continue
		}
		if below := base.Page(r.at / PageSize); below != nil && &below[0] == &r.bytes[0] {
			r.of = base
		}
	}
	return p
}

// Page is the content of page n, nil when it is zero. It is not to be written to.
func (p *Image) Page(n int) []byte {
	if p == nil {
		return nil
	}
	at := n * PageSize
	k, found := slices.BinarySearchFunc(p.runs, at, func(r run, at int) int { return cmp.Compare(r.at, at) })
	if !found {
		k--
	}
	if k < 0 || at >= p.runs[k].at+len(p.runs[k].bytes) {
		return nil
	}
	r := p.runs[k]
	if r.patches != nil {
		page := bytes.Clone(r.bytes)
		apply(page, r.patches)
		return page
	}
	return r.bytes[at-r.at : at-r.at+PageSize]
}

// extend adds a page to the runs, to the last one where the bytes are neighbours
// in the image as they are in memory.
func (p *Image) extend(at int, page []byte) {
	if n := len(p.runs); n > 0 {
		last := &p.runs[n-1]
		end := len(last.bytes)
		if last.at+end == at && cap(last.bytes) >= end+PageSize && &last.bytes[:end+1][end] == &page[0] {
			last.bytes = last.bytes[:end+PageSize]
			return
		}
	}
	p.runs = append(p.runs, run{at: at, bytes: page})
}

// Own is how many bytes an image keeps that its base image does not have, without the
// places of patches.
func (p *Image) Own() (kept int) {
	for _, r := range p.runs {
		switch {
		case r.patches != nil:
			for _, patch := range r.patches {
				kept += len(patch.bytes)
			}
		case r.of == nil:
			kept += len(r.bytes)
		}
	}
	return kept
}

// Size is the size of the memory in bytes.
func (p *Image) Size() int { return p.size }

// Share lets new instances be mapped from the image. Where the system cannot do
// that, instances only cost more.
func (p *Image) Share() {
	end, widest := 0, 0
	for _, r := range append(slices.Clone(p.runs), run{at: p.size}) {
		if r.at-end > widest {
			p.mapped, widest = end, r.at-end
		}
		end = r.at + len(r.bytes)
	}
	var err error
	if p.shared, err = share(p); err != nil {
		return
	}
	for n := range p.runs {
		p.runs[n].of = p
	}
	p.pagemap = openPagemap(p)
}

// Map maps the beginning of the memory from the image; pages that the memory does
// not write stay shared. Without Share it does nothing.
func (m *Memory) Map(p *Image) {
	if p.shared != nil && mapShared(m.space[:p.mapped], p.shared) {
		m.base, m.pagemap = p, newPagemap(p.pagemap)
	}
}

// Rest makes the memory what Map has made it, which gives back all that was written since.
// Memory that was not mapped stays as it is, and the result is false.
func (m *Memory) Rest() bool {
	if m.base != nil {
		dropPages(m.Bytes())
	}
	return m.base != nil
}

// Drop clears pages that need not be there.
func Drop(pages []byte) { dropPages(pages) }

// Plan decides what to clear and what to drop, given where the stack ends and the
// heap begins.
func (p *Image) Plan(stackPointer int) {
	p.clears, p.drops = nil, nil
	stack := stackPointer &^ (PageSize - 1)
	grown := false // the heap's window has been placed
	at := 0
	gap := func(to int) {
		switch {
		case to-at <= gapWindow:
			p.clear(at, to)
		case at < stack && stack <= to:
			p.drop(at, to-stackWindow)
			p.clear(to-stackWindow, to)
		case at > stack && !grown && to-at > 2*heapWindow:
			grown = true
			p.clear(at, at+heapWindow)
			p.drop(at+heapWindow, to)
		default:
			p.drop(at, to)
		}
	}
	for _, r := range p.runs {
		gap(r.at)
		at = r.at + len(r.bytes)
	}
	gap(p.size)
}

func (p *Image) clear(from, to int) {
	if from < to {
		p.clears = append(p.clears, Span{from, to})
	}
}

func (p *Image) drop(from, to int) {
	if from < to {
		p.drops = append(p.drops, Span{from, to})
	}
}

// Fill makes memory the image's to which nothing has been written since it was mapped,
// and nothing beyond what was mapped before. It touches no page that is right already.
func (p *Image) Fill(m *Memory) {
	if m.base == nil {
		p.Restore(m)
		return
	}
	memory := m.Bytes()
	for _, r := range p.runs {
		for at := 0; at < len(r.bytes); at += PageSize {
			page := r.bytes[at : at+PageSize]
			if below := m.base.Page((r.at + at) / PageSize); r.at+at >= m.base.mapped || below == nil || &below[0] != &page[0] {
				copy(memory[r.at+at:], page)
			}
		}
		apply(memory[r.at:], r.patches)
	}
}

// Restore makes memory the image's again, whatever it holds and whichever image it
// held before. Pages that are right already are left alone, so that pages no call
// writes stay shared between instances; where the system says what has been written,
// they are not looked at either.
func (p *Image) Restore(m *Memory) {
	known := m.findWritten()
	memory := m.Bytes()
	for _, r := range p.runs {
		if r.patches != nil {
			// It is not as in the base image, so it is no shared page, and writing it
			// takes less time than comparing it in pieces.
			copy(memory[r.at:], r.bytes)
			apply(memory[r.at:], r.patches)
			continue
		}
		mapped := known && r.of == m.base && r.at < m.base.mapped
		for at := 0; at < len(r.bytes); at += PageSize {
			if !mapped || m.written.has((r.at+at)/PageSize) {
				restorePage(memory[r.at+at:], r.bytes[at:at+PageSize])
			}
		}
	}
	for _, s := range p.clears {
		for at := s.From; at < s.To; at += PageSize {
			if !known || m.written.has(at/PageSize) {
				restorePage(memory[at:], zeroPage[:])
			}
		}
	}
	for _, s := range p.drops {
		if !known {
			dropPages(memory[s.From:s.To])
			continue
		}
		for at := s.From; at < s.To; at += PageSize {
			if end := at; m.written.has(at / PageSize) {
				for end < s.To && m.written.has(end/PageSize) {
					end += PageSize
				}
				dropPages(memory[at:end])
				at = end
			}
		}
	}
}

func restorePage(live, page []byte) {
	if live = live[:PageSize]; !bytes.Equal(live, page) {
		copy(live, page)
	}
}
