package shown

import (
	"html/template"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
)

// Difference returns the members in which two JSON values differ, with what is gone and
// what is new in each.
func Difference(now, before []byte) template.HTML {
	is, whole := leaves(now)
	was, wholeBefore := leaves(before)
	var b strings.Builder
	b.WriteString(`<dl class="json">`)
	ink, n := NewInk(4*Block), 0
	row := func(class, path string, value string) {
		n++
		b.WriteString(`<div class="` + class + `"><dt>` + string(ink.Text(path, Line)) + `</dt><dd>` + value + `</dd></div>`)
	}
	for _, l := range is {
		i := slices.IndexFunc(was, func(w leaf) bool { return w.pointer == l.pointer })
		switch {
		case i < 0:
			row("new", l.path, `<ins>`+string(clipped(l.value, ink))+`</ins> <span class="note">new</span>`)
		case was[i].raw != l.raw:
			row("changed", l.path, changed(was[i].value, l.value, ink))
		}
	}
	for _, w := range was {
		if !slices.ContainsFunc(is, func(l leaf) bool { return w.pointer == l.pointer }) {
			row("gone", w.path, `<del>`+string(clipped(w.value, ink))+`</del> <span class="note">gone</span>`)
		}
	}
	if n == 0 {
		b.WriteString(`<div class="same"><dt>no value differs</dt><dd></dd></div>`)
	}
	b.WriteString(`</dl>`)
	if !whole || !wholeBefore {
		b.WriteString(`<p class="cut">Only the first ` + strconv.Itoa(maxLeaves) + ` values are compared.</p>`)
	}
	return template.HTML(b.String()) // every text above went through Text or clipped
}

// around is how much of what stayed is shown before and after a change, in bytes.
const around = 80

// changed shows what is gone and what is new in a text. What is the same at its beginning
// and at its end stands around it.
func changed(was, is string, ink *Ink) string {
	if strings.Contains(was, "\n") || strings.Contains(is, "\n") {
		return changedLines(was, is, ink)
	}
	begin := 0
	for begin < len(was) && begin < len(is) && was[begin] == is[begin] {
		begin++
	}
	begin = min(boundary(was, begin), boundary(is, begin))
	end := 0
	for end < len(was)-begin && end < len(is)-begin && was[len(was)-1-end] == is[len(is)-1-end] {
		end++
	}
	for end > 0 && !utf8.RuneStart(was[len(was)-end]) {
		end--
	}
	head, tail := was[:begin], was[len(was)-end:]
	var b strings.Builder
	if len(head) > around {
		b.WriteString("… ")
		head = head[boundary(head, len(head)-around):]
	}
	b.WriteString(string(piece(head, &ink.marks)))
	if gone := was[begin : len(was)-end]; gone != "" {
		b.WriteString(`<del>` + string(clipped(gone, ink)) + `</del>`)
	}
	if fresh := is[begin : len(is)-end]; fresh != "" {
		b.WriteString(`<ins>` + string(clipped(fresh, ink)) + `</ins>`)
	}
	more := len(tail) > around
	if more {
		tail = tail[:boundary(tail, around)]
	}
	b.WriteString(string(piece(tail, &ink.marks)))
	if more {
		b.WriteString(" …")
	}
	return b.String()
}

const (
	// maxCompared is how much of a text of several lines is compared, in bytes.
	maxCompared = 128 << 10
	// maxLines bounds the lines of a difference.
	maxLines = 120
)

// changedLines shows which lines of a text are gone and new, with some around them.
func changedLines(was, is string, ink *Ink) string {
	was, wasWhole := cut(was, maxCompared)
	is, isWhole := cut(is, maxCompared)
	text := string(diff.Diff("", []byte(was+"\n"), "", []byte(is+"\n")))
	_, text, _ = strings.Cut(text, "\n+++ ") // the names of the files
	_, text, _ = strings.Cut(text, "\n")
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > maxLines {
			b.WriteString(`<span class="cut">… more lines differ</span>`)
			break
		}
		element := map[byte]string{'+': "ins", '-': "del"}[line[0]]
		if element == "" {
			element = "span"
		}
		b.WriteString(`<` + element + ` class="dline">` + string(ink.Lines(strings.TrimSuffix(line, "\n"), Line)) + `</` + element + `>`)
	}
	if !wasWhole || !isWhole {
		b.WriteString(`<span class="cut">Only the first ` + Size(maxCompared) + ` are compared.</span>`)
	}
	return b.String()
}

// clipped is a text of a few lines at most.
func clipped(s string, ink *Ink) template.HTML { return ink.Lines(s, Block/4) }
