package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/joint"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
)

// longestRow bounds a row of a table in HTML, in bytes.
const longestRow = 4 << 10

// htmlTable hides the secrets in the columns that a row of <th> elements names.
// Every table is read once.
func (s *scan) htmlTable(at int) {
	if at < s.htmlDone {
		return
	}
	from := max(s.htmlDone, at-longestRow)
	row := bytes.LastIndex(s.text[from:at], []byte("<tr"))
	if row < 0 {
		s.htmlDone = max(s.htmlDone, at-len("<tr")+1) // nothing before is looked at again
		return
	}
	heading, end := s.htmlRow(from+row, "<th", s.heading)
	s.heading, s.headingBorder = heading, 0
	s.htmlDone = max(end, at)
	var named [mostCells]columnName
	columns := named[:0]
	for i, c := range heading {
		name := s.text[c[0]:c[1]]
		if is := s.nameIn(name); is != secretname.NamesNothing && len(columns) < mostCells {
			columns = append(columns, columnName{i, is, secretname.Strong(name)})
		}
	}
	for len(columns) > 0 {
		next := bytes.Index(s.text[end:min(len(s.text), end+joint.LongestBorder)], []byte("<tr"))
		if next < 0 {
			return
		}
		s.row, end = s.htmlRow(end+next, "<td", s.row)
		s.htmlDone = end
		if len(s.row) != len(heading) {
			return
		}
		for _, c := range columns {
			value := s.text[s.row[c.index][0]:s.row[c.index][1]]
			if secretname.Convincing(c.is, value) && !secretname.CodeWord(value, true) || c.strong && secretname.LettersOnly(value) && secretname.WordSecret(nil, value) {
				s.broken(ruleOf(c.is, false), s.row[c.index][0], s.row[c.index][1], secretname.NamesPassword)
			}
		}
	}
}

// htmlRow returns the texts of the cells of a row, and where the row ends.
func (s *scan) htmlRow(at int, cell string, list [][2]int) ([][2]int, int) {
	list = list[:0]
	end := min(len(s.text), at+longestRow)
	if i := bytes.Index(s.text[at:end], []byte("</tr")); i >= 0 {
		end = at + i + len("</tr")
	}
	for at < end && len(list) < mostCells {
		i := bytes.Index(s.text[at:end], []byte(cell))
		if i < 0 {
			break
		}
		at += i
		// The text of the cell is behind its tag and those within it.
		for at < end && s.text[at] == '<' {
			stop := bytes.IndexByte(s.text[at:end], '>')
			if stop < 0 {
				return list, end
			}
			if at++; s.text[at] == '/' {
				break // an empty cell
			}
			at += stop
		}
		from := at
		for at < end && s.text[at] != '<' {
			at++
		}
		to := at
		for from < to && cellPadding(s.text[from]) {
			from++
		}
		for to > from && cellPadding(s.text[to-1]) {
			to--
		}
		list = append(list, [2]int{from, to})
	}
	return list, end
}
