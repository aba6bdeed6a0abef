package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain escapes the control characters of text written through it. Names, messages
// and log lines come from other people's tools: on a terminal an escape sequence
// could hide a line, retitle the window or forge earlier output.
type plain struct{ w io.Writer }

// forTerminals makes w plain if it is a terminal.
func forTerminals(w *os.File) io.Writer {
	if info, err := w.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return w
	}
	return plain{w}
}

func (p plain) Write(text []byte) (int, error) {
	if _, err := p.w.Write([]byte(spelledOut(string(text)))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// spelledOut writes control characters, and those that change the direction of
// text, as \u and four digits. Line ends and tabs stay.
func spelledOut(text string) string {
	if strings.IndexFunc(text, acts) < 0 {
		return text
	}
	var out strings.Builder
	for i, width := 0, 0; i < len(text); i += width {
		var r rune
		if r, width = utf8.DecodeRuneInString(text[i:]); acts(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteString(text[i : i+width]) // also bytes that are not UTF-8
		}
	}
	return out.String()
}

func acts(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}
