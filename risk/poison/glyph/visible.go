package glyph

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/unseen"
)

// maxExcerpt keeps a finding readable, in bytes.
const maxExcerpt = 240

// Visible spells out every character that a reader would not see, so that it can
// be printed, and shortens what is long.
func Visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case c == '\n' || c == '\t' || unseen.Visible(c):
			b.WriteRune(c)
		default:
			fmt.Fprintf(&b, "<U+%04X>", c)
		}
		if b.Len() > maxExcerpt && i < len(s) {
			fmt.Fprintf(&b, "... (%d bytes more)", len(s)-i)
			break
		}
	}
	return b.String()
}
