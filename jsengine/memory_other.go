//go:build !linux

package jsengine

// Where MADV_DONTNEED does not promise zeros, memory comes from the Go heap and
// is cleared by hand: correct everywhere, slower to reset.

func reservePages(n int) ([]byte, error) { return make([]byte, n), nil }

func releasePages([]byte) {}

func dropPages(pages []byte) { clear(pages) }
