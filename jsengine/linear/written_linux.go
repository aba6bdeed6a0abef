package linear

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pagemap asks the kernel which pages of a mapping are the process's own, which are
// those that have been written: one system call of 1 us for a whole instance. It is there
// from Linux 6.7 on. Its lock is shared, where giving back memory makes each processor
// flush what it knows of all memory as soon as two do it at the same time.
type pagemap struct {
	file    *os.File
	fd      uintptr
	request scan // here, as the kernel is given its address
	found   [64]region
}

// scan is struct pm_scan_arg of linux/fs.h.
type scan struct {
	size, flags         uint64
	start, end, walkEnd uint64
	vec, vecLen         uint64
	maxPages            uint64
	inverted, mask      uint64
	anyOf, returned     uint64
}

// region is struct page_region: addresses and categories.
type region struct{ from, to, _ uint64 }

const (
	pagemapScan = 0xc0606610 // _IOWR('f', 16, struct pm_scan_arg)

	pageIsFile    = 1 << 2
	pageIsPresent = 1 << 3
	pageIsSwapped = 1 << 4
	pageIsZero    = 1 << 5 // the one page of zeros, which all share
)

// openPagemap returns nil where the kernel does not answer as it should.
func openPagemap(p *Image) *os.File {
	file, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil
	}
	if newPagemap(file).answers(p) {
		return file
	}
	_ = file.Close()
	return nil
}

// newPagemap is for one goroutine at a time.
func newPagemap(file *os.File) *pagemap {
	if file == nil {
		return nil
	}
	return &pagemap{file: file, fd: file.Fd()}
}

// answers tries it on a mapping of the image in which one page of the file and one behind
// it are written, and others are read.
func (m *pagemap) answers(p *Image) bool {
	if p.mapped < 2*WasmPage || p.size < p.mapped+2*WasmPage {
		return false
	}
	space, err := reservePages(p.size)
	if err != nil {
		return false
	}
	defer releasePages(space)
	if !mapShared(space[:p.mapped], p.shared) {
		return false
	}
	written := []int{WasmPage, p.mapped + WasmPage}
	read := byte(0)
	for at := 0; at < p.mapped+2*WasmPage; at += PageSize {
		read |= space[at]
	}
	for _, at := range written {
		space[at] = read ^ 1
	}
	system := os.Getpagesize()
	ok := m.each(space, func(s Span) {
		if len(written) > 0 && s == (Span{written[0] &^ (system - 1), written[0]&^(system-1) + system}) {
			written = written[1:]
		} else {
			written = []int{-1}
		}
	})
	return ok && len(written) == 0
}

// each calls f for what has been written, in order.
func (m *pagemap) each(space []byte, f func(Span)) bool {
	start := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(space))))
	end := start + uint64(len(space))
	for from := start; from < end; from = m.request.walkEnd {
		m.request = scan{
			size: uint64(unsafe.Sizeof(scan{})), start: from, end: end,
			vec: uint64(uintptr(unsafe.Pointer(&m.found))), vecLen: uint64(len(m.found)),
			inverted: pageIsFile | pageIsZero, mask: pageIsFile | pageIsZero, anyOf: pageIsPresent | pageIsSwapped,
		}
		n, _, errno := unix.Syscall(unix.SYS_IOCTL, m.fd, pagemapScan, uintptr(unsafe.Pointer(&m.request)))
		if errno != 0 || m.request.walkEnd <= from {
			return false
		}
		for _, r := range m.found[:n] {
			f(Span{int(r.from - start), int(r.to - start)})
		}
	}
	return true
}
