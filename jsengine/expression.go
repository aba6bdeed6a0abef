package jsengine

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxExpression bounds the text of an expression in a failure, in bytes.
const maxExpression = 80

// explain names what an error is about: QuickJS says only "not a function".
func (f *Failure) explain(file, body string) {
	if f.Kind != Exception || f.Stack == "" {
		return
	}
	top, rest, _ := strings.Cut(f.Stack, "\n")
	native := strings.HasSuffix(top, "(native)")
	if native {
		top, _, _ = strings.Cut(rest, "\n")
	}
	at, ok := offsetIn(body, file, top)
	if !ok {
		return
	}
	if r, _ := utf8.DecodeRuneInString(body[at+1:]); body[at] < utf8.RuneSelf && r >= utf8.RuneSelf {
		at++ // QuickJS gives a name that begins with such a character one column less
	}
	f.Expression = expressionAt(body, at)
	if f.Name != "TypeError" || f.Message != "not a function" || f.Expression == "" {
		return
	}
	constructed, isNew := strings.CutPrefix(f.Expression, "new ")
	switch {
	case native:
		f.Message = f.Expression + " was given something that is not a function"
	case isNew:
		f.Message = constructed + " is not a constructor"
	default:
		f.Message = f.Expression + " is not a function"
	}
}

// offsetIn is where in the body a frame of a stack points: "at f (file:line:column)".
func offsetIn(body, file, frame string) (int, bool) {
	_, place, found := strings.Cut(frame, "("+file+":")
	if !found {
		return 0, false
	}
	line, column, found := strings.Cut(strings.TrimSuffix(place, ")"), ":")
	l, err1 := strconv.Atoi(line)
	c, err2 := strconv.Atoi(column)
	if !found || err1 != nil || err2 != nil || l < 1 || c < 1 {
		return 0, false
	}
	at := 0
	for ; l > 1; l-- {
		next := strings.IndexByte(body[at:], '\n')
		if next < 0 {
			return 0, false
		}
		at += next + 1
	}
	for ; c > 1; c-- { // columns count characters
		if at >= len(body) || body[at] == '\n' {
			return 0, false
		}
		_, size := utf8.DecodeRuneInString(body[at:])
		at += size
	}
	return at, at < len(body)
}

// expressionAt returns the name at an offset together with the object it is a
// member of and what follows up to a call. It is for people: text in parentheses
// is left out, and an expression that is no such name gives "".
func expressionAt(body string, at int) string {
	end := at + wordAt(body[at:])
	if end == at {
		return ""
	}
	if body[at:end] == "new" {
		rest := strings.TrimLeft(body[end:], " \t")
		length := 0
		for length < len(rest) && (rest[length] == '.' || wordAt(rest[length:]) > 0) {
			length += max(1, wordAt(rest[length:]))
		}
		if length == 0 || length > maxExpression {
			return ""
		}
		return "new " + rest[:length]
	}
	for end < len(body) && body[end] == '[' { // a[b](), which points at a
		length := strings.IndexByte(body[end:], ']')
		if length < 0 || length > maxExpression {
			break
		}
		end += length + 1
	}
	name := body[at:end]
	if len(name) > maxExpression {
		return ""
	}
	if owner := ownerBefore(body[:at]); len(owner)+len(name) <= maxExpression {
		return owner + name
	}
	return name
}

// ownerBefore is the text a member's name follows, with its dot: "a.b(…)." of
// "a.b(1).".
func ownerBefore(text string) string {
	var parts []string
	for size := 0; size <= maxExpression; {
		text = strings.TrimRightFunc(text, unicode.IsSpace)
		dot := "."
		switch {
		case strings.HasSuffix(text, "?."):
			dot = "?."
		case !strings.HasSuffix(text, "."), strings.HasSuffix(text, ".."):
			return joinReversed(parts)
		}
		text = strings.TrimRightFunc(text[:len(text)-len(dot)], unicode.IsSpace)
		part := dot
		for {
			open := openingBefore(text)
			if open < 0 {
				break
			}
			inside := text[open:]
			if inside[0] == '(' && inside != "()" {
				inside = "(…)"
			}
			part, text = inside+part, text[:open]
		}
		word := text[len(text)-wordBefore(text):]
		text = text[:len(text)-len(word)]
		part = word + part
		if part == dot {
			return joinReversed(parts)
		}
		parts = append(parts, part)
		size += len(part)
	}
	return joinReversed(parts)
}

func joinReversed(parts []string) string {
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return b.String()
}

// openingBefore is the index of the bracket that matches the closing one at the
// end of text, or -1. Brackets in strings are not told apart; the text is short.
func openingBefore(text string) int {
	if !strings.HasSuffix(text, ")") && !strings.HasSuffix(text, "]") {
		return -1
	}
	depth := 0
	for i := len(text) - 1; i >= 0 && len(text)-i < 4*maxExpression; i-- {
		switch text[i] {
		case ')', ']':
			depth++
		case '(', '[':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// wordAt is the length of the identifier or keyword at the start of text.
func wordAt(text string) int {
	for i, r := range text {
		if !inWord(r) && (i > 0 || r != '#') {
			return i
		}
	}
	return len(text)
}

func wordBefore(text string) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeLastRuneInString(text[:len(text)-n])
		if !inWord(r) && r != '#' {
			break
		}
		n += size
	}
	return n
}

func inWord(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
