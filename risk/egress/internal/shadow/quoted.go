package shadow

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
)

// Unwrap writes a text without the line breaks and codes of quoted-printable (RFC 2045,
// section 6.7): an equals sign at the end of a line, and =3D. It reports whether anything
// changed. Lines that end with the padding of base64 are no such text, so there has to be
// a code and a full line, the name of the encoding, or a word that is broken twice.
func (d *Shadow) Unwrap(text []byte) bool {
	d.reset()
	d.original = text
	if !bytes.Contains(text, []byte("=\n")) && !bytes.Contains(text, []byte("=\r\n")) && !bytes.Contains(text, []byte("=3D")) {
		return false
	}
	named := bytes.Contains(bytes.ToLower(text), []byte("quoted-printable"))
	for at := 0; at < len(text); {
		p := paragraph(text, at)
		if p.breaks > 0 && (p.codes && p.full || named || p.word) || p.codes && named {
			d.unwrap(text, at, p.end)
			d.Unwrapped = append(d.Unwrapped, [2]int{at, p.end})
		} else {
			d.addRun(text[at:p.end], at)
		}
		at = p.end
	}
	d.close(len(text))
	return len(d.Unwrapped) > 0
}

// wrapped is a line with those that it goes on in.
type wrapped struct {
	end    int  // behind the last line's end
	breaks int  // lines that go on
	codes  bool // there are codes
	full   bool // the first line was broken because it was full
	word   bool // one word is broken twice or more, at the same width
}

// fullLine is how long a line is that was broken because it was full, in bytes: writers of
// mails break at 76 or a little before.
const fullLine = 60

// width is how much the lengths of the lines of a broken word may differ, in bytes: a
// code is not broken.
const width = 2

func paragraph(text []byte, at int) wrapped {
	p := wrapped{end: at, word: true}
	first := 0 // length of the first line that is a part of a word as a whole
	for p.end < len(text) {
		from, stop := p.end, len(text)
		if n := bytes.IndexByte(text[p.end:], '\n'); n >= 0 {
			stop = p.end + n
		}
		p.end = min(stop+1, len(text))
		line := bytes.TrimSuffix(text[from:stop], []byte("\r"))
		soft := len(line) > 1 && line[len(line)-1] == '=' && stop < len(text)
		if soft {
			line = line[:len(line)-1]
		}
		codes, ok := coded(line)
		if !ok {
			return wrapped{end: p.end}
		}
		p.codes = p.codes || codes
		p.full = p.full || soft && p.breaks == 0 && len(line) >= fullLine
		if p.breaks > 0 && soft {
			if first == 0 {
				first = len(line)
			}
			p.word = p.word && max(first-len(line), len(line)-first) <= width && !bytes.ContainsFunc(line, func(r rune) bool { return r > 0x7f || !decode.TokenSet.Has(byte(r)) })
		}
		if !soft {
			break
		}
		p.breaks++
	}
	p.word = p.word && p.breaks > 1
	return p
}

// coded reports whether a line has codes, and whether every equals sign in it begins one.
func coded(line []byte) (codes, ok bool) {
	for i := bytes.IndexByte(line, '='); i >= 0; {
		if i+2 >= len(line) || !upperHex(line[i+1]) || !upperHex(line[i+2]) {
			return false, false
		}
		codes = true
		next := bytes.IndexByte(line[i+3:], '=')
		if next < 0 {
			break
		}
		i += 3 + next
	}
	return codes, true
}

func upperHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' }

func (d *Shadow) unwrap(text []byte, at, end int) {
	for at < end {
		rest := text[at:end]
		if rest[0] != '=' {
			n := bytes.IndexByte(rest, '=')
			if n < 0 {
				n = len(rest)
			}
			d.addRun(rest[:n], at)
			at += n
			continue
		}
		switch {
		case len(rest) > 1 && rest[1] == '\n':
			at += 2
		case len(rest) > 2 && rest[1] == '\r' && rest[2] == '\n':
			at += 3
		default:
			if b, ok := hexByte(rest[1:]); ok {
				d.add(b, at)
				at += 3
				continue
			}
			d.add('=', at)
			at++
		}
	}
}
