// Package hexdump reads what a dump of bytes shows: rows of hexadecimal digits, mostly
// between an offset and a column of characters, as xxd, hexdump -C, od and network tools
// write them.
package hexdump

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
)

// row is the most bytes that a row shows. Common are 16; more than 32 do not fit on a line.
const row = 32

// span is where something stands in the text.
type span struct{ start, end int }

// Dump is the bytes that consecutive rows show, and where each stands.
type Dump struct {
	Bytes      []byte
	Start, End int    // of its rows in the text
	digits     []span // of each byte
	signs      []span // of each byte in the column of characters; empty where there is none
	rows       []int  // the first byte of each row
}

func (d *Dump) reset() {
	d.Bytes, d.digits, d.signs, d.rows = d.Bytes[:0], d.digits[:0], d.signs[:0], d.rows[:0]
}

// Places appends where the bytes from (included) to (excluded) stand in the text, in order:
// of each row the digits, with the blanks between, and the characters. Of groups whose lower
// byte comes first the outermost may be there whole.
func (d *Dump) Places(from, to int, out [][2]int) [][2]int {
	for n, first := range d.rows {
		last := len(d.Bytes)
		if n+1 < len(d.rows) {
			last = d.rows[n+1]
		}
		if first, last = max(first, from), min(last, to); first >= last {
			continue
		}
		for _, column := range [][]span{d.digits[first:last], d.signs[first:last]} {
			all := column[0]
			for _, at := range column {
				all = span{min(all.start, at.start), max(all.end, at.end)}
			}
			if all.end > 0 {
				out = append(out, [2]int{all.start, all.end})
			}
		}
	}
	return out
}

// longestOffset is how many digits an offset has at most.
const longestOffset = 16

// shortest is the fewest bytes of a dump that is looked at: no credential is shorter.
const shortest = 16

// Each calls found for every dump in a text. The dump is valid during the call.
func Each(text []byte, d *Dump, found func()) {
	d.reset()
	flush := func() {
		if len(d.Bytes) >= shortest {
			found()
		}
		d.reset()
	}
	for at := 0; at < len(text); {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at
		}
		if !d.line(text, at, end) {
			flush()
		}
		at = end + 1
	}
	flush()
}

// line adds the bytes of the line from at to end, if it is a row of a dump.
func (d *Dump) line(text []byte, at, end int) bool {
	i := skip(text, at, end)
	if digits(text, i, min(end, i+1)) == 0 {
		return false // most lines
	}
	if i+2 < end && text[i] == '0' && text[i+1] == 'x' {
		i += 2
	}
	// An offset has more digits than a group, or a colon.
	first := digits(text, i, end)
	swapped, next := false, i
	switch {
	case first >= 4 && i+first < end && text[i+first] == ':':
		next = i + first + 1
	case first >= 4 && i+first < end && (text[i+first] == ' ' || text[i+first] == '\t'):
		next = i + first
		// Without a colon groups of four digits are numbers, the lower byte first.
		swapped = digits(text, skip(text, next, end), end) == 4
	case first == 2:
	default:
		return false
	}
	before := len(d.Bytes)
	size := 0 // digits of a group
	for {
		from := skip(text, next, end)
		n := digits(text, from, end)
		if n == 0 || n%2 != 0 || n > 8 || from+n < end && text[from+n] != ' ' && text[from+n] != '\t' && text[from+n] != '\r' {
			break
		}
		// hexdump -C and network tools leave two blanks in the middle of a row of pairs; others
		// have them before the characters, which may look like digits.
		gap := 1
		if size == 2 {
			gap = 2
		}
		if size != 0 && (from-next > gap || n > size) || len(d.Bytes)-before+n/2 > row {
			break
		}
		if size == 0 {
			size = n
		}
		for j := from; j < from+n; j += 2 {
			high, _ := ascii.Hex(text[j])
			low, _ := ascii.Hex(text[j+1])
			d.Bytes = append(d.Bytes, high<<4|low)
			d.digits = append(d.digits, span{j, j + 2})
		}
		if m := len(d.Bytes); swapped && n == 4 {
			d.Bytes[m-1], d.Bytes[m-2] = d.Bytes[m-2], d.Bytes[m-1]
			d.digits[m-1], d.digits[m-2] = d.digits[m-2], d.digits[m-1]
		}
		next = from + n
	}
	count := len(d.Bytes) - before
	if count < 2 && before == 0 || count == 0 || first == 2 && count < shortest/2 && before == 0 {
		d.Bytes, d.digits = d.Bytes[:before], d.digits[:before]
		return false
	}
	if before == 0 {
		d.Start = at
	}
	d.End = end
	d.rows = append(d.rows, before)
	d.column(text, next, end, before)
	return true
}

// column notes the column of characters behind the digits, if each byte has one there.
func (d *Dump) column(text []byte, at, end, before int) {
	count := len(d.Bytes) - before
	for at < end && end > 0 && text[end-1] == '\r' {
		end--
	}
	from := skip(text, at, end)
	if from < end && text[from] == '|' {
		from++
	}
	if end-from < count || !d.shows(text[from:from+count], before) {
		// Blanks may be signs themselves: count from the end of the line.
		last := end
		if last > at && text[last-1] == '|' {
			last--
		}
		if from = last - count; from < at || !d.shows(text[from:last], before) {
			for range count {
				d.signs = append(d.signs, span{})
			}
			return
		}
	}
	for n := range count {
		d.signs = append(d.signs, span{from + n, from + n + 1})
	}
}

// shows reports whether a column has the characters of the bytes from before on, with
// something else for those that cannot be shown.
func (d *Dump) shows(column []byte, before int) bool {
	for i, c := range column {
		if b := d.Bytes[before+i]; b > ' ' && b < 0x7f && b != c {
			return false
		}
	}
	return true
}

func skip(text []byte, at, end int) int {
	for at < end && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// digits counts the hexadecimal digits from at on, up to one more than an offset has.
func digits(text []byte, at, end int) int {
	n := 0
	for ; at+n < end && n <= longestOffset; n++ {
		if _, ok := ascii.Hex(text[at+n]); !ok {
			break
		}
	}
	return n
}
