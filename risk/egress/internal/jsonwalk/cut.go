package jsonwalk

import (
	"slices"
	"unicode/utf8"
)

// Cut returns the beginning of a JSON text, of at most so many bytes before the quotes
// and brackets that close what is open there, and reports whether there is one: a string
// that may hold JSON of its own is not cut, nor is what is not JSON up to there. What a
// leaf of the beginning means depends on nothing that is left out.
func Cut(text []byte, size int) ([]byte, bool) {
	part := text[:min(size, len(text))]
	var w Walker
	end := 0
	w.Walk(part, func(l Leaf) {
		if l.Kind != LeafKey && l.End < len(part) { // a number may go on
			end = l.End
		}
	})
	quote := w.insideValue()
	if quote {
		if end = wholeCharacters(part, w.Pos+1); end < 0 {
			return nil, false
		}
	} else {
		w = Walker{}
		part = part[:end]
		w.Walk(part, func(Leaf) {})
		if w.Pos < end {
			return nil, false // not JSON
		}
	}
	cut := slices.Clone(part[:end])
	if quote {
		cut = append(cut, '"')
	}
	for _, f := range slices.Backward(w.Open) {
		if f.Object {
			cut = append(cut, '}')
		} else {
			cut = append(cut, ']')
		}
	}
	return cut, end > 0
}

// insideValue reports whether a walk has ended at a string that is a value.
func (w *Walker) insideValue() bool {
	if w.Pos >= len(w.Data) || w.Data[w.Pos] != '"' {
		return false
	}
	if len(w.Open) == 0 || !w.Open[len(w.Open)-1].Object {
		return true
	}
	at := w.Pos - 1
	for at > 0 && (w.Data[at] == ' ' || w.Data[at] == '\n' || w.Data[at] == '\t' || w.Data[at] == '\r') {
		at--
	}
	return w.Data[at] == ':'
}

// wholeCharacters returns where the last whole character ends of a string that goes on,
// from its first one on; negative when the string may be JSON or is none of JSON.
func wholeCharacters(part []byte, first int) int {
	for n := first; n < len(part); n++ {
		if c := part[n]; c == '{' || c == '[' || c == '\\' {
			return -1
		} else if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			break
		}
	}
	end := first
	for end < len(part) {
		step := 1
		switch c := part[end]; {
		case c == '\\' && end+1 < len(part) && part[end+1] == 'u':
			step = len(`\u0000`)
		case c == '\\':
			step = 2
		case c < ' ':
			return -1
		case c >= utf8.RuneSelf:
			_, step = utf8.DecodeRune(part[end:])
			if !utf8.FullRune(part[end:]) {
				return end
			}
		}
		if end+step > len(part) {
			break
		}
		end += step
	}
	return end
}
