package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/joint"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
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
			if i-end < 2 || s.text[end] != ' ' || s.text[i] == '=' || s.text[i] == ':' {
				return 0 // also if signs stand below one another
			}
			right = aligned
		}
	}
	j := start
	for j > 0 && start-j < joint.LongestBorder && (s.text[j-1] == ' ' || s.text[j-1] == '"' || s.text[j-1] == '`' || s.text[j-1] == '*') {
		j--
	}
	if right == '|' || right == '\t' {
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
	if i > 0 && (s.text[i-1] == '|' || s.text[i-1] == '\t') || bytes.HasSuffix(s.text[:i], []byte("\u2502")) {
		return i
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
	doubled := border == '|' && bytes.HasPrefix(s.text[start:end], []byte("||")) // headings of a wiki
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

// columnName is a column of secrets.
type columnName struct {
	index  int
	is     secretname.Naming
	strong bool
}

// holds reports whether a cell of the column is a secret.
func (c columnName) holds(value []byte) bool {
	return secretname.Convincing(c.is, value) && !secretname.CodeWord(value, true) || c.strong && secretname.LettersOnly(value) && secretname.WordSecret(nil, value)
}

// column looks at a name that fills a cell: the value is in the next cell, or in
// the same column of the rows below.
func (s *scan) column(start, end int, is secretname.Naming, border byte) {
	from, to := s.headingAt, s.headingEnd
	if s.headingBorder != border || start < from || to <= start {
		from, to = s.line(start)
		s.headingAt, s.headingEnd, s.headingBorder = from, to, border
		s.heading = s.cells(from, to, border, s.heading)
	}
	row := s.heading
	own := -1
	for i, c := range row {
		if c[0] <= start && end <= c[1] {
			own = i
		}
	}
	if own < 0 {
		return
	}
	var next []byte
	if own+1 < len(row) {
		if next = s.text[row[own+1][0]:row[own+1][1]]; !secretname.HasDigit(next) && secretvalue.Pronounced(next) >= 4 || len(next) < 6 {
			next = nil
		}
	}
	if next == nil && (from < s.tableDone || len(row) < 2) {
		return
	}
	if is == secretname.NamesUnknown {
		is = secretname.Classify(s.text[start:end])
	}
	if is == secretname.NamesNothing {
		return
	}
	if next != nil && (is == secretname.NamesPassword && secretname.Convincing(is, next) && (secretname.HasDigit(next) || !secretvalue.Identifier(next)) || is != secretname.NamesPassword && secretname.Convincing(is, next) && secretvalue.Random(next)) && secretname.Classify(next) == secretname.NamesNothing {
		s.broken(ruleOf(is, false), row[own+1][0], row[own+1][1], is)
		return
	}
	if from < s.tableDone || len(row) < 2 {
		return
	}
	s.table(from, to, border, row)
}

// table hides the secrets in the rows below a line of names.
func (s *scan) table(from, to int, border byte, header [][2]int) {
	s.tableDone = to
	var named [mostCells]columnName
	columns := named[:0]
	for i, c := range header {
		name := s.text[c[0]:c[1]]
		if len(name) > secretvalue.LongestName/2 {
			return
		}
		if is := s.nameIn(name); is != secretname.NamesNothing && len(columns) < mostCells {
			columns = append(columns, columnName{i, is, secretname.Strong(name)})
		}
	}
	if len(columns) > 0 {
		s.tableAt = from
	}
	for at := to + 1; at < len(s.text); {
		end := s.lineEnd(at)
		if ruler(s.text[at:end]) || at == to+1 && len(bytes.TrimSpace(s.text[at:end])) == 0 {
			at = end + 1
			continue
		}
		row := s.cells(at, end, border, s.row)
		if border == aligned && len(row) != len(header) {
			row = s.words(at, end, row)
		}
		s.row = row
		if len(row) != len(header) {
			return
		}
		for _, c := range columns {
			cell := row[c.index]
			if c.holds(s.text[cell[0]:cell[1]]) {
				s.broken(ruleOf(c.is, false), cell[0], cell[1], secretname.NamesPassword)
			}
		}
		s.tableDone = end
		at = end + 1
	}
}

// words splits a line at every blank.
func (s *scan) words(start, end int, list [][2]int) [][2]int {
	list = list[:0]
	for i := start; i < end && len(list) <= mostCells; {
		for i < end && cellPadding(s.text[i]) {
			i++
		}
		from := i
		for i < end && !cellPadding(s.text[i]) {
			i++
		}
		if i > from {
			list = append(list, [2]int{from, i})
		}
	}
	return list
}

// nameIn classifies the text of a cell, in any language.
func (s *scan) nameIn(name []byte) secretname.Naming {
	is := secretname.NamesNothing
	s.engine.each(name, func(u *use, _, _ int) {
		if u.role == rolePhrase && is == secretname.NamesNothing {
			is = u.phrase.is
		}
	})
	if is == secretname.NamesNothing {
		is = secretname.Classify(name)
	}
	if bytes.EqualFold(name, []byte("pass")) {
		is = secretname.NamesPassword // above a column there is nothing else that it could be
	}
	if is == secretname.NamesHeader || is == secretname.NamesCookie || is == secretname.NamesPhrase {
		return secretname.NamesNothing
	}
	return is
}
