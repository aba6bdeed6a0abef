package egress

import (
	"bytes"
	"encoding/hex"

	"github.com/glovebox-run/glovebox/risk/egress/pattern"
)

// shortestRun is the least length of base64 or hexadecimal that is decoded: the
// shortest token worth finding has 16 bytes.
const shortestRun = 24

// tokenSet is what tokens and their encodings are made of.
var tokenSet = pattern.NewSet("0-9A-Za-z+/=_.~%-")

// encodedRuns calls found for every run of base64 or hexadecimal digits of at
// least shortestRun bytes. It looks at one byte in shortestRun where there is
// none.
func encodedRuns(text []byte, found func(start, end int)) {
	for i := shortestRun - 1; i < len(text); {
		if !base64Set.Has(text[i]) {
			i += shortestRun
			continue
		}
		start := i
		for start > 0 && i-start < shortestRun && base64Set.Has(text[start-1]) {
			start--
		}
		end := i + 1
		for end < len(text) && base64Set.Has(text[end]) {
			end++
		}
		if end-start >= shortestRun {
			found(start, end)
		}
		i = end + shortestRun
	}
}

// decodeRun reads a run as hexadecimal or base64 if the result is text, from
// which the zero bytes of UTF-16 are dropped.
func decodeRun(dst, run []byte) ([]byte, bool) {
	probe := run[:min(len(run), 48)]
	if len(run)%2 == 0 {
		var first [24]byte
		if n, err := hex.Decode(first[:], probe[:len(probe)&^1]); err == nil && isText(first[:n]) {
			dst, err = hex.AppendDecode(dst, run)
			return dropZeros(dst), err == nil
		}
	}
	probe = probe[:len(probe)&^3]
	var first [36]byte
	head, ok := decodeBase64(first[:0], probe)
	if !ok || !isText(head) {
		return dst, false
	}
	// A length of 4n+1 is not base64; what follows the last whole group is part
	// of something else.
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	dst, ok = decodeBase64(dst, run)
	return dropZeros(dst), ok
}

// isText reports whether all bytes are printable ASCII, or every second one is
// and the others are zero.
func isText(b []byte) bool {
	zeros := 0
	for _, c := range b {
		switch {
		case c == 0:
			zeros++
		case c < ' ' && c != '\n' && c != '\r' && c != '\t' || c >= 0x7f:
			return false
		}
	}
	return len(b) > 0 && (zeros == 0 || zeros == len(b)/2)
}

func dropZeros(b []byte) []byte {
	if bytes.IndexByte(b, 0) < 0 {
		return b
	}
	return bytes.ReplaceAll(b, []byte{0}, nil)
}

// joins calls found for every run of token characters that is broken over lines
// or string literals. pieces are the places of its parts.
func joins(text []byte, found func(pieces [][2]int)) {
	var pieces [][2]int
	literals := bytes.IndexByte(text, '+') >= 0
	for i := 0; i < len(text); {
		if i = interruption(text, i, literals); i < 0 {
			return
		}
		next := gap(text, i)
		if next < 0 {
			i++
			continue
		}
		start, end := i, next
		for start > 0 && tokenSet.Has(text[start-1]) && i-start < longestValue {
			start--
		}
		pieces = pieces[:0]
		if start < i {
			stop := i
			if text[i-1] == '=' {
				stop--
			}
			pieces = append(pieces, [2]int{start, stop})
		}
		for next >= 0 {
			for end = next; end < len(text) && tokenSet.Has(text[end]); {
				end++
			}
			if end > next {
				pieces = append(pieces, [2]int{next, end})
			}
			if end == next || end == len(text) {
				break
			}
			if next = gap(text, end); next >= 0 && text[end-1] == '=' && len(pieces) > 0 {
				pieces[len(pieces)-1][1]-- // a soft line break of quoted-printable
			}
		}
		if len(pieces) > 1 {
			found(pieces)
		}
		i = max(end, i+1)
	}
}

// interruption returns the place of the next line end, or with literals quote.
func interruption(text []byte, from int, literals bool) int {
	i := -1
	if literals {
		i = bytes.IndexAny(text[from:], "\n\r\"'")
	} else {
		i = bytes.IndexByte(text[from:], '\n')
	}
	if i < 0 {
		return -1
	}
	if i > 0 && text[from+i] == '\n' && text[from+i-1] == '\r' {
		i--
	}
	return from + i
}

// longestIndent bounds the blanks at the start of a continued line.
const longestIndent = 40

// gap returns where a token goes on that is interrupted at i by a line end with
// indentation or by the quotes of two joined literals, and -1 if it does not.
func gap(text []byte, i int) int {
	limit := min(len(text), i+longestIndent)
	switch {
	case i >= len(text):
		return -1
	case text[i] == '\n' || text[i] == '\r':
		for i < limit && (text[i] == '\n' || text[i] == '\r' || text[i] == ' ' || text[i] == '\t') {
			i++
		}
	case text[i] == '"' || text[i] == '\'':
		quote := text[i]
		joined := false
		for i++; i < limit && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t' || text[i] == '+'); i++ {
			joined = joined || text[i] == '+' || text[i] == '\n'
		}
		if !joined || i >= limit || text[i] != quote {
			return -1
		}
		i++
	default:
		return -1
	}
	if i >= limit || !tokenSet.Has(text[i]) {
		return -1
	}
	return i
}
