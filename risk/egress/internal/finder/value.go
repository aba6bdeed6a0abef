package finder

import (
	"bytes"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// value returns the value that starts at a position. One in quotes ends at the
// same quote; any other at a blank or bracket, and one in ASCII at a letter or
// mark of a script that is written without blanks.
func (s *scan) value(from int) (int, int) {
	end := from
	limit := min(len(s.text), from+longestValue)
	if from > 0 && from < len(s.text) && (s.text[from-1] == '"' || s.text[from-1] == '\'' || s.text[from-1] == '`') {
		quote := s.text[from-1]
		for end < limit && s.text[end] != quote && s.text[end] != '\n' && !(s.text[end] == '\\' && end+1 < limit && s.text[end+1] == quote) {
			end++
		}
		return from, end
	}
	plain := from < limit && s.text[from] < utf8.RuneSelf
	if !plain {
		limit = min(limit, from+secretname.LongestPassword)
	}
	for end < limit && (!valueEnd.Has(s.text[end]) || s.text[end] == '&' && !s.parameter(end+1) && !bytes.HasPrefix(s.text[end:], []byte("&nbsp;"))) && !(plain && s.foreign(end)) {
		end++
	}
	s.valueFrom, s.valueTo = from, end
	// Punctuation after the value belongs to the sentence. An exclamation mark is
	// as likely part of a password.
	for end > from && (s.text[end-1] == '.' || s.text[end-1] == ':' || s.text[end-1] == '?') {
		end--
	}
	if end-from > 2 && s.text[from] == '=' && s.text[end-1] == '=' && s.text[end-2] != '=' {
		from, end = from+1, end-1 // =verbatim= in Org
	}
	if emphasis := bytes.TrimRight(s.text[from:end], "*"); from+len(emphasis) < end-1 {
		end = from + len(emphasis)
	}
	return from, end
}

// foreign reports whether a character begins that no password of ASCII goes on
// with: anything but letters of the Latin alphabet, and quotation marks.
func (s *scan) foreign(at int) bool {
	c := s.text[at]
	if c < utf8.RuneSelf {
		return false
	}
	return c >= 0xca || c == 0xc2
}

// parameter reports whether a name and an equals sign follow, as after an
// ampersand between the parameters of a URL or form.
func (s *scan) parameter(at int) bool {
	end := at
	for limit := min(len(s.text), at+secretvalue.LongestName/2); end < limit && nameSet.Has(s.text[end]); {
		end++
	}
	return end > at && end < len(s.text) && s.text[end] == '='
}

// ends reports whether a value ends here as those of settings do: not at a
// bracket or comma of a program.
func (s *scan) ends(at int) bool {
	if at == len(s.text) {
		return true
	}
	switch s.text[at] {
	case '(', ')', ',', '.', '[', ']', '{':
		return false
	}
	return true
}

// restOfLine extends a password to the end of its line when that is made of what
// passwords contain: a setting's value may have brackets and ampersands.
func (s *scan) restOfLine(from, to int) int {
	if to == len(s.text) || from == 0 || s.text[to] <= ' ' || s.text[to] >= utf8.RuneSelf || bytes.IndexByte([]byte("&|<>()[]{};,"), s.text[to]) < 0 || s.text[from-1] == '"' || s.text[from-1] == '\'' || s.text[from-1] == '(' {
		return to
	}
	end := to
	for limit := min(len(s.text), from+secretname.LongestPassword); end < limit && s.text[end] > ' ' && s.text[end] < utf8.RuneSelf && bytes.IndexByte([]byte("\"'`=\\<"), s.text[end]) < 0; {
		end++
	}
	// Something has to follow the bracket, and the name has to begin the line.
	if end == len(s.text) || s.text[end] == '\n' || s.text[end] == '\r' {
		if last := s.text[end-1]; end-to > 1 && (pattern.Alnum.Has(last) || last == '!' || last == '#' || last == '*') && s.settingLine(from) {
			return end
		}
	}
	return to
}

// settingLine reports whether nothing but a name stands between the start of the
// line and a value.
func (s *scan) settingLine(from int) bool {
	signs := 0
	for i := from - 1; i >= 0 && from-i < secretvalue.LongestName && s.text[i] != '\n'; i-- {
		if c := s.text[i]; c == '=' || c == ':' {
			signs++
		} else if !nameSet.Has(c) && c != ' ' {
			return false
		}
	}
	return signs == 1
}
