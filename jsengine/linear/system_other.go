//go:build !linux

package linear

import (
	"errors"
	"os"
)

// Elsewhere memory comes from the Go heap, is shared with nothing and is cleared
// by hand: correct everywhere, larger and slower to reset.

const lazyPages = false

func reservePages(n int) ([]byte, error) { return make([]byte, n), nil }

func useHugePages([]byte) {}

func releasePages([]byte) {}

func dropPages(pages []byte) { clear(pages) }

func share(*Image) (*os.File, error) { return nil, errors.ErrUnsupported }

func mapShared([]byte, *os.File) bool { return false }

type pagemap struct{}

func openPagemap(*Image) *os.File { return nil }

func newPagemap(*os.File) *pagemap { return nil }

func (*pagemap) each([]byte, func(Span)) bool { return false }
