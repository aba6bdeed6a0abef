package egress

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/hex"
	"io"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
)

// Bounds of decoding, in bytes and layers.
const (
	// shortestRun is the least length of base64 or hexadecimal that is decoded: the
	// shortest token worth finding has 16 bytes.
	shortestRun = 24
	// deepestCode is how many codes may lie on top of each other. Each makes what is
	// below it shorter, so that two cost less than twice the text.
	deepestCode = 2
	// mostInflated is the full budget for decompressed bytes; each byte read on in the
	// text refills it by one. A credential needs a few hundred bytes.
	mostInflated = 64 << 10
)

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

// decoder reads codes. Its buffers are for use again.
type decoder struct {
	layer    [deepestCode][]byte
	inflated []byte
	gzip     gzip.Reader
	budget   int // what may still be inflated
	paid     int // the place up to which the text has paid for that
}

// pay adds the text up to a place to the budget for inflating.
func (d *decoder) pay(at int) {
	if at > d.paid {
		d.budget = min(mostInflated, d.budget+at-d.paid)
	}
	d.paid = at
}

// read returns what a run means as hexadecimal, base64 or base32, unpacked if it
// is compressed. It fails for anything but text.
func (d *decoder) read(depth int, run []byte) ([]byte, bool) {
	buffer := &d.layer[depth]
	for _, code := range [...]func(dst, run []byte) ([]byte, bool){decodeHex, decodeAnyBase64, decodeBase32} {
		var ok bool
		*buffer, ok = code((*buffer)[:0], run[:min(len(run), 48)])
		if !ok || !isText(*buffer) && !packed(*buffer) {
			continue
		}
		if len(run) > 48 {
			if *buffer, ok = code((*buffer)[:0], run); !ok {
				continue
			}
		}
		if packed(*buffer) {
			return d.inflate(*buffer)
		}
		return dropZeros(*buffer), true
	}
	return nil, false
}

// packed reports whether data begins like a file of gzip.
func packed(data []byte) bool {
	return len(data) > 18 && data[0] == 0x1f && data[1] == 0x8b && data[2] == 8
}

// inflate unpacks as much as the budget allows. A stream that is cut off is read
// as far as it goes.
func (d *decoder) inflate(data []byte) ([]byte, bool) {
	if d.budget <= 0 || d.gzip.Reset(bytes.NewReader(data)) != nil {
		return nil, false
	}
	if cap(d.inflated) == 0 {
		d.inflated = make([]byte, mostInflated)
	}
	n, err := io.ReadFull(&d.gzip, d.inflated[:min(d.budget, mostInflated)])
	d.budget -= n + 256 // starting costs as much as a few lines
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF && n == 0 {
		return nil, false
	}
	return d.inflated[:n], isText(d.inflated[:min(n, 64)])
}

func decodeHex(dst, run []byte) ([]byte, bool) {
	dst, err := hex.AppendDecode(dst, run[:len(run)&^1])
	return dst, err == nil && len(run)%2 == 0
}

// decodeAnyBase64 leaves out a last character that is no whole byte: a length of
// 4n+1 is not base64, and what follows the last whole group is part of something
// else.
func decodeAnyBase64(dst, run []byte) ([]byte, bool) {
	if len(run) == 48 {
		run = run[:48]
	}
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	return decodeBase64(dst, run)
}

func decodeBase32(dst, run []byte) ([]byte, bool) {
	upper := true
	for _, c := range run {
		switch {
		case isUpper(c) || '2' <= c && c <= '7':
		case isLower(c):
			upper = false
		default:
			return dst, false
		}
	}
	if !upper {
		run = bytes.ToUpper(run)
	}
	// Eight characters are five bytes; 1, 3 and 6 are none.
	switch len(run) % 8 {
	case 1, 3, 6:
		run = run[:len(run)-1]
	}
	dst, err := base32.StdEncoding.WithPadding(base32.NoPadding).AppendDecode(dst, run)
	return dst, err == nil
}

// isText reports whether bytes are printable: ASCII, UTF-8 that may be cut off at
// its end, or UTF-16, in which every second byte is zero.
func isText(b []byte) bool {
	zeros, high := 0, 0
	for _, c := range b {
		switch {
		case c == 0:
			zeros++
		case c >= utf8.RuneSelf:
			high++
		case c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f:
			return false
		}
	}
	if high > 0 {
		for cut := 0; cut < utf8.UTFMax && cut < len(b); cut++ {
			if utf8.Valid(b[:len(b)-cut]) {
				return zeros == 0 && high*2 < len(b)
			}
		}
		return false
	}
	return len(b) > 0 && (zeros == 0 || zeros == len(b)/2)
}

func dropZeros(b []byte) []byte {
	if bytes.IndexByte(b, 0) < 0 {
		return b
	}
	return bytes.ReplaceAll(b, []byte{0}, nil)
}

// encoded decodes runs and reports those with a credential inside, as a whole.
func (w *sweep) encoded(text []byte, found func(start, end, rule int)) {
	w.decoder.paid = 0
	encodedRuns(text, func(start, end int) {
		w.decoder.pay(start)
		from := start
		rule := w.inside(text[start:end], 0)
		for rule < 0 {
			// A run may be the last part of a path.
			i := bytes.IndexByte(text[from:end], '/')
			if i < 0 || end-from-i-1 < shortestRun {
				return
			}
			from += i + 1
			if stop := bytes.IndexByte(text[from:end], '/'); stop < 0 {
				rule = w.inside(text[from:end], 0)
			}
		}
		for end < len(text) && text[end] == '=' {
			end++
		}
		found(from, end, rule)
	})
}

// inside returns the rule of a credential that a run holds in one code or two, -1
// for none.
func (w *sweep) inside(run []byte, depth int) int {
	text, ok := w.decoder.read(depth, run)
	if !ok {
		return -1
	}
	w.inner.reset(w.engine, text)
	w.inner.run()
	if len(w.inner.hits) > 0 {
		return w.inner.hits[0].rule
	}
	rule := -1
	if depth+1 < deepestCode {
		encodedRuns(text, func(start, end int) {
			if rule < 0 {
				rule = w.inside(text[start:end], depth+1)
			}
		})
	}
	return rule
}
