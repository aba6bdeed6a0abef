package jsengine

import (
	"bytes"
	"cmp"
	"os"
	"slices"
)

// osPage is the unit in which images are compared and memory is given back. A
// host with larger pages only gets smaller savings: dropPages is used on ranges
// of many pages, and what it may not touch is cleared by hand.
const osPage = 4 << 10

// What is cleared by hand because calls write there, so that giving it back would
// cost a page fault in every call: gaps between live pages, the stack below the
// image's stack pointer, the heap above its last live page. Calls that go further
// pay for it, some 0.3 us a page.
const (
	gapWindow   = 16 << 10
	stackWindow = 16 << 10
	heapWindow  = 32 << 10
)

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
	shared *os.File // of a base image: the same as a file of memory; nil where there are none
}

var zeroPage [osPage]byte

// takePages records memory. Pages equal to those of base share its bytes; those
// inside of empty are known to be zero and not looked at, which would map them.
func takePages(memory []byte, base *pages, empty span) *pages {
	p := &pages{size: len(memory)}
	content := make([][]byte, len(memory)/osPage) // by page; nil for zero
	var own []int
	for n := range content {
		at := n * osPage
		page := memory[at : at+osPage]
		switch {
		case empty.from <= at && at+osPage <= empty.to:
		case base != nil && bytes.Equal(page, base.page(n)):
			content[n] = base.page(n)
		case base != nil && base.page(n) != nil && bytes.Equal(page, zeroPage[:]):
			content[n] = zeroPage[:] // dropping it would show the base's
		case !bytes.Equal(page, zeroPage[:]):
			own = append(own, n)
		}
	}
	copies := make([]byte, 0, len(own)*osPage) // one block: neighbours make one run
	for _, n := range own {
		copies = append(copies, memory[n*osPage:(n+1)*osPage]...)
		content[n] = copies[len(copies)-osPage:]
	}
	for n, page := range content {
		if page != nil {
			p.extend(n*osPage, page)
		}
	}
	return p
}

// page is the content of page n, nil when it is zero.
func (p *pages) page(n int) []byte {
	at := n * osPage
	k, found := slices.BinarySearchFunc(p.runs, at, func(r run, at int) int { return cmp.Compare(r.at, at) })
	if !found {
		k--
	}
	if k < 0 || at >= p.runs[k].at+len(p.runs[k].bytes) {
		return nil
	}
	at -= p.runs[k].at
	return p.runs[k].bytes[at : at+osPage]
}

// extend adds a page to the runs, to the last one where the bytes are neighbours
// in the image as they are in memory.
func (p *pages) extend(at int, page []byte) {
	if n := len(p.runs); n > 0 {
		last := &p.runs[n-1]
		end := len(last.bytes)
		if last.at+end == at && cap(last.bytes) >= end+osPage && &last.bytes[:end+1][end] == &page[0] {
			last.bytes = last.bytes[:end+osPage]
			return
		}
	}
	p.runs = append(p.runs, run{at: at, bytes: page})
}

// plan decides what is cleared and what is dropped, given where the stack ends
// and the heap begins.
func (p *pages) plan(stackPointer int) {
	p.clears, p.drops = nil, nil
	stack := stackPointer &^ (osPage - 1)
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

func (p *pages) clear(from, to int) {
	if from < to {
		p.clears = append(p.clears, span{from, to})
	}
}

func (p *pages) drop(from, to int) {
	if from < to {
		p.drops = append(p.drops, span{from, to})
	}
}

// restore makes memory the image's again, whatever is in it. It does not depend
// on which image the memory held before. Pages that are right already are left
// alone, so that what no call writes stays shared between instances.
func (p *pages) restore(memory []byte) {
	for _, r := range p.runs {
		for at := 0; at < len(r.bytes); at += osPage {
			restorePage(memory[r.at+at:], r.bytes[at:at+osPage])
		}
	}
	for _, s := range p.clears {
		for at := s.from; at < s.to; at += osPage {
			restorePage(memory[at:], zeroPage[:])
		}
	}
	for _, s := range p.drops {
		dropPages(memory[s.from:s.to])
	}
}

func restorePage(live, page []byte) {
	if live = live[:osPage]; !bytes.Equal(live, page) {
		copy(live, page)
	}
}
