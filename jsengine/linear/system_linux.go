package linear

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// lazyPages means that reserved pages cost nothing until they are touched.
const lazyPages = true

func reservePages(n int) ([]byte, error) {
	space, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	// A huge page would make every instance cost 2 MiB at its first write, where
	// an image touches some fifty pages of 4 KiB. A kernel without them refuses.
	_ = unix.Madvise(space, unix.MADV_NOHUGEPAGE)
	return space, nil
}

func useHugePages(space []byte) {
	const page = 64 << 10 // the largest page of any system here; advice wants whole ones
	at := uintptr(unsafe.Pointer(unsafe.SliceData(space)))
	if skip := -at & (page - 1); skip < uintptr(len(space)) {
		_ = unix.Madvise(space[skip:], unix.MADV_HUGEPAGE) // a kernel without them refuses
	}
}

func releasePages(space []byte) { _ = unix.Munmap(space) }

// dropPages gives whole pages back. They then read as when they were mapped, zero
// where the image has nothing.
func dropPages(pages []byte) {
	if unix.Madvise(pages, unix.MADV_DONTNEED) != nil {
		clear(pages) // locked pages are refused; only zero pages are dropped
	}
}

// share puts an image into a memory file from which instances are mapped: pages
// that an instance does not write are shared with all others.
func share(p *Image) (*os.File, error) {
	fd, err := unix.MemfdCreate(FileName, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), FileName)
	if err := file.Truncate(int64(p.mapped)); err != nil {
		return nil, err
	}
	for _, r := range p.runs {
		if r.at >= p.mapped {
			break
		}
		if _, err := file.WriteAt(r.bytes, int64(r.at)); err != nil {
			return nil, err
		}
	}
	return file, nil
}

// mapShared replaces the beginning of space by a private copy of the file.
func mapShared(space []byte, file *os.File) bool {
	at := unsafe.Pointer(unsafe.SliceData(space))
	got, err := unix.MmapPtr(int(file.Fd()), 0, at, uintptr(len(space)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	return err == nil && got == at
}
