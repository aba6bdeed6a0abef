package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
)

// longestStatement bounds how far a statement is read, in bytes: windows of a long text
// see as much of it.
const longestStatement = Reach / 2

// insertion hides secrets in "insert into t (name, password) values ('a', '...'), ...".
func (s *scan) insertion(start, end int) {
	open := s.until(end, '(')
	if open < 0 || start < s.statementDone {
		return
	}
	var named [mostCells]columnName
	columns, secrets, at := s.columns(open, named[:0])
	defer func() { s.statementDone = at }()
	for i := at; i < len(s.text) && (s.text[i] <= ' ' || s.text[i] == ')'); i++ {
		at = i + 1
	}
	if len(secrets) == 0 || len(s.text)-at < len("values") || !bytes.EqualFold(s.text[at:at+len("values")], []byte("values")) {
		return
	}
	at += len("values")
	for limit := min(len(s.text), end+longestStatement); ; {
		for at < limit && (s.text[at] <= ' ' || s.text[at] == ',') {
			at++
		}
		if at >= limit || s.text[at] != '(' {
			return
		}
		row, next := s.tuple(at, s.row)
		s.row, at = row, next+1
		if len(row) != len(columns) {
			return
		}
		for _, c := range secrets {
			from, to := row[c.index][0], row[c.index][1]
			if s.text[from-1] == '\'' && c.holds(s.text[from:to]) {
				s.found(ruleOf(c.is, false), from, to)
			}
		}
	}
}

// copied hides secrets in the rows of "COPY t (name, password) FROM stdin;", whose cells are
// set apart by tabs.
func (s *scan) copied(start, end int) {
	if start < s.statementDone {
		return
	}
	from, _ := s.line(start)
	open := bytes.LastIndexByte(s.text[from:start], '(')
	if open < 0 {
		return
	}
	var named [mostCells]columnName
	columns, secrets, _ := s.columns(from+open, named[:0])
	if len(secrets) == 0 {
		return
	}
	at := s.lineEnd(end) + 1
	// Windows of a long text need the line for the rows that follow.
	defer func() { s.tableAt, s.tableDone, s.statementDone = from, at-1, at }()
	for at < len(s.text) {
		next := s.lineEnd(at)
		row := s.cells(at, next, '\t', s.row)
		s.row = row
		if len(row) != len(columns) {
			return
		}
		for _, c := range secrets {
			if from, to := row[c.index][0], row[c.index][1]; c.holds(s.text[from:to]) {
				s.found(ruleOf(c.is, false), from, to)
			}
		}
		at = next + 1
	}
}

// columns reads the names in brackets, and which of them are names of secrets.
func (s *scan) columns(open int, list []columnName) (all [][2]int, secrets []columnName, end int) {
	all, end = s.tuple(open, s.heading)
	s.heading, s.headingBorder = all, 0
	for i, c := range all {
		name := s.text[c[0]:c[1]]
		if is := s.nameIn(name); is != secretname.NamesNothing && len(list) < mostCells {
			list = append(list, columnName{i, is, secretname.Strong(name)})
		}
	}
	return all, list, end
}

// until returns where a byte comes next behind the name of a table, -1 for nowhere.
func (s *scan) until(from int, c byte) int {
	i := bytes.IndexByte(s.text[from:min(len(s.text), from+longestCommand)], c)
	if i < 0 {
		return -1
	}
	return from + i
}

// tuple splits what stands in brackets at its commas. Quotes protect, and do not count. It
// returns where the closing bracket is, or where it gave up.
func (s *scan) tuple(open int, list [][2]int) (cells [][2]int, end int) {
	list = list[:0]
	from := open + 1
	add := func(to int) {
		a, b := from, to
		for a < b && (cellPadding(s.text[a]) || s.text[a] == '\n') {
			a++
		}
		for b > a && (cellPadding(s.text[b-1]) || s.text[b-1] == '\n') {
			b--
		}
		list = append(list, [2]int{a, b})
	}
	quote := byte(0)
	i := open + 1
	for limit := min(len(s.text), open+longestLine); i < limit && len(list) < mostCells; i++ {
		switch c := s.text[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == ',':
			add(i)
			from = i + 1
		case c == ')':
			add(i)
			return list, i
		}
	}
	return list, min(i, len(s.text))
}
