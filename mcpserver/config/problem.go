package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Code names a kind of problem. A code is never reused for another kind.
type Code string

const (
	Unreadable Code = "CFG01" // the file cannot be read, or is too large
	Syntax     Code = "CFG02" // not YAML
	Unwanted   Code = "CFG03" // YAML features this file does not have: tags, anchors, a second document
	Duplicate  Code = "CFG04" // a key twice
	Unknown    Code = "CFG05" // an unknown key
	WrongType  Code = "CFG06" // a list for a word, and similar
	BadValue   Code = "CFG07" // a value the key does not accept
	Conflict   Code = "CFG08" // two settings that exclude each other
	SecretText Code = "CFG09" // a secret instead of its location
)

// Problem is one thing that is wrong, with its position and the fix.
type Problem struct {
	Code    Code   `json:"code"`
	Source  string `json:"source"` // the file, the environment variable or the flag
	Key     string `json:"key,omitempty"`
	Line    int    `json:"line,omitempty"`   // from 1; 0 outside of the file
	Column  int    `json:"column,omitempty"` // from 1, in characters
	Message string `json:"message"`
	Fix     string `json:"fix"`
}

// String returns one line, whatever the file contained.
func (p Problem) String() string {
	at := p.Source
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", p.Source, p.Line, p.Column)
	}
	key := ""
	if p.Key != "" {
		key = p.Key + ": "
	}
	return printable(fmt.Sprintf("%s: %s: %s%s; %s", at, p.Code, key, p.Message, p.Fix))
}

// printable escapes characters that would start a new line or move the cursor.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// Problems lists everything that is wrong, in the order of the text.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns the problems as an error, or nil if there are none.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// ReadAtAll reports whether the file is valid YAML, whatever its content.
func (ps Problems) ReadAtAll() bool {
	return !slices.ContainsFunc(ps, func(p Problem) bool { return p.Code == Unreadable || p.Code == Syntax })
}

func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	return ps
}

// flaw is what is wrong with one value, and the fix.
type flaw struct {
	code         Code
	message, fix string
}

func (f *flaw) Error() string { return f.message + "; " + f.fix }

func flawOf(err error) *flaw {
	var f *flaw
	if errors.As(err, &f) {
		return f
	}
	return &flaw{BadValue, err.Error(), "give another value"}
}
