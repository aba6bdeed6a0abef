// Package shown makes HTML of texts that somebody hostile may have written: names and
// descriptions of tools, arguments, results, names of servers and callers.
//
//	Text   one line or several, cut at a length
//	JSON   a JSON value, indented, with what changed since another one
//	Document  a JSON value with passages marked that something was found in
//	Numbered  a text with line numbers
//	Short     one of many rows
//	Ink       many texts that share one limit
//	Plain  the same as Text, as text for an attribute
//	Cut    the text itself, shortened
//
// A text stays a text: nothing in it becomes an element, an attribute or a link.
// Characters that nobody sees or that change the direction of reading are written as
// their number and marked. What is cut is said, with the size of the whole.
package shown

import (
	"fmt"
	"html"
	"html/template"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/glovebox-run/glovebox/risk/unseen"
)

const (
	// Line is how much of a text is shown in a list, in bytes.
	Line = 300
	// Block is how much is shown of a text that a page is about.
	Block = 8 << 10
	// Beside is how much stands beside others, such as a reason in a list.
	Beside = 160
	// Cell is how much of a text stands in one cell of a long table.
	Cell = 90
	// maxMarks bounds the marked characters of one text: of a megabyte of invisible
	// characters the first ones say enough, and each takes 75 bytes of the page.
	maxMarks = 60
)

// Text returns a text of at most so many bytes, on one line.
func Text(s string, most int) template.HTML { return write(s, most, false) }

// Lines is Text with the line breaks and tabs of the text.
func Lines(s string, most int) template.HTML { return write(s, most, true) }

// Plain returns a text for an attribute or a title: characters spelled out, on one line,
// cut at so many bytes.
func Plain(s string, most int) string {
	short, whole := cut(s, most)
	if !whole {
		short += "…"
	}
	return unseen.Spell(short)
}

func write(s string, most int, lines bool) template.HTML {
	short, whole := cut(s, most)
	marks := maxMarks
	return limited(short, whole, len(s), lines, &marks)
}

// limited writes a text that was cut to size. marks is how many characters it may still
// mark.
func limited(short string, whole bool, size int, lines bool, marks *int) template.HTML {
	var b strings.Builder
	from := 0
	for i, r := range short {
		_, wide := utf8.DecodeRuneInString(short[i:])
		invalid := r == utf8.RuneError && wide == 1
		if !invalid && unseen.Visible(r) || lines && (r == '\n' || r == '\t') {
			continue
		}
		b.WriteString(html.EscapeString(short[from:i]))
		from = i + wide
		if *marks--; *marks < 0 {
			whole, from = false, len(short)
			break
		}
		if invalid {
			fmt.Fprintf(&b, `<mark class="unseen" title="not UTF-8">0x%02X</mark>`, short[i])
		} else {
			fmt.Fprintf(&b, `<mark class="unseen" title="a character that is not seen">U+%04X</mark>`, r)
		}
	}
	b.WriteString(html.EscapeString(short[from:]))
	if !whole {
		fmt.Fprintf(&b, ` <span class="cut">… cut, %s in all</span>`, Size(size))
	}
	// Escaped above, character by character; no other bytes of the text are in it.
	return template.HTML(b.String())
}

// Cut shortens a text to at most so many bytes and says what was left out.
func Cut(s string, most int) string {
	short, whole := cut(s, most)
	if !whole {
		short += " … cut, " + Size(len(s)) + " in all"
	}
	return short
}

// Ink is what is left for the texts of one page, so that many of them do not make it long.
type Ink struct{ bytes, marks int }

// NewInk is enough for texts of so many bytes together; what comes later is cut.
func NewInk(bytes int) *Ink { return &Ink{bytes, 2 * maxMarks} }

// Text is [Text] with what is left.
func (k *Ink) Text(s string, most int) template.HTML { return k.write(s, most, false) }

// Lines is [Lines] with what is left.
func (k *Ink) Lines(s string, most int) template.HTML { return k.write(s, most, true) }

func (k *Ink) write(s string, most int, lines bool) template.HTML {
	short, whole := cut(s, min(most, max(k.bytes, Brief/4)))
	k.bytes -= len(short)
	return limited(short, whole, len(s), lines, &k.marks)
}

// cut shortens a text without cutting a character.
func cut(s string, most int) (short string, whole bool) {
	if len(s) <= most {
		return s, true
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most], false
}

// Size writes a number of bytes for people.
func Size(n int) string { return humanize.IBytes(uint64(max(n, 0))) }
