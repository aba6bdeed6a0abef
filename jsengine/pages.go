package jsengine

import "bytes"

// osPage is the unit in which images are compared and memory is given back. A
// host with larger pages only gets smaller savings: dropPages is used on ranges
// of many pages, and what it may not touch is cleared by hand.
const osPage = 4 << 10

// Measured: clearing up to this much by hand costs less than a system call and
// the page faults that follow it.
const clearWindow = 64 << 10

// What a call uses of the stack below the image's stack pointer, nearly always.
const stackWindow = 16 << 10

type span struct{ from, to int }

// run is a stretch of memory with something in it.
type run struct {
	at    int
	bytes []byte
}

// pages is the content of an image's memory and the plan for putting it back:
// copy the runs, clear the small gaps and the parts that calls use most, and
// drop what is left.
type pages struct {
	size   int
	runs   []run
	clears []span
	drops  []span
	index  [][]byte // by page; nil for zero pages
}

var zeroPage [osPage]byte

// takePages records memory. Pages equal to those of base share its bytes.
func takePages(memory []byte, base *pages) *pages {
	p := &pages{size: len(memory), index: make([][]byte, len(memory)/osPage)}
	var own []byte
	for i := range p.index {
		page := memory[i*osPage : (i+1)*osPage]
		if base != nil && i < len(base.index) && base.index[i] != nil && bytes.Equal(page, base.index[i]) {
			p.index[i] = base.index[i]
		} else if !bytes.Equal(page, zeroPage[:]) {
			own = append(own, page...)
		}
	}
	// The second pass, because own has moved while it grew.
	for i := range p.index {
		page := memory[i*osPage : (i+1)*osPage]
		if p.index[i] == nil && !bytes.Equal(page, zeroPage[:]) {
			p.index[i], own = own[:osPage:len(own)], own[osPage:]
		}
		p.extend(i)
	}
	return p
}

// extend adds a page to the runs, to the last one where the bytes are neighbours
// in the image as they are in memory.
func (p *pages) extend(i int) {
	page := p.index[i]
	if page == nil {
		return
	}
	if n := len(p.runs); n > 0 {
		last := &p.runs[n-1]
		end := len(last.bytes)
		if last.at+end == i*osPage && cap(last.bytes) >= end+osPage && &last.bytes[:end+1][end] == &page[0] {
			last.bytes = last.bytes[:end+osPage]
			return
		}
	}
	p.runs = append(p.runs, run{at: i * osPage, bytes: page})
}

// plan decides what is cleared and what is dropped, given where the stack ends.
func (p *pages) plan(stackPointer int) {
	p.clears, p.drops = nil, nil
	at := 0
	gap := func(to int) {
		switch {
		case to == at:
		case to-at <= clearWindow:
			p.clears = append(p.clears, span{at, to})
		case at <= stackPointer && stackPointer <= to:
			middle := max(at, (stackPointer-stackWindow)&^(osPage-1))
			p.drop(at, middle)
			p.clears = append(p.clears, span{middle, to})
		default:
			// The heap grows upwards into the gap behind it.
			p.clears = append(p.clears, span{at, at + clearWindow})
			p.drop(at+clearWindow, to)
		}
	}
	for _, r := range p.runs {
		gap(r.at)
		at = r.at + len(r.bytes)
	}
	gap(p.size)
}

func (p *pages) drop(from, to int) {
	if from < to {
		p.drops = append(p.drops, span{from, to})
	}
}

// restore makes memory the image's again, whatever is in it. It does not depend
// on which image the memory held before.
func (p *pages) restore(memory []byte) {
	for _, r := range p.runs {
		copy(memory[r.at:], r.bytes)
	}
	for _, s := range p.clears {
		clear(memory[s.from:s.to])
	}
	for _, s := range p.drops {
		dropPages(memory[s.from:s.to])
	}
}
