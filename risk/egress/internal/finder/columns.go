package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

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
