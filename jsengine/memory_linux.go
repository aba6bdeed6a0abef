package jsengine

import "syscall"

// MADV_NOHUGEPAGE: a huge page would make every instance cost 2 MiB at its first
// write, where an image touches some fifty pages of 4 KiB.
const madvNoHugePage = 15

func reservePages(n int) ([]byte, error) {
	space, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	// A kernel without huge pages refuses the advice, and needs none.
	_ = syscall.Madvise(space, madvNoHugePage)
	return space, nil
}

func releasePages(space []byte) { _ = syscall.Munmap(space) }

// dropPages makes whole pages read as zero again and gives them back.
func dropPages(pages []byte) {
	if syscall.Madvise(pages, syscall.MADV_DONTNEED) != nil {
		clear(pages) // locked pages are refused; zero is zero
	}
}
