package jsengine

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/guest/prelude"
)

// Place is a line and a column in a program, from 1 and in characters.
type Place struct{ Line, Column int }

// Unserved returns the places in a program's code where the result of a response's body
// reader is used both as a value and as a promise, which no reader can serve.
func Unserved(code string) (all []Place) {
	for _, at := range prelude.UseOf(code).Unserved {
		all = append(all, Place(at))
	}
	return all
}

// placeIn sets the position of a syntax error in the program. QuickJS counts
// columns in bytes, and from the wrong line for a token that spans lines.
func (f *Failure) placeIn(body, file string) {
	first, rest, _ := strings.Cut(f.Stack, "\n")
	line, column, found := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(first, "at "), file+":"), ":")
	l, err1 := strconv.Atoi(line)
	c, err2 := strconv.Atoi(column)
	if !found || err1 != nil || err2 != nil || l < 1 {
		return
	}
	lines := strings.Split(body, "\n")
	switch {
	case l > len(lines):
		// The unexpected token is the brace that ends the wrapper.
		f.Message = "the code ends too early: a bracket is not closed, or one is closed that was not opened"
		l = len(lines)
		c = len(lines[l-1]) + 1
	case strings.HasSuffix(f.Message, "end of comment"):
		c = strings.LastIndex(lines[l-1], "/*") + 1
	case c < 1:
		c = strings.LastIndex(lines[l-1], "`") + 1
	}
	text := lines[l-1]
	c = min(max(c, 1), len(text)+1)
	f.Place = Place{l, utf8.RuneCountInString(text[:c-1]) + 1}
	f.Stack = fmt.Sprintf("at %s:%d:%d", file, f.Place.Line, f.Place.Column)
	if rest != "" {
		f.Stack += "\n" + rest
	}
}
