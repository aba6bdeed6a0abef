package audit

import (
	"bytes"
	"crypto/sha256"
	"os"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// lineReader reads lines of a file by their place.
type lineReader struct {
	file     *os.File
	size     int64 // of what may be read
	backward bool
	many     bool // most lines are read, one beside the other

	text []byte
	from int64 // where text begins in the file
}

// readAhead is how much is read at once when most lines are wanted, in bytes.
const readAhead = 1 << 20

// read returns a line. It holds until the next call.
func (l *lineReader) read(offset int64, size int) ([]byte, error) {
	end := offset + int64(size)
	if l.many && (offset < l.from || end > l.from+int64(len(l.text))) {
		from, to := offset, min(l.size, max(end, offset+readAhead))
		if l.backward {
			from, to = max(0, min(offset, end-readAhead)), end
		}
		if err := l.fill(from, int(to-from)); err != nil {
			return nil, err
		}
	} else if !l.many {
		if err := l.fill(offset, size); err != nil {
			return nil, err
		}
	}
	return l.text[offset-l.from:][:size], nil
}

func (l *lineReader) fill(from int64, size int) error {
	l.from, l.text = from, slices.Grow(l.text[:0], size)[:size]
	_, err := l.file.ReadAt(l.text, from)
	return err
}

// needle is a text that a search looks for in lines.
type needle struct {
	spellings [][]byte // in lower case; none fits everything
	lower     []byte   // reused
}

// needleOf takes a text as somebody has typed it: in the file, it may be written with the
// escapes of JSON.
func needleOf(text string) (n needle) {
	if text == "" {
		return n
	}
	n.spellings = [][]byte{lowered(nil, []byte(text))}
	if quoted, err := jsontext.AppendQuote(nil, text); err == nil {
		if inner := lowered(nil, quoted[1:len(quoted)-1]); !bytes.Equal(inner, n.spellings[0]) {
			n.spellings = append(n.spellings, inner)
		}
	}
	return n
}

// in reports whether the text stands in the record of a line. The hashes around the record
// are not part of it.
func (n *needle) in(line []byte) bool {
	if len(n.spellings) == 0 {
		return true
	}
	const before = len(prevField) + 2*sha256.Size + len(formField)
	rest, ok := bytes.CutPrefix(line, []byte(seqField))
	if _, rest = leadingNumber(rest); !ok || len(rest) < before+tailLength {
		return false
	}
	n.lower = lowered(n.lower[:0], rest[before:len(rest)-tailLength])
	return slices.ContainsFunc(n.spellings, func(s []byte) bool { return bytes.Contains(n.lower, s) })
}

// lowered appends a text with the letters A to Z in lower case.
func lowered(to, text []byte) []byte {
	from := len(to)
	to = append(to, text...)
	for i, c := range to[from:] {
		if c >= 'A' && c <= 'Z' {
			to[from+i] = c + 'a' - 'A'
		}
	}
	return to
}
