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
var tokenSet = pattern.NewSet("0-9A-Za-z+/=_.~%:-")

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
