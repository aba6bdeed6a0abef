package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/joint"
)

// Limits of a table, in cells and in bytes of a line. Wider ones are read up to
// there.
const (
	mostCells   = 64
	longestLine = 8 << 10
)

// aligned is the border of columns that blanks alone set apart.
const aligned = ' '

// borderOf returns what may separate the cells of a table at a position.
func borderOf(c byte) byte {
	switch c {
	case ',', ';', '|', '\t':
		return c
	}
	return 0
}

// cell reports whether a name fills a cell of a table, by the border on its
// sides; 0 means no.
func (s *scan) cell(start, end int) byte {
	// Most names are followed by something else.
	i := end
	for i < len(s.text) && i-end < joint.LongestBorder && (s.text[i] == ' ' || s.text[i] == '"' || s.text[i] == '`' || s.text[i] == '*') {
		i++
	}
	var right byte
	switch {
	case i == len(s.text):
		return 0 // no row can follow
	case s.text[i] == '\n' || s.text[i] == '\r':
		right = '\n'
	case s.text[i] == 0xe2 && bytes.HasPrefix(s.text[i:], []byte("\u2502")):
		right = '|'
	default:
		if right = borderOf(s.text[i]); right == 0 {
			if i-end < 2 || s.text[end] != ' ' || s.text[end+1] != ' ' || s.text[i] == '=' || s.text[i] == ':' || bytes.HasPrefix(s.text[i:], []byte("REG_SZ ")) {
				return 0 // also if signs stand below one another, or the types of a registry
			}
			right = aligned
		}
	}
	j := start
	for j > 0 && start-j < joint.LongestBorder && (s.text[j-1] == ' ' || s.text[j-1] == '"' || s.text[j-1] == '`' || s.text[j-1] == '*') {
		j--
	}
	if (right == ',' || right == ';') && s.text[end] == '"' {
		j = s.quotedStart(j) // "Client secret"
	}
	if right == '|' || right == '\t' || right == aligned {
		j = s.cellStart(j) // "Client secret"
	}
	var left byte
	switch {
	case j == 0 || s.text[j-1] == '\n':
		left = '\n'
	case j >= 3 && s.text[j-1] == 0x82 && bytes.HasSuffix(s.text[:j], []byte("\u2502")):
		left = '|'
	default:
		if left = borderOf(s.text[j-1]); left == 0 {
			if start-j < 2 || s.text[j] != ' ' || s.text[j+1] != ' ' {
				return 0
			}
			left = aligned
		}
	}
	switch {
	case left == '\n' && right == '\n':
		return 0
	case left == '\n':
		return right
	case right == '\n', left == right:
		return left
	}
	return 0
}

// longestHeading bounds the words before a name in its cell, in bytes.
const longestHeading = 24

// cellStart skips words before a name in its cell, up to a border; it returns at if there is
// none.
func (s *scan) cellStart(at int) int {
	i := at
	for i > 0 && at-i < longestHeading && (nameSet.Has(s.text[i-1]) || s.text[i-1] == ' ' || s.text[i-1] == '*') {
		i--
	}
	if i == 0 || s.text[i-1] == '|' || s.text[i-1] == '\t' || s.text[i-1] == '\n' || bytes.HasSuffix(s.text[:i], []byte("\u2502")) {
		return i
	}
	return at
}

// quotedStart skips words before a name in its quoted cell; it returns at if there is no
// quotation mark.
func (s *scan) quotedStart(at int) int {
	i := at
	for i > 0 && at-i < longestHeading && (nameSet.Has(s.text[i-1]) || s.text[i-1] == ' ') {
		i--
	}
	if i > 0 && s.text[i-1] == '"' {
		return i - 1
	}
	return at
}

// line returns where the line around a position begins and ends.
func (s *scan) line(at int) (start, end int) {
	start = max(0, at-longestLine)
	if i := bytes.LastIndexByte(s.text[start:at], '\n'); i >= 0 {
		start += i + 1
	}
	return start, s.lineEnd(at)
}

func (s *scan) lineEnd(at int) int {
	end := min(len(s.text), at+longestLine)
	if i := bytes.IndexByte(s.text[at:end], '\n'); i >= 0 {
		end = at + i
	}
	return end
}

// cells splits a line at a border. Quotes protect commas; blanks, quotes and
// emphasis around a cell are not part of it.
func (s *scan) cells(start, end int, border byte, list [][2]int) [][2]int {
	list = list[:0]
	add := func(from, to int) {
		for from < to && cellPadding(s.text[from]) {
			from++
		}
		for to > from && cellPadding(s.text[to-1]) {
			to--
		}
		if cell := s.text[from:to]; len(cell) > 4 && bytes.HasPrefix(cell, []byte("**")) && bytes.HasSuffix(cell, []byte("**")) {
			from, to = from+2, to-2
		}
		list = append(list, [2]int{from, to})
	}
	from, quoted := start, false
	// Headings of a wiki begin with two bars, and cells of its rows are set apart by two.
	doubled := border == '|' && (bytes.HasPrefix(s.text[start:end], []byte("||")) || end-start > 2 && s.text[end-1] != '|' && bytes.Contains(s.text[start+1:end], []byte("||")))
	for i := start; i < end && len(list) < mostCells; i++ {
		c := s.text[i]
		switch {
		case c == '"' && (border == ',' || border == ';'):
			quoted = !quoted
		case quoted:
		case border == aligned:
			if c == '\t' || c == ' ' && i+1 < end && s.text[i+1] == ' ' {
				next := i
				for next < end && (s.text[next] == ' ' || s.text[next] == '\t') {
					next++
				}
				if i > from || len(list) > 0 {
					add(from, i)
				}
				from, i = next, next-1
			}
		case c == border:
			if doubled && i > start && s.text[i-1] == border {
				from = i + 1
				continue
			}
			add(from, i)
			from = i + 1
		case border == '|' && c == 0xe2 && bytes.HasPrefix(s.text[i:end], []byte("\u2502")):
			add(from, i)
			from = i + len("\u2502")
			i = from - 1
		}
	}
	add(from, end)
	return list
}

func cellPadding(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '"' || c == '`' || c == '\''
}

// ruler reports whether a line only draws: |---|:-:| or ─┼─.
func ruler(line []byte) bool {
	dashes := 0
	for _, c := range line {
		switch {
		case c == '-' || c == '=' || c == 0xe2:
			dashes++
		case c != '|' && c != ':' && c != '+' && c != ' ' && c != '\r' && c != '\t' && c < 0x80:
			return false
		}
	}
	return dashes > 0
}
