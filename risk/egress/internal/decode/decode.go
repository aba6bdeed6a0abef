// Package decode finds runs of base64, base32 and hexadecimal digits in a text and reads
// what they hold, gzip within a budget.
package decode

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"io"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
)

// Bounds of decoding, in bytes and layers.
const (
	// ShortestRun is the least length of base64 or hexadecimal that is decoded: the
	// shortest token worth finding has 16 bytes.
	ShortestRun = 24
	// DeepestCode is how many codes may lie on top of each other. Each makes what is
	// below it shorter, so that two cost less than twice the text.
	DeepestCode = 2
	// MostInflated is the full budget for decompressed bytes; each byte read on in the
	// text refills it by one. A credential needs a few hundred bytes.
	MostInflated = 64 << 10
)

// TokenSet is what tokens and their encodings are made of.
var TokenSet = pattern.NewSet("0-9A-Za-z+/=_.~%:-")

// EncodedRuns calls found for every run of base64 or hexadecimal digits of at
// least shortestRun bytes. It looks at one byte in shortestRun where there is
// none.
func EncodedRuns(text []byte, found func(start, end int)) {
	for i := ShortestRun - 1; i < len(text); {
		if !pattern.Base64.Has(text[i]) {
			i += ShortestRun
			continue
		}
		start := i
		for start > 0 && i-start < ShortestRun && pattern.Base64.Has(text[start-1]) {
			start--
		}
		end := i + 1
		for end < len(text) && pattern.Base64.Has(text[end]) {
			end++
		}
		if end-start >= ShortestRun {
			found(start, end)
		}
		i = end + ShortestRun
	}
}

// Decoder reads codes. Its buffers are for use again.
type Decoder struct {
	layer    [DeepestCode][]byte
	inflated []byte
	gzip     gzip.Reader
	flate    io.ReadCloser // nil until it is needed
	Budget   int           // what may still be inflated
	Paid     int           // the place up to which the text has paid for that
}

// Pay adds the text up to a place to the budget for inflating.
func (d *Decoder) Pay(at int) {
	if at > d.Paid {
		d.Budget = min(MostInflated, d.Budget+at-d.Paid)
	}
	d.Paid = at
}

// Read returns what a run means as hexadecimal, base64 or base32, unpacked if it
// is compressed. It fails for anything but text.
func (d *Decoder) Read(depth int, run []byte) ([]byte, bool) {
	buffer := &d.layer[depth]
	for _, code := range [...]func(dst, run []byte) ([]byte, bool){decodeHex, decodeAnyBase64, decodeBase32} {
		var ok bool
		*buffer, ok = code((*buffer)[:0], run[:min(len(run), 48)])
		if !ok || !IsText(*buffer) && !packed(*buffer) {
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

// packed reports whether data begins like a file of gzip or a stream of zlib.
func packed(data []byte) bool {
	return len(data) > 18 && (data[0] == 0x1f && data[1] == 0x8b && data[2] == 8 || zlibbed(data))
}

// zlibbed reports whether data begins like a stream of zlib with a window of 32 KiB.
func zlibbed(data []byte) bool {
	return data[0] == 0x78 && (data[1] == 0x01 || data[1] == 0x5e || data[1] == 0x9c || data[1] == 0xda)
}

// open makes a reader of what is packed.
func (d *Decoder) open(data []byte) (io.Reader, error) {
	if !zlibbed(data) {
		return &d.gzip, d.gzip.Reset(bytes.NewReader(data))
	}
	const header = 2
	in := bytes.NewReader(data[header:])
	if d.flate == nil {
		d.flate = flate.NewReader(in)
		return d.flate, nil
	}
	return d.flate, d.flate.(flate.Resetter).Reset(in, nil)
}

// inflate unpacks as much as the budget allows. A stream that is cut off is read
// as far as it goes.
func (d *Decoder) inflate(data []byte) ([]byte, bool) {
	if d.Budget <= 0 {
		return nil, false
	}
	in, err := d.open(data)
	if err != nil {
		return nil, false
	}
	if cap(d.inflated) == 0 {
		d.inflated = make([]byte, MostInflated)
	}
	n, err := io.ReadFull(in, d.inflated[:min(d.Budget, MostInflated)])
	d.Budget -= n + 256 // starting costs as much as a few lines
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF && n == 0 {
		return nil, false
	}
	return d.inflated[:n], IsText(d.inflated[:min(n, 64)])
}

func decodeHex(dst, run []byte) ([]byte, bool) {
	dst, err := hex.AppendDecode(dst, run[:len(run)&^1])
	return dst, err == nil && len(run)%2 == 0
}

// decodeAnyBase64 leaves out a last character that is no whole byte: a length of
// 4n+1 is not base64, and what follows the last whole group is part of something
// else.
func decodeAnyBase64(dst, run []byte) ([]byte, bool) {
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	return DecodeBase64(dst, run)
}

func decodeBase32(dst, run []byte) ([]byte, bool) {
	upper := true
	for _, c := range run {
		switch {
		case ascii.IsUpper(c) || '2' <= c && c <= '7':
		case ascii.IsLower(c):
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

// IsText reports whether bytes are printable: ASCII, UTF-8 that may be cut off at
// its end, or UTF-16, in which every second byte is zero.
func IsText(b []byte) bool {
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

// DecodeBase64 reads either alphabet, with or without padding.
func DecodeBase64(dst, text []byte) ([]byte, bool) {
	for len(text) > 0 && text[len(text)-1] == '=' {
		text = text[:len(text)-1]
	}
	enc := base64.RawStdEncoding
	if bytes.IndexByte(text, '-') >= 0 || bytes.IndexByte(text, '_') >= 0 {
		enc = base64.RawURLEncoding
	}
	dst, err := enc.AppendDecode(dst, text)
	return dst, err == nil
}
